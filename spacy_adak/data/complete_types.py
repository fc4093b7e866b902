"""For which entity types a text is annotated completely, and where.

The spans of the group "adak_complete" say it, each labelled with a type: all tokens of
the stretch that are part of an entity of this type are annotated as such. The other
tokens of the stretch may be O or part of an entity of any other type.

It is a statement about single tokens. A stretch may be cut into two, and means the
same. An annotated entity that crosses the edge of a stretch is a fact, all of it. An
entity of the type that nobody annotated can't cross the edge, because one of its
tokens would lie in the stretch. A stretch that covers only a part of an entity must
therefore have the entity annotated.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy
from spacy.tokens import Doc, Span

from .token_stretches import stretches

COMPLETE_KEY = "adak_complete"
_MISSING = 0


def state_complete(doc: Doc, types: Iterable[str]) -> None:
    """State that all of a document is annotated completely for some types, next to
    what is stated already.

    doc (Doc): The document, which is changed.
    types (Iterable[str]): The types.
    """
    stated = types_complete_in(doc)
    new = [label for label in dict.fromkeys(types) if label not in stated]
    if len(doc) and new:
        kept = [span for span in complete_spans(doc) if span.label_ not in new]
        doc.spans[COMPLETE_KEY] = [
            *kept,
            *(Span(doc, 0, len(doc), label=label) for label in new),
        ]


def complete_spans(doc: Doc) -> Sequence[Span]:
    """RETURNS (Sequence[Span]): The stretches that are annotated completely for a
    type."""
    return list(doc.spans[COMPLETE_KEY]) if has_statement(doc) else []


def has_statement(doc: Doc) -> bool:
    """RETURNS (bool): Whether a document says for which types it is complete."""
    return bool(len(doc.spans)) and COMPLETE_KEY in doc.spans


def complete_tokens(doc: Doc) -> dict[str, numpy.ndarray]:
    """RETURNS (dict[str, ndarray]): (L,) bool for each type that is stated to be
    complete somewhere: the tokens for which it is."""
    tokens: dict[str, numpy.ndarray] = {}
    for span in complete_spans(doc):
        covered = tokens.setdefault(span.label_, numpy.zeros(len(doc), dtype=bool))
        covered[span.start : span.end] = True
    return tokens


def set_complete_tokens(doc: Doc, tokens: Mapping[str, numpy.ndarray]) -> None:
    """State for which tokens a document is complete, in place of what is stated.

    doc (Doc): The document, which is changed.
    tokens (Mapping[str, ndarray]): (L,) bool for each type, as in `complete_tokens`.
    """
    spans = [
        Span(doc, start, end, label=label)
        for label, covered in tokens.items()
        for start, end in stretches(numpy.flatnonzero(covered).tolist())
    ]
    doc.spans.pop(COMPLETE_KEY, None)
    if spans:
        doc.spans[COMPLETE_KEY] = spans


def is_complete_for(span: Span) -> bool:
    """RETURNS (bool): Whether a token of a span lies where all entities of its type are
    annotated: it is one if it is annotated, and else none."""
    return any(
        other.label == span.label and other.start < span.end and span.start < other.end
        for other in complete_spans(span.doc)
    )


def types_complete_in(doc: Doc) -> set[str]:
    """RETURNS (set[str]): The types for which all of a document is stated to be
    complete."""
    return {label for label, tokens in complete_tokens(doc).items() if tokens.all()}


def stated_types(docs: Iterable[Doc]) -> set[str]:
    """RETURNS (set[str]): The types that are stated to be complete somewhere."""
    return {span.label_ for doc in docs for span in complete_spans(doc)}


def corpus_types(docs: Iterable[Doc]) -> set[str]:
    """RETURNS (set[str]): The types that documents know of: those of their entities,
    and those that are stated to be complete."""
    types: set[str] = set()
    for doc in docs:
        types.update(ent.label_ for ent in doc.ents)
        types.update(span.label_ for span in complete_spans(doc))
    return types


def with_outside_stated(doc: Doc, types: Collection[str]) -> Doc:
    """Make a token O for which all types are complete and that is in no entity. It is
    what the statements say together, in spaCy's own words.

    doc (Doc): The document.
    types (Collection[str]): All types there are.
    RETURNS (Doc): The document itself if nothing follows, else a copy.
    """
    tokens = complete_tokens(doc)
    if not types or not tokens.keys() >= set(types):
        return doc
    outside = doc.to_array("ENT_IOB").reshape(len(doc)) == _MISSING
    for label in types:
        outside &= tokens[label]
    if not outside.any():
        return doc
    copy = doc.copy()
    copy.set_ents(
        [],
        outside=[copy[i : i + 1] for i in numpy.flatnonzero(outside).tolist()],
        default="unmodified",
    )
    return copy
