"""`.spacy` files: spaCy's DocBin, which keeps what is known about each token."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..atomic import write_bytes
from ..errors import Errors
from ..estimation.corpus import make_docbin
from .alignment import Unlabelled


def read_docbin(
    path: Path, vocab: Vocab, unlabelled: Unlabelled | None = None
) -> Iterator[Doc]:
    """Read a `.spacy` file.

    path (Path): The file.
    vocab (Vocab): The vocabulary of the documents.
    unlabelled (str | None): What every token outside an entity is taken to be. None
        leaves it as the file states it.
    YIELDS (Doc): The documents.
    """
    try:
        docbin = DocBin().from_disk(path)
    except Exception as error:  # zlib, msgpack and spaCy each have their own
        raise ValueError(Errors.A308.format(path=path, error=error)) from error
    for doc in docbin.get_docs(vocab):
        if unlabelled is not None:
            doc.set_ents(list(doc.ents), default=unlabelled)
        yield doc


def to_docbin(docs: Sequence[Doc]) -> bytes:
    """Write documents as a `.spacy` file.

    docs (Sequence[Doc]): The documents.
    RETURNS (bytes): The content of the file.
    """
    return make_docbin(docs).to_bytes()


def write_docbin(path: Path, docs: Sequence[Doc]) -> None:
    """Write a `.spacy` file.

    path (Path): The file.
    docs (Sequence[Doc]): The documents.
    """
    write_bytes(path, to_docbin(docs))
