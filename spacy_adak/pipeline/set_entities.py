"""What a component has set on a document: write it, know it again, take it back."""

from collections.abc import Sequence

import numpy
from spacy.tokens import Doc, Span, SpanGroup

from .recognition import Prediction

_COMPONENT = "component"


def own_entities(doc: Doc, spans_key: str | None, component: str) -> set[Span]:
    """RETURNS (set[Span]): What a component has set, as its span group tells."""
    group = doc.spans.get(spans_key) if spans_key is not None else None
    if group is None or group.attrs.get(_COMPONENT) != component:
        return set()
    return set(group)


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


def set_entities(
    doc: Doc, found: Sequence[Prediction], spans_key: str | None, component: str
) -> None:
    """Write entities to `doc.ents` in place of those the component set before. What
    others have set stays.

    doc (Doc): The document.
    found (Sequence[Prediction]): The entities.
    spans_key (str | None): The span group that gets them, too, with probabilities.
    component (str): The name of the component.
    """
    remove_entities(doc, own_entities(doc, spans_key, component))
    ents = [Span(doc, span.start, span.end, label=span.type) for span, _ in found]
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
    if spans_key is not None:
        scores = numpy.array([p for _, p in found], dtype="float64")
        doc.spans[spans_key] = SpanGroup(
            doc,
            name=spans_key,
            spans=ents,
            attrs={"scores": scores, _COMPONENT: component},
        )
