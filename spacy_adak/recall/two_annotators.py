"""The recall of annotators from texts that two of them have annotated.

The entities that both have marked show which share of the entities of one the other
has found. This is capture-recapture, with Chapman's estimator. It assumes that the two
work independently. Entities that are hard for both are missing from the estimated
total, so the recall looks better than it is.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span

from ..annotation.completeness import is_meant_to_be_complete
from ..data.complete_types import is_complete_for
from ..data.origins import annotators_of
from .estimate import RecallEstimate
from .intervals import Interval, interval, resample

# An entity by its first token, the token after its last one, and its label.
Mark = tuple[int, int, str]
# Fewer marks in common give no estimate worth the name.
_FEWEST_COMMON = 10


class MarkedText(NamedTuple):
    """What annotators have marked in a text.

    by_annotator (Sequence[tuple[str, set[Mark]]]): What each has marked, by name; empty
        if it is not known who annotated the text.
    annotated (set[Mark]): What counts as annotated in the data.
    """

    by_annotator: Sequence[tuple[str, set[Mark]]]
    annotated: set[Mark]


def recall_from_two_annotators(docs: Iterable[Doc]) -> RecallEstimate | None:
    """Estimate the recall in all texts from those that two annotators have in common.
    Of more than two the first two by name are compared.

    docs (Iterable[Doc]): The texts. Those meant to be complete are passed over.
    RETURNS (RecallEstimate | None): The recall; None if there is too little in common.
    """
    texts = [
        MarkedText(
            sorted((name, _marks(spans)) for name, spans in annotators_of(doc).items()),
            _marks(doc.ents),
        )
        for doc in docs
        if not is_meant_to_be_complete(doc)
    ]
    pairs = [text.by_annotator[:2] for text in texts]
    both = Counter(
        mark[2] for pair in pairs if len(pair) == 2 for mark in pair[0][1] & pair[1][1]
    )
    if both.total() < _FEWEST_COMMON:
        return None
    overall = _count_texts(texts, pairs, None)
    names = " and ".join(sorted({name for pair in pairs for name, _ in pair}))
    common_texts = sum(len(pair) == 2 for pair in pairs)
    return RecallEstimate(
        "two annotators",
        _estimate(overall),
        {
            label: _estimate(_count_texts(texts, pairs, label))
            for label, count in sorted(both.items())
            if count >= _FEWEST_COMMON
        },
        f"what annotators ({names}) have both marked in {common_texts:,} texts they "
        "have in common, by Chapman's estimator",
    )


def _marks(spans: Iterable[Span]) -> set[Mark]:
    """What is marked where the text is not annotated completely for the type."""
    return {
        (span.start, span.end, span.label_)
        for span in spans
        if not is_complete_for(span)
    }


def _count_texts(
    texts: Sequence[MarkedText],
    pairs: Sequence[Sequence[tuple[str, set[Mark]]]],
    label: str | None,
) -> numpy.ndarray:
    """(5, texts): marks of the first annotator, of the second, of both, what counts as
    annotated where there are two, and where there are not."""

    def count(marks: set[Mark]) -> int:
        return sum(label in (None, mark[2]) for mark in marks)

    rows = [
        (
            *(count(marks) for _, marks in pair),
            count(pair[0][1] & pair[1][1]),
            count(text.annotated),
            0,
        )
        if len(pair) == 2
        else (0, 0, 0, 0, count(text.annotated))
        for text, pair in zip(texts, pairs, strict=True)
    ]
    return numpy.array(rows, dtype=float).T


def _estimate(counts: numpy.ndarray) -> Interval:
    value = float(_recall(*counts))
    return interval(value, resample(list(counts), _recall, seed=0)).within(0.0, 1.0)


def _recall(
    first: numpy.ndarray,
    second: numpy.ndarray,
    both: numpy.ndarray,
    annotated: numpy.ndarray,
    elsewhere: numpy.ndarray,
    axis: int = -1,
) -> numpy.ndarray:
    n1, n2, m, marked, other = (
        numbers.sum(axis) for numbers in (first, second, both, annotated, elsewhere)
    )
    entities = numpy.maximum((n1 + 1) * (n2 + 1) / (m + 1) - 1, 1)
    recall_of_one = numpy.maximum(n1 + n2, 1) / 2 / entities
    return (marked + other) / (entities + other / recall_of_one)
