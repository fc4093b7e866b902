"""Scores on dev data that is annotated incompletely: how likely the model makes the
annotation, and precision and F1 corrected for what nobody has marked."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy
import torch
from spacy.training import Example

from ..annotation.completeness import is_complete, is_meant_to_be_complete
from ..annotation.known import allowed_tags
from ..annotation.segments import batch_segments
from ..annotation.training_sample import Sample
from ..crf.losses import missing_q, negative_log_likelihood
from ..crf.tags import TagSet
from ..data.complete_types import complete_tokens, has_statement
from ..recall.per_tag import recall_per_tag
from .head import TagScores

SCORE_NAME = "adak_annotation_likelihood"
# What is known of a text may be impossible by its best model; that must not decide.
_LEAST_PER_TOKEN = -100.0

# The first token of an entity in gold, the token after its last one, and its label.
GoldSpan = tuple[int, int, str]


def annotation_likelihood(
    scores: TagScores,
    samples: Sequence[Sample],
    tagset: TagSet,
    recall: float,
    per_type: Mapping[str, float] = MappingProxyType({}),
) -> float:
    """The likelihood of the annotation of some texts if annotators mark each entity
    of a type with the same probability r: the sum of p(y) · r^(entities annotated) ·
    (1 - r)^(entities of y that are not) over all paths y that agree with it. It is the
    geometric mean per token, so that it is a share, and the greater the better. Unlike
    F1 on what is annotated it is a proper score: no model gains by finding entities
    everywhere, nor by finding none but those that annotators mark.

    scores (TagScores): What the model says of the texts.
    samples (Sequence[Sample]): What is known of them.
    tagset (TagSet): The tags.
    recall (float): r. Where a text is annotated completely for a type it is 1.
    per_type (Mapping[str, float]): r of types that have one of their own.
    RETURNS (float): The likelihood.
    """
    device = scores.emissions.device
    recalls = recall_per_tag(recall, per_type, tagset).clip(max=0.999)
    log_weights = torch.from_numpy(numpy.log1p(-recalls))
    masks = [allowed_tags(sample.known, tagset) for sample in samples]
    allowed = torch.from_numpy(numpy.concatenate(masks)).to(device)
    marked = Counter(
        span.type for sample in samples for span in sample.known.from_incomplete()
    )
    total = sum(n * math.log(per_type.get(t, recall)) for t, n in marked.items())
    ends = [sample.ends for sample in samples]
    for batch in batch_segments(ends, device, len(tagset)):
        q = missing_q(allowed[batch.tokens], log_weights.to(device))
        losses = negative_log_likelihood(scores.chain(batch), q)
        least = _LEAST_PER_TOKEN * batch.lengths
        total += float((-losses).maximum(least).sum())
    return math.exp(total / max(len(allowed), 1))


def is_annotated_completely(examples: Sequence[Example]) -> bool:
    """RETURNS (bool): Whether precision can be taken from the gold as it is."""
    return all(is_complete(example.reference) for example in examples)


def corrected_scores(examples: Sequence[Example], recall: float) -> dict[str, Any]:
    """Precision, recall and F1 where gold is incomplete. Recall is that on annotated
    entities. Of the entities that are found the share r would be annotated if all were
    right: what is, divided by r, are those that are right.

    examples (Sequence[Example]): Predicted and gold documents.
    recall (float): r, the share of all entities that is annotated.
    RETURNS (dict[str, Any]): The scores under the names spaCy gives them.
    """
    annotated: Counter[str] = Counter()
    found: Counter[str] = Counter()
    matched: Counter[float | str] = Counter()
    right: dict[str, float] = {}
    for example in examples:
        r = 1.0 if is_meant_to_be_complete(example.reference) else recall
        gold = {(e.start, e.end, e.label_) for e in example.reference.ents}
        annotated.update(label for _, _, label in gold)
        for span in predicted_in_gold(example):
            found[span[2]] += 1
            if span in gold:
                matched[span[2]] += 1
                right[span[2]] = right.get(span[2], 0.0) + 1 / r
    labels = sorted({*annotated, *found})
    per_type = {
        label: _prf(
            right.get(label, 0.0), found[label], matched[label], annotated[label]
        )
        for label in labels
    }
    total = _prf(sum(right.values()), found.total(), matched.total(), annotated.total())
    return {
        **{f"ents_{key}": value for key, value in total.items()},
        "ents_per_type": per_type,
    }


def is_scored_by_type(examples: Sequence[Example]) -> bool:
    """RETURNS (bool): Whether gold states for which types it is complete, so that these
    can be scored as they are."""
    return any(has_statement(example.reference) for example in examples)


def scores_where_complete(examples: Sequence[Example]) -> dict[str, Any]:
    """Precision, recall and F1 of each type where gold is complete for it.

    examples (Sequence[Example]): Predicted and gold documents.
    RETURNS (dict[str, Any]): The scores under the names spaCy gives them.
    """
    judged = [judged_spans(example) for example in examples]
    gold = Counter(span[2] for spans, _ in judged for span in spans)
    found = Counter(span[2] for _, spans in judged for span in spans)
    right = Counter(s[2] for spans, others in judged for s in spans & others)
    labels = sorted({*gold, *found})
    per_type = {t: _prf(right[t], found[t], right[t], gold[t]) for t in labels}
    total = _prf(right.total(), found.total(), right.total(), gold.total())
    return {
        **{f"ents_{key}": value for key, value in total.items()},
        "ents_per_type": per_type,
    }


def judged_spans(example: Example) -> tuple[set[GoldSpan], set[GoldSpan]]:
    """The entities that gold can judge: all of them where it is annotated completely,
    else those with a token that lies where it is complete for their type. Of such a
    token gold says whether it is part of an entity of the type, and of which one.

    example (Example): A predicted and a gold document.
    RETURNS (tuple[set, set]): (start, end, label) of gold and of predicted entities,
        in gold tokens.
    """
    reference = example.reference
    gold = {(ent.start, ent.end, ent.label_) for ent in reference.ents}
    predicted = set(predicted_in_gold(example))
    if is_complete(reference):
        return gold, predicted
    complete = complete_tokens(reference)

    def judged(spans: set[GoldSpan]) -> set[GoldSpan]:
        return {
            (start, end, label)
            for start, end, label in spans
            if label in complete and complete[label][start:end].any()
        }

    return judged(gold), judged(predicted)


def _prf(right: float, found: int, matched: int, annotated: int) -> dict[str, float]:
    p = min(right / max(found, 1), 1.0)
    r = matched / max(annotated, 1)
    return {"p": p, "r": r, "f": 2 * p * r / (p + r) if p + r else 0.0}


def predicted_in_gold(example: Example) -> Iterator[GoldSpan]:
    """YIELDS (GoldSpan): The predicted entities in gold tokens."""
    for ent in example.predicted.ents:
        indices = example.alignment.x2y[ent.start : ent.end]
        if len(indices):
            yield int(indices[0]), int(indices[-1]) + 1, ent.label_
