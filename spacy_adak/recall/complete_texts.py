"""The recall of annotators from what is annotated completely: how many entities there
are per token, and how many of them are marked elsewhere.

A text may be complete for some types only. Then each type is compared separately:
texts where it is complete with texts where it is not.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span

from ..annotation.completeness import is_meant_to_be_complete
from ..data.complete_types import complete_tokens, has_statement, is_complete_for
from ..data.origins import DECIDED_KEY
from .estimate import RecallEstimate
from .intervals import Interval, interval, resample_ratio

# A type is compared by itself if it has as many entities in both. In incomplete texts
# it may also have none: nobody was asked to annotate it there.
_FEWEST_ENTITIES = 20
_LEFT_OPEN = "the entities in texts that are not complete for their type"


class _Text(NamedTuple):
    """The entities of a text, and how many tokens it has for each type."""

    entities: Counter[str]
    length: int
    lengths: Mapping[str, int] = {}

    def tokens_of(self, label: str) -> int:
        return self.lengths.get(label, self.length)


def recall_from_complete_texts(
    annotated: Iterable[Doc], complete: Iterable[Doc]
) -> RecallEstimate | None:
    """Compare the entities per token in some texts with those in complete ones. This
    assumes that both are texts of the same kind. What was decided upon when a model
    suggested it was not found by annotators: they have left it, as the other entities
    that they have left. Where a text is stated to be complete for a type, it counts as
    a complete one for this type.

    annotated (Iterable[Doc]): The texts. Those meant to be complete are passed over.
    complete (Iterable[Doc]): Texts that are annotated completely.
    RETURNS (RecallEstimate | None): The recall; None if there is nothing to compare.
    """
    incomplete: list[_Text] = []
    known = [_Text(_count(doc.ents), len(doc)) for doc in complete]
    complete_docs = len(known)
    stated: set[str] = set()
    for doc in annotated:
        if is_meant_to_be_complete(doc):
            continue
        if has_statement(doc):
            left, whole = _divide(doc)
            incomplete.append(left)
            known.append(whole)
            stated.update(whole.lengths)
        else:
            incomplete.append(_Text(_count(annotated_unasked(doc)), len(doc)))
    if not incomplete:
        everything = Interval(1.0, 1.0, 1.0)
        how = "all texts are annotated completely"
        return RecallEstimate("complete texts", everything, {}, how)
    found = Counter(label for text in incomplete for label in text.entities.elements())
    expected = Counter(label for text in known for label in text.entities.elements())
    compared = [
        label
        for label in sorted({*found, *expected})
        if any(text.tokens_of(label) for text in incomplete)
        and any(text.tokens_of(label) for text in known)
    ]
    if not any(expected[label] for label in compared):
        return None
    per_type = {
        label: _compare(incomplete, known, [[label]])
        for label in compared
        if expected[label] >= _FEWEST_ENTITIES
        and (found[label] not in range(1, _FEWEST_ENTITIES) or label in stated)
    }
    groups = [[label] for label in compared if label in stated]
    groups.append([label for label in compared if label not in stated])
    where = f"{complete_docs:,} complete texts"
    if stated:
        where += f" and {len(known) - complete_docs:,} complete for some types"
    return RecallEstimate(
        "complete texts",
        _compare(incomplete, known, groups),
        per_type,
        f"entities per token in {len(incomplete):,} incomplete texts, divided by "
        f"those in {where} with {expected.total():,} entities",
        of_what=_LEFT_OPEN if stated else "the entities",
    )


def annotated_unasked(doc: Doc) -> list[Span]:
    """RETURNS (list[Span]): The entities that annotators have marked without a
    suggestion of a model."""
    decided = {(s.start, s.end, s.label) for s in doc.spans.get(DECIDED_KEY, ())}
    return [e for e in doc.ents if (e.start, e.end, e.label) not in decided]


def _divide(doc: Doc) -> tuple[_Text, _Text]:
    """What a text is where its types are not complete, and where they are."""
    complete = complete_tokens(doc)
    sizes = {label: int(tokens.sum()) for label, tokens in complete.items()}
    left = (ent for ent in annotated_unasked(doc) if not is_complete_for(ent))
    lengths = {label: len(doc) - size for label, size in sizes.items()}
    return (
        _Text(_count(left), len(doc), lengths),
        _Text(_count(filter(is_complete_for, doc.ents)), 0, sizes),
    )


def _count(spans: Iterable[Span]) -> Counter[str]:
    return Counter(span.label_ for span in spans)


def _compare(
    incomplete: Sequence[_Text],
    complete: Sequence[_Text],
    groups: Sequence[Sequence[str]],
) -> Interval:
    """The entities that are marked, divided by those there should be. The types of a
    group are complete in the same places."""
    entities: list[float] = [0.0, 0.0]
    resampled: list[numpy.ndarray] = [numpy.zeros(1), numpy.zeros(1)]
    for group in filter(None, groups):
        tokens_left = sum(text.tokens_of(group[0]) for text in incomplete)
        for seed, texts in enumerate((incomplete, complete)):
            counts = [sum(text.entities[label] for label in group) for text in texts]
            tokens = [text.tokens_of(group[0]) for text in texts]
            entities[seed] += sum(counts) / max(sum(tokens), 1) * tokens_left
            draws = resample_ratio(counts, tokens, seed) * tokens_left
            resampled[seed] = resampled[seed] + draws
    # A resample of few texts may have no entity at all.
    possible = resampled[1] > 0
    ratios = resampled[0][possible] / resampled[1][possible]
    return interval(entities[0] / entities[1], ratios).within(0.0, 1.0)
