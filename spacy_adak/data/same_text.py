"""The annotations of one text from several files, combined."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import Errors
from .complete_types import COMPLETE_KEY, complete_tokens, set_complete_tokens
from .origins import INCORRECT_SPANS_KEY, SCORES
from .token_stretches import stretches

_OUTSIDE = 2
# The tokens of a span, and its label.
_Key = tuple[int, int, str]


class Origin(NamedTuple):
    """Where a document comes from.

    path (Path): The file.
    number (int): Which document of it, from 1 on.
    """

    path: Path
    number: int

    def __str__(self) -> str:
        return f"{self.path}, document {self.number}"


class Contradiction(NamedTuple):
    """A contradiction between two files about a text.

    text (str): The text.
    span (str): The entity that is annotated in one of them.
    label (str): Its type.
    stated_by (Origin): The document that has it.
    denied_by (Origin): The document that can't have it.
    why (str): What that says instead.
    """

    text: str
    span: str
    label: str
    stated_by: Origin
    denied_by: Origin
    why: str

    def __str__(self) -> str:
        return (
            f"{self.stated_by}: '{self.span}' is annotated as {self.label}, but "
            f"{self.denied_by}: {self.why}"
        )


def merge_documents(
    group: Sequence[tuple[Origin, Doc]], contradictions: list[Contradiction]
) -> Doc:
    """Combine the annotations of one text. Contradictions become unknown.

    group (Sequence[tuple[Origin, Doc]]): Documents with the same text.
    contradictions (list[Contradiction]): Where contradictions are noted.
    RETURNS (Doc): A copy of the first, with what the others know.
    """
    (first, base), *others = group
    words = [token.text for token in base]
    for origin, doc in others:
        if [token.text for token in doc] != words:
            raise ValueError(
                Errors.A329.format(first=first, second=origin, text=base.text[:60])
            )
    found = list(_contradictions(group))
    contradictions += [contradiction for contradiction, _ in found]
    contested = {key for _, keys in found for key in keys}
    is_open = numpy.zeros(len(base), dtype=bool)
    for start, end, _ in contested:
        is_open[start:end] = True
    copy = base.copy()
    entities: dict[_Key, Span] = {}
    outside = numpy.zeros(len(base), dtype=bool)
    complete: dict[str, numpy.ndarray] = {}
    for _, doc in group:
        for ent in doc.ents:
            if _key(ent) not in contested:
                entities.setdefault(_key(ent), _copied(copy, ent))
        outside |= _iob(doc) == _OUTSIDE
        for label, covered in complete_tokens(doc).items():
            known = complete.setdefault(label, numpy.zeros(len(base), dtype=bool))
            known |= covered
    copy.set_ents(
        list(entities.values()),
        blocked=list(_blocked(copy)),
        outside=_as_spans(copy, outside & ~is_open),
        default="missing",
    )
    for doc in (doc for _, doc in others):
        _add_groups(copy, doc)
    if INCORRECT_SPANS_KEY in copy.spans:
        copy.spans[INCORRECT_SPANS_KEY] = [
            span
            for span in copy.spans[INCORRECT_SPANS_KEY]
            if _key(span) not in contested
        ]
    set_complete_tokens(
        copy, {t: covered & ~is_open for t, covered in complete.items()}
    )
    return copy


def _contradictions(
    group: Sequence[tuple[Origin, Doc]],
) -> Iterator[tuple[Contradiction, list[_Key]]]:
    """Entities that other documents deny, each with what is contested by that."""
    for (a, left), (b, right) in combinations(group, 2):
        for stating, doc, denying, other in ((a, left, b, right), (b, right, a, left)):
            others = {_key(ent): ent for ent in other.ents}
            ruled_out = {
                _key(span) for span in other.spans.get(INCORRECT_SPANS_KEY, ())
            }
            iob, complete = _iob(other), complete_tokens(other)
            for ent in doc.ents:
                if _key(ent) in others:
                    continue
                within = slice(ent.start, ent.end)
                covered = complete.get(ent.label_)
                overlap = [e for e in others.values() if _overlap(e, ent)]
                if overlap:
                    # Of two that overlap each denies the other: told once.
                    if doc is right:
                        continue
                    there = overlap[0]
                    why = f"'{there.text}' is annotated as {there.label_}"
                elif (iob[within] == _OUTSIDE).any():
                    why = "a token of it is stated to be in no entity"
                elif covered is not None and covered[within].any():
                    why = f"the text is complete for {ent.label_} without it"
                elif _key(ent) in ruled_out:
                    why = "it is ruled out"
                else:
                    continue
                contradiction = Contradiction(
                    doc.text, ent.text, ent.label_, stating, denying, why
                )
                yield contradiction, [_key(ent), *map(_key, overlap)]


def _add_groups(doc: Doc, other: Doc) -> None:
    """Add the spans of another document with the same tokens."""
    for key, group in other.spans.items():
        if key == COMPLETE_KEY:
            continue
        own = doc.spans.get(key)
        spans = [] if own is None else list(own)
        scores = [] if own is None else list(own.attrs.get(SCORES) or ())
        known = set(map(_key, spans))
        new = [i for i, span in enumerate(group) if _key(span) not in known]
        other_scores = group.attrs.get(SCORES)
        attrs = {} if own is None else dict(own.attrs)
        if other_scores is not None or scores:
            scores += [None] * (len(spans) - len(scores))
            scores += [other_scores[i] if other_scores else None for i in new]
            attrs[SCORES] = scores
        spans += [_copied(doc, group[i]) for i in new]
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attrs)


def _copied(doc: Doc, span: Span) -> Span:
    return Span(
        doc,
        span.start,
        span.end,
        label=span.label,
        kb_id=span.kb_id,
        span_id=span.id,
    )


def _iob(doc: Doc) -> numpy.ndarray:
    return doc.to_array("ENT_IOB").reshape(len(doc))


def _blocked(doc: Doc) -> Iterator[Span]:
    """Blocked tokens: an entity that begins and has no type."""
    for token in doc:
        if token.ent_iob == 3 and not token.ent_type:
            yield doc[token.i : token.i + 1]


def _as_spans(doc: Doc, tokens: numpy.ndarray) -> list[Span]:
    return [doc[a:b] for a, b in stretches(numpy.flatnonzero(tokens).tolist())]


def _overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end


def _key(span: Span) -> _Key:
    return span.start, span.end, span.label_
