"""`.spacy` files: spaCy's DocBin, which keeps what is known about each token."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..atomic import write_bytes
from ..errors import Errors
from .annotated_text import Unlabelled
from .stored_docs import read_stored


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
    docs = read_stored(path, vocab)
    while True:
        try:
            doc = next(docs, None)
        except Exception as error:  # zlib, msgpack and spaCy each have their own
            raise ValueError(Errors.A308.format(path=path, error=error)) from error
        if doc is None:
            return
        if unlabelled is not None:
            doc.set_ents(list(doc.ents), default=unlabelled)
        yield doc


@contextmanager
def unreadable_file_named(path: Path) -> Iterator[None]:
    """Where spaCy can't read data, raise an error that says which file is to blame.

    path (Path): A `.spacy` file, or a directory of them.
    """
    try:
        yield
    except Exception:
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        for file in files:
            if file.suffix == ".spacy":
                next(read_docbin(file, Vocab()), None)
        raise


def make_docbin(docs: Sequence[Doc]) -> DocBin:
    """RETURNS (DocBin): Documents with their custom data, which takes long to store
    and so is left out where there is none."""
    return DocBin(docs=docs, store_user_data=any(doc.user_data for doc in docs))


def write_docbin(path: Path, docs: Sequence[Doc]) -> None:
    """Write a `.spacy` file.

    path (Path): The file.
    docs (Sequence[Doc]): The documents.
    """
    write_bytes(path, make_docbin(docs).to_bytes())
