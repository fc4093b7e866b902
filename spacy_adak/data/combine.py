"""Several corpora to one: label names, texts that come more than once, and for which
types each part is complete."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from ..errors import Errors, Warnings
from .annotated_text import stretches
from .complete_types import (
    COMPLETE_KEY,
    complete_tokens,
    corpus_types,
    types_complete_in,
)
from .docbin import read_docbin
from .origins import INCORRECT_SPANS_KEY, SCORES, without_estimates
from .outputs import refuse_to_overwrite_inputs
from .packed_docs import write_packed
from .staging import Staging

_MISSING, _OUTSIDE = 0, 2
# The tokens of a span, and its label.
_Key = tuple[int, int, str]
# The new names of labels, by the names they have in a file.
Names = Mapping[str, str]


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
    """What two files say of a text that can't both be true.

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


class Part(NamedTuple):
    """What an input has, under the new names.

    path (Path): The file.
    documents (int): How many documents.
    entities (Counter[str]): The entities of each type.
    complete (Counter[str]): How many of the others are stated to be complete for each
        type, as a whole.
    known (int): How many documents have no unknown token, and so are complete for any
        type.
    """

    path: Path
    documents: int
    entities: Counter[str]
    complete: Counter[str]
    known: int

    @property
    def types(self) -> set[str]:
        """RETURNS (set[str]): The types that it has, or is complete for."""
        return {*self.entities, *self.complete}

    def describe(self, label: str) -> str:
        """RETURNS (str): The entities of a type, and the share of documents that are
        complete for it."""
        complete = (self.complete[label] + self.known) / max(self.documents, 1)
        return f"{self.entities[label]:,} ({100 * complete:.0f}%)"


class Combined(NamedTuple):
    """What was combined.

    parts (list[Part]): The inputs.
    total (Part): The output.
    merged (int): How many documents went into another one with the same text.
    contradictions (list[Contradiction]): What was left out, and is unknown now.
    """

    parts: list[Part]
    total: Part
    merged: int
    contradictions: list[Contradiction]


def combine(
    inputs: Sequence[Path], output: Path, *, maps: Sequence[str] = ()
) -> Combined:
    """Combine the documents of several files. A text that is in more than one of them
    becomes one document with all of its annotations.

    inputs (Sequence[Path]): `.spacy` files.
    output (Path): The `.spacy` file to write.
    maps (Sequence[str]): Label names to change, as "ORGANISATION=ORG" in all files or
        as "a.spacy:ORGANISATION=ORG" in one.
    RETURNS (Combined): What was read, and the contradictions.
    """
    inputs, output = [Path(path) for path in inputs], Path(output)
    refuse_to_overwrite_inputs(output, *inputs)
    taken = [path.resolve() for path in inputs]
    if twice := next((p for p in inputs if taken.count(p.resolve()) > 1), None):
        raise ValueError(Errors.A315.format(path=twice))
    names = _read_maps(maps, inputs)
    vocab = Vocab()
    parts: list[Part] = []
    by_text: dict[str, list[tuple[Origin, Doc]]] = defaultdict(list)
    for path in inputs:
        docs = [without_estimates(doc) for doc in read_docbin(path, vocab)]
        types = corpus_types(docs)
        if unknown := names[path].unknown_to(types):
            known = ", ".join(sorted(types)) or "none"
            raise ValueError(
                Errors.A328.format(labels=", ".join(unknown), path=path, known=known)
            )
        docs = [rename(doc, names[path].of(types)) for doc in docs]
        parts.append(_describe(path, docs))
        for number, doc in enumerate(docs, start=1):
            by_text[doc.text].append((Origin(path, number), doc))
    contradictions: list[Contradiction] = []
    combined: list[Doc] = []
    for group in by_text.values():
        if len({origin.path for origin, _ in group}) > 1:
            combined.append(merge_documents(group, contradictions))
        else:
            combined += [doc for _, doc in group]
    with Staging() as staging:
        write_packed(combined, staging.place(output))
    total = _describe(output, combined)
    for part in parts:
        silent = sorted(total.entities.keys() - part.entities.keys())
        if part.known and silent:
            message = Warnings.W344.format(
                path=part.path, count=part.known, labels=", ".join(silent)
            )
            warnings.warn(message, stacklevel=2)
    merged = sum(part.documents for part in parts) - total.documents
    return Combined(parts, total, merged, contradictions)


class _FileNames:
    """The new names of labels in a file: those given for it, and for all files."""

    def __init__(self) -> None:
        self.own: dict[str, str] = {}
        self.of_all: dict[str, str] = {}

    def unknown_to(self, types: set[str]) -> list[str]:
        return [label for label in self.own if label not in types]

    def of(self, types: set[str]) -> Names:
        names = {**self.of_all, **self.own}
        return {label: names.get(label, label) for label in types}


def _read_maps(maps: Sequence[str], inputs: Sequence[Path]) -> dict[Path, _FileNames]:
    names = {path: _FileNames() for path in inputs}
    for given in maps:
        before, _, after = (part.strip() for part in given.rpartition("="))
        owner = next(
            (
                (path, prefix)
                for path in inputs
                for prefix in (f"{path}:", f"{path.name}:")
                if before.startswith(prefix)
            ),
            None,
        )
        label = before if owner is None else before.removeprefix(owner[1])
        if not label or not after or (owner is None and ".spacy:" in before):
            files = ", ".join(map(str, inputs))
            raise ValueError(Errors.A327.format(value=given, files=files))
        if owner is not None:
            names[owner[0]].own[label] = after
        else:
            for each in names.values():
                each.of_all[label] = after
    return names


def rename(doc: Doc, names: Names) -> Doc:
    """Give labels other names. Where several become one, a text is complete for it if
    it is for all of them.

    doc (Doc): The document.
    names (Names): The new names of all types of its file.
    RETURNS (Doc): The document itself if nothing changes, else a copy.
    """
    if all(old == new for old, new in names.items()):
        return doc
    copy = doc.copy()
    tokens = complete_tokens(copy)
    for key, group in list(copy.spans.items()):
        renamed = [_renamed(copy, span, names) for span in group]
        copy.spans[key] = SpanGroup(copy, name=key, spans=renamed, attrs=group.attrs)
    copy.set_ents(
        [_renamed(copy, ent, names) for ent in copy.ents], default="unmodified"
    )
    if tokens:
        nothing = numpy.zeros(len(copy), dtype=bool)
        complete: dict[str, numpy.ndarray] = {}
        for old, new in names.items():
            covered = tokens.get(old, nothing)
            complete[new] = complete[new] & covered if new in complete else covered
        _set_complete(copy, complete)
    return copy


def _renamed(doc: Doc, span: Span, names: Names) -> Span:
    label = names.get(span.label_, span.label_)
    return Span(
        doc, span.start, span.end, label=label, kb_id=span.kb_id, span_id=span.id
    )


def merge_documents(
    group: Sequence[tuple[Origin, Doc]], contradictions: list[Contradiction]
) -> Doc:
    """Put together what is known of one text. What contradicts itself becomes unknown.

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
                entities.setdefault(_key(ent), _renamed(copy, ent, {}))
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
    _set_complete(copy, {t: covered & ~is_open for t, covered in complete.items()})
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
        spans += [_renamed(doc, group[i], {}) for i in new]
        doc.spans[key] = SpanGroup(doc, name=key, spans=spans, attrs=attrs)


def _set_complete(doc: Doc, complete: Mapping[str, numpy.ndarray]) -> None:
    spans = [
        Span(doc, start, end, label=label)
        for label, covered in complete.items()
        for start, end in stretches(numpy.flatnonzero(covered).tolist())
    ]
    doc.spans.pop(COMPLETE_KEY, None)
    if spans:
        doc.spans[COMPLETE_KEY] = spans


def _describe(path: Path, docs: Sequence[Doc]) -> Part:
    incomplete = [doc for doc in docs if (_iob(doc) == _MISSING).any()]
    return Part(
        path,
        len(docs),
        Counter(ent.label_ for doc in docs for ent in doc.ents),
        Counter(label for doc in incomplete for label in types_complete_in(doc)),
        len(docs) - len(incomplete),
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
