"""How completely gold is annotated: from itself, and from what a pipeline finds."""

from collections.abc import Sequence

from spacy.training import Example

from ..annotation.completeness import is_meant_to_be_complete
from ..q.marked_forms import count_forms, marked_words
from ..recall.complete_texts import recall_from_complete_texts
from ..recall.consistency import recall_from_forms
from ..recall.estimate import RecallEstimate
from ..recall.held_out import HeldOutSpan, recall_from_held_out_texts
from ..recall.intervals import Interval
from ..recall.pooled import AnnotatorRecall, pool_estimates
from ..recall.two_annotators import recall_from_two_annotators


def estimate_gold_recall(
    examples: Sequence[Example], spans_key: str | None, given: float | None = None
) -> AnnotatorRecall | None:
    """Estimate the share of entities that are annotated in gold.

    examples (Sequence[Example]): Predicted and gold documents.
    spans_key (str | None): The span group with the probabilities of predictions.
    given (float | None): The share, if it is known.
    RETURNS (AnnotatorRecall | None): The share; None if nothing tells it.
    """
    if given is not None:
        known = Interval(given, given, given)
        how = "as stated by --annotation-recall"
        return pool_estimates([RecallEstimate("given", known, {}, how)])
    gold = [example.reference for example in examples]
    incomplete = [eg for eg in examples if not is_meant_to_be_complete(eg.reference)]
    forms = count_forms([marked_words(eg.reference) for eg in incomplete])
    estimates = [
        recall_from_complete_texts(gold, filter(is_meant_to_be_complete, gold)),
        recall_from_two_annotators(gold),
        recall_from_held_out_texts(_held_out_spans(incomplete, spans_key)),
        recall_from_forms(*forms),
    ]
    return pool_estimates([estimate for estimate in estimates if estimate is not None])


def _held_out_spans(
    examples: Sequence[Example], spans_key: str | None
) -> list[HeldOutSpan]:
    """What a pipeline finds in texts that it was not trained on, and what is annotated
    there. Nothing, if it tells no probabilities."""
    spans = []
    for text, example in enumerate(examples):
        group = example.predicted.spans.get(spans_key) if spans_key else None
        if group is None:
            continue
        annotated = {(e.start, e.end, e.label_) for e in example.reference.ents}
        scores = dict.fromkeys(annotated, 0.0)
        for span, score in zip(group, group.attrs["scores"], strict=True):
            for aligned in example.get_aligned_spans_x2y([span]):
                scores[aligned.start, aligned.end, aligned.label_] = float(score)
        tokens = {i for start, end, _ in annotated for i in range(start, end)}
        spans += [
            HeldOutSpan(
                text,
                label,
                score,
                (start, end, label) in annotated,
                not tokens.isdisjoint(range(start, end)),
                # The texts that the pipeline was trained on are not known here.
                occurs_elsewhere=True,
            )
            for (start, end, label), score in scores.items()
        ]
    return spans
