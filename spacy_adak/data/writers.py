"""Documents to files of every format, one document at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc

from .conll import write_conll
from .doccano import to_doccano
from .formats import Target
from .label_studio import label_studio_pieces
from .packed_docs import write_packed
from .prodigy import to_prodigy
from .sentences import TagScheme
from .spans_jsonl import to_spans_jsonl


@dataclass(frozen=True)
class Writing:
    """How files are written; see `convert`."""

    tag_scheme: TagScheme
    text_key: str
    incorrect_spans_key: str


def write_docs(
    docs: Iterable[Doc], path: Path, target_format: Target, writing: Writing
) -> None:
    """Write a file.

    docs (Iterable[Doc]): The documents; none of them is kept.
    path (Path): The file.
    target_format (str): Its format.
    writing (Writing): How to write it.
    """
    if target_format == "spacy":
        write_packed(docs, path)
        return
    with path.open("w", encoding="utf8", newline="\n") as file:
        if target_format == "conll":
            write_conll(docs, file, writing.tag_scheme)
        else:
            file.writelines(_pieces(docs, target_format, writing))


def _pieces(
    docs: Iterable[Doc], target_format: Target, writing: Writing
) -> Iterator[str]:
    if target_format == "label-studio":
        yield from label_studio_pieces(docs, writing.text_key)
        return
    for doc in docs:
        if target_format == "spans":
            key = writing.incorrect_spans_key
            yield to_spans_jsonl([doc], writing.text_key, key)
        elif target_format == "prodigy":
            key = writing.incorrect_spans_key
            yield to_prodigy([doc], writing.text_key, key)
        else:
            yield to_doccano([doc], writing.text_key)
