"""The new names of labels, where several corpora become one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy
from spacy.tokens import Doc, Span, SpanGroup

from ..errors import Errors
from .complete_types import complete_tokens, set_complete_tokens

# The new names of labels, by the names they have in a file.
Names = Mapping[str, str]


class FileNames:
    """The new names of labels in a file: those given for it, and for all files."""

    def __init__(self) -> None:
        self.own: dict[str, str] = {}
        self.of_all: dict[str, str] = {}

    def unknown_to(self, types: set[str]) -> list[str]:
        """RETURNS (list[str]): The labels of its name changes that the file does not
        have.

        types (set[str]): Those it has.
        """
        return [label for label in self.own if label not in types]

    def of(self, types: set[str]) -> Names:
        """RETURNS (Names): The new names of the labels that the file has."""
        names = {**self.of_all, **self.own}
        return {label: names.get(label, label) for label in types}


def read_maps(maps: Sequence[str], inputs: Sequence[Path]) -> dict[Path, FileNames]:
    """Read what is given on the command line.

    maps (Sequence[str]): Label names to change, as "ORGANISATION=ORG" in all files or
        as "a.spacy:ORGANISATION=ORG" in one.
    inputs (Sequence[Path]): The files.
    RETURNS (dict[Path, FileNames]): The new names of labels in each file.
    """
    names = {path: FileNames() for path in inputs}
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
        set_complete_tokens(copy, complete)
    return copy


def _renamed(doc: Doc, span: Span, names: Names) -> Span:
    label = names.get(span.label_, span.label_)
    return Span(
        doc, span.start, span.end, label=label, kb_id=span.kb_id, span_id=span.id
    )
