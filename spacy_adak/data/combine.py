"""Several corpora to one, and for which types each part is complete."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Errors, Warnings
from .complete_types import corpus_types, types_complete_in
from .docbin import read_docbin
from .label_names import read_maps, rename
from .origins import without_estimates
from .outputs import refuse_to_overwrite_inputs
from .packed_docs import write_packed
from .same_text import Contradiction, Origin, merge_documents
from .staging import Staging

_MISSING = 0


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
    names = read_maps(maps, inputs)
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


def _describe(path: Path, docs: Sequence[Doc]) -> Part:
    incomplete = [doc for doc in docs if (doc.to_array("ENT_IOB") == _MISSING).any()]
    return Part(
        path,
        len(docs),
        Counter(ent.label_ for doc in docs for ent in doc.ents),
        Counter(label for doc in incomplete for label in types_complete_in(doc)),
        len(docs) - len(incomplete),
    )
