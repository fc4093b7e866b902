"""The recall of annotators from texts that are annotated completely: how many entities
there are per token, and how many of them are marked elsewhere."""

from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc, Span

from ..annotation.completeness import is_meant_to_be_complete
from ..data.origins import DECIDED_KEY
from .estimate import RecallEstimate
from .intervals import Interval, interval, resample_ratio

# A type is compared by itself if it has as many entities in both.
_FEWEST_ENTITIES = 20


def recall_from_complete_texts(
    annotated: Iterable[Doc], complete: Iterable[Doc]
) -> RecallEstimate | None:
    """Compare the entities per token in some texts with those in complete ones. It
    supposes that both are texts of the same kind. What was decided upon when a model
    suggested it was not found by annotators: they have left it, as the other entities
    that they have left.

    annotated (Iterable[Doc]): The texts. Those meant to be complete are passed over.
    complete (Iterable[Doc]): Texts that are annotated completely.
    RETURNS (RecallEstimate | None): The recall; None if there is nothing to compare.
    """
    incomplete = [
        (_count(annotated_unasked(doc)), len(doc))
        for doc in annotated
        if not is_meant_to_be_complete(doc)
    ]
    complete_counts = [(_count(doc.ents), len(doc)) for doc in complete]
    found = Counter(label for counts, _ in incomplete for label in counts.elements())
    expected = Counter(
        label for counts, _ in complete_counts for label in counts.elements()
    )
    if not incomplete:
        everything = Interval(1.0, 1.0, 1.0)
        how = "all texts are annotated completely"
        return RecallEstimate("complete texts", everything, {}, how)
    if not expected:
        return None
    per_type = {
        label: _compare(incomplete, complete_counts, label)
        for label in sorted(expected)
        if min(found[label], expected[label]) >= _FEWEST_ENTITIES
    }
    return RecallEstimate(
        "complete texts",
        _compare(incomplete, complete_counts, None),
        per_type,
        f"entities per token in {len(incomplete):,} incomplete texts, divided by "
        f"those in {len(complete_counts):,} complete texts with "
        f"{expected.total():,} entities",
    )


def annotated_unasked(doc: Doc) -> list[Span]:
    """RETURNS (list[Span]): The entities that annotators have marked by themselves, not
    those decided upon when a model suggested them."""
    decided = {(s.start, s.end, s.label) for s in doc.spans.get(DECIDED_KEY, ())}
    return [e for e in doc.ents if (e.start, e.end, e.label) not in decided]


def _count(spans: Iterable[Span]) -> Counter[str]:
    return Counter(span.label_ for span in spans)


def _compare(
    incomplete: Sequence[tuple[Counter[str], int]],
    complete: Sequence[tuple[Counter[str], int]],
    label: str | None,
) -> Interval:
    values, resampled = [], []
    for seed, texts in enumerate((incomplete, complete)):
        entities = [c.total() if label is None else c[label] for c, _ in texts]
        tokens = [length for _, length in texts]
        values.append(sum(entities) / max(sum(tokens), 1))
        resampled.append(resample_ratio(entities, tokens, seed))
    # A resample of few texts may have no entity at all.
    possible = resampled[1] > 0
    ratios = resampled[0][possible] / resampled[1][possible]
    return interval(values[0] / values[1], ratios).within(0.0, 1.0)
