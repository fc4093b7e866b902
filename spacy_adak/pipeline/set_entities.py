"""What a component has set on a document: write it, know it again, take it back."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span, SpanGroup

from .recognition import Prediction

# Which component has found each span of a group: several may share a `spans_key`.
_COMPONENTS = "components"
_SCORES = "scores"


class _Found(NamedTuple):
    """A span of a group, and where it is from."""

    span: Span
    score: float | None
    component: str


def _read_group(doc: Doc, spans_key: str | None) -> Iterator[_Found]:
    """What components of this kind have found. A group that others have made, or
    changed, is not ours."""
    group = doc.spans.get(spans_key) if spans_key is not None else None
    if group is not None:
        scores = group.attrs.get(_SCORES, ())
        components = group.attrs.get(_COMPONENTS, ())
        if len(group) == len(scores) == len(components):
            yield from map(_Found, group, scores, components)


def own_entities(doc: Doc, spans_key: str | None, component: str) -> set[Span]:
    """RETURNS (set[Span]): What a component has set, as its span group tells."""
    found = _read_group(doc, spans_key)
    return {each.span for each in found if each.component == component}


def remove_entities(doc: Doc, removed: set[Span]) -> None:
    """Take entities from a document, as if nothing were known of their tokens."""
    places = {(span.start, span.end, span.label) for span in removed}
    own: list[Span] = []
    kept: list[Span] = []
    for ent in doc.ents:
        is_own = (ent.start, ent.end, ent.label) in places
        (own if is_own else kept).append(ent)
    if own:
        doc.set_ents(kept, missing=own, default="unmodified")


def set_entities(doc: Doc, found: Sequence[Prediction], replaced: set[Span]) -> None:
    """Write entities to `doc.ents`.

    doc (Doc): The document.
    found (Sequence[Prediction]): The entities.
    replaced (set[Span]): What the component has set before. What others have set stays.
    """
    remove_entities(doc, replaced)
    ents = _to_spans(doc, found)
    if doc.has_annotation("ENT_IOB"):
        # What is set stays as it is, ids and blocked tokens included.
        taken = {token.i for ent in ents for token in ent}
        missing = [
            doc[token.i : token.i + 1]
            for token in doc
            if token.ent_iob == 0 and token.i not in taken
        ]
        doc.set_ents(ents, outside=missing, default="unmodified")
    else:
        doc.set_ents(ents, default="outside")


def set_spans(
    doc: Doc, found: Sequence[Prediction], spans_key: str, component: str
) -> None:
    """Write entities and their probabilities to a span group, in place of those the
    component has put there before. What other components of this kind have put there
    stays.

    doc (Doc): The document.
    found (Sequence[Prediction]): The entities.
    spans_key (str): The span group.
    component (str): The name of the component.
    """
    group = [
        each for each in _read_group(doc, spans_key) if each.component != component
    ]
    for span, (_, probability) in zip(_to_spans(doc, found), found, strict=True):
        group.append(_Found(span, probability, component))
    group.sort(key=lambda each: (each.span.start, each.span.end))
    doc.spans[spans_key] = SpanGroup(
        doc,
        name=spans_key,
        spans=[each.span for each in group],
        attrs={
            _SCORES: numpy.array([each.score for each in group], dtype="float64"),
            _COMPONENTS: [each.component for each in group],
        },
    )


def _to_spans(doc: Doc, found: Sequence[Prediction]) -> list[Span]:
    return [Span(doc, span.start, span.end, label=span.type) for span, _ in found]
