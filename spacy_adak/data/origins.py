"""Where each span of a document comes from, and the span groups that say so.

Facts are what people have stated: the entities they marked (*annotated*) and the spans
they rejected (*ruled out*). What a model says is no fact: it is *estimated* by
`adak train`, or *guessed* by any other model.

A document holds them in one of two forms. Usually `doc.ents` has the facts alone, and
the groups "estimated" and "guessed" have the rest, with `attrs["scores"]`. In what
`adak train` has completed, `doc.ents` has the estimated entities as well: the groups
"annotated" and "estimated" tell the two apart, and "unannotated" says where nobody had
stated anything before.

If several people have annotated a text, the group "annotator:NAME" has everything that
NAME has marked in it, also what was not used. It is empty if NAME has marked nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from spacy.tokens import Doc, Span, SpanGroup

INCORRECT_SPANS_KEY = "incorrect_spans"
ANNOTATED_KEY = "annotated"
ESTIMATED_KEY = "estimated"
GUESSED_KEY = "guessed"
UNANNOTATED_KEY = "unannotated"
# Entities in `doc.ents` that were decided upon when a model suggested them: they say
# nothing about what annotators find on their own.
DECIDED_KEY = "decided"
# What fold models would suggest, on the path of q or not.
CANDIDATES_KEY = "candidates"
ANNOTATOR_PREFIX = "annotator:"
SCORES = "scores"

Origin = Literal["annotated", "ruled out", "estimated", "guessed"]


class SpanOrigin(NamedTuple):
    """A span, where it comes from, and how probable it is if a model says so."""

    span: Span
    origin: Origin
    score: float | None = None


def annotated_entities(doc: Doc) -> list[Span]:
    """RETURNS (list[Span]): The entities of a document that somebody has annotated."""
    estimated = {_key(span) for span in doc.spans.get(ESTIMATED_KEY, ())}
    estimated -= {_key(span) for span in doc.spans.get(ANNOTATED_KEY, ())}
    return [ent for ent in doc.ents if _key(ent) not in estimated]


def estimates_of(doc: Doc) -> list[SpanOrigin]:
    """RETURNS (list[SpanOrigin]): The estimated and guessed spans of a document."""
    return [
        *_scored(doc, ESTIMATED_KEY, "estimated"),
        *_scored(doc, GUESSED_KEY, "guessed"),
    ]


def _scored(doc: Doc, key: str, origin: Origin) -> list[SpanOrigin]:
    return [SpanOrigin(span, origin, score) for span, score in scored_spans(doc, key)]


def scored_spans(doc: Doc, key: str) -> list[tuple[Span, float | None]]:
    """Read a group of spans with scores. One made by others may lack scores.

    doc (Doc): The document.
    key (str): The key of `Doc.spans`.
    RETURNS (list[tuple[Span, float | None]]): The spans, each with its score; None if
        it is not known.
    """
    group = doc.spans.get(key)
    if group is None:
        return []
    scores = [*(group.attrs.get(SCORES) or ()), *[None] * len(group)]
    return list(zip(group, scores, strict=False))


def has_candidates(doc: Doc) -> bool:
    """RETURNS (bool): Whether a document has what fold models would suggest. A group of
    that name in which spans have no scores is that of somebody else."""
    if SCORES not in getattr(doc.spans.get(CANDIDATES_KEY), "attrs", ()):
        return False
    return all(score is not None for _, score in scored_spans(doc, CANDIDATES_KEY))


def set_scored_spans(
    doc: Doc, key: str, spans: Iterable[Span], scores: Iterable[float | None]
) -> None:
    """Set a group of spans with scores.

    doc (Doc): The document, which is changed.
    key (str): The key of `Doc.spans`.
    spans (Iterable[Span]): The spans.
    scores (Iterable[float | None]): The score of each; None if it is not known.
    """
    doc.spans[key] = SpanGroup(
        doc, name=key, spans=list(spans), attrs={SCORES: list(scores)}
    )


def annotators_of(doc: Doc) -> dict[str, set[Span]]:
    """Find what each annotator has marked in a document.

    doc (Doc): The document.
    RETURNS (dict[str, set[Span]]): The spans by the name of the annotator. One who has
        gone through the text and marked nothing has an empty set; one who has not is
        not there.
    """
    return {
        key.removeprefix(ANNOTATOR_PREFIX): set(group)
        for key, group in doc.spans.items()
        if key.startswith(ANNOTATOR_PREFIX)
    }


def set_annotators(doc: Doc, marked: Mapping[str, Iterable[Span]]) -> None:
    """Keep who has marked what.

    doc (Doc): The document, which is changed.
    marked (Mapping[str, Iterable[Span]]): The spans by the name of the annotator.
    """
    for name, spans in marked.items():
        doc.spans[ANNOTATOR_PREFIX + name] = list(spans)


def complete(doc: Doc, spans: Sequence[Span], scores: Sequence[float]) -> None:
    """Add estimated entities to those that are annotated; every other token is then
    outside. What was stated before can still be told, see `without_estimates`.

    doc (Doc): The document, which is changed.
    spans (Sequence[Span]): The estimated entities, apart from the annotated ones.
    scores (Sequence[float]): Their probabilities.
    """
    annotated = list(doc.ents)
    doc.spans[UNANNOTATED_KEY] = missing_stretches(doc)
    doc.set_ents([*annotated, *spans], default="outside")
    doc.spans[ANNOTATED_KEY] = annotated
    set_scored_spans(doc, ESTIMATED_KEY, spans, scores)


def without_estimates(doc: Doc) -> Doc:
    """Take estimated entities out of `doc.ents`, and what was taken to be outside of
    them. Their tokens become missing; the group "estimated" remains.

    doc (Doc): The document, in either form.
    RETURNS (Doc): The document itself if its entities are facts, else a copy.
    """
    if ESTIMATED_KEY not in doc.spans:
        return doc
    annotated = annotated_entities(doc)
    if ANNOTATED_KEY not in doc.spans and len(annotated) == len(doc.ents):
        return doc
    copy = doc.copy()
    entities = [
        Span(copy, e.start, e.end, label=e.label, kb_id=e.kb_id, span_id=e.id)
        for e in annotated
    ]
    if UNANNOTATED_KEY in doc.spans:
        known = {token.i for ent in annotated for token in ent}
        missing = [
            copy[token.i : token.i + 1]
            for stretch in doc.spans[UNANNOTATED_KEY]
            for token in stretch
            if token.i not in known
        ]
        copy.set_ents(entities, missing=missing, default="outside")
    else:
        copy.set_ents(entities, default="missing")
    for key in (ANNOTATED_KEY, UNANNOTATED_KEY):
        copy.spans.pop(key, None)
    return copy


def missing_stretches(doc: Doc) -> list[Span]:
    """RETURNS (list[Span]): The stretches of tokens about which nothing is stated."""
    iob = doc.to_array("ENT_IOB").tolist()
    stretches = []
    for is_missing, group in groupby(range(len(doc)), key=lambda i: iob[i] == 0):
        if is_missing:
            tokens = list(group)
            stretches.append(doc[tokens[0] : tokens[-1] + 1])
    return stretches


def _key(span: Span) -> tuple[int, int, int]:
    return span.start, span.end, span.label
