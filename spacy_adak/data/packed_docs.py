"""spaCy's DocBin, written document by document.

`DocBin` holds all documents until it is written, 15 kB for a sentence. Here what they
have in them goes to temporary files, and from there into one file that `DocBin` reads.
"""

import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np
import srsly
from spacy.attrs import (
    DEP,
    ENT_ID,
    ENT_KB_ID,
    ENT_TYPE,
    LEMMA,
    MORPH,
    NORM,
    ORTH,
    SPACY,
    TAG,
)
from spacy.tokens import Doc, DocBin
from srsly.msgpack import Packer

from ..errors import Errors

_STRING_ATTRS = (ORTH, TAG, LEMMA, NORM, MORPH, DEP, ENT_TYPE, ENT_KB_ID, ENT_ID)
LISTS = ("cats", "flags", "span_groups", "user_data")
# As much as msgpack can hold in one piece.
_LONGEST = 2**32 - 1
_CHUNK = 2**20
_BATCH = 200


def write_packed(docs: Iterable[Doc], path: Path) -> None:
    """Write a `.spacy` file, which is what `DocBin(docs=docs).to_disk` would write.

    docs (Iterable[Doc]): The documents, all of one vocabulary; few of them are kept at
        a time.
    path (Path): The file.
    """
    with ExitStack() as stack:
        # In the folder of the file, whose disk has to have room anyway.
        packed = _PackedDocs(
            {
                name: stack.enter_context(TemporaryFile(dir=path.parent))
                for name in ("tokens", "spaces", *LISTS)
            }
        )
        for doc in docs:
            packed.add(doc)
        with path.open("wb") as file:
            compressor = zlib.compressobj()
            for piece in packed.pieces(path):
                file.write(compressor.compress(piece))
            file.write(compressor.flush())


class _PackedDocs:
    """What documents have in them, in the form a DocBin has it.

    files (dict[str, IO[bytes]]): Where it is put, by its name in the DocBin.
    """

    def __init__(self, files: dict[str, IO[bytes]]) -> None:
        self._files = files
        # Which attributes there are, and in which order, is for spaCy to say.
        empty = DocBin()
        self._version = empty.version
        self._attrs: list[int | str] = list(empty.attrs)
        self._string_columns = [self._attrs.index(attr) for attr in _STRING_ATTRS]
        self._lengths = array("i")
        self._keys: set[int] = set()
        self._strings: set[str] = set()
        self._packer = Packer(use_bin_type=True)
        self._has_user_data = False
        self._batch: list[Doc] = []

    def add(self, doc: Doc) -> None:
        """Add a document."""
        self._batch.append(doc)
        if len(self._batch) == _BATCH:
            self._store()

    def _store(self) -> None:
        """Write down what the documents of a batch have in them. For many at once that
        takes half of the time."""
        docs, self._batch = self._batch, []
        if not docs:
            return
        rows = [doc.to_array([*self._attrs, SPACY]) for doc in docs]
        tokens = np.vstack(rows)
        self._files["tokens"].write(tokens[:, :-1].tobytes())
        self._files["spaces"].write(tokens[:, -1].astype(bool).tobytes())
        self._lengths.extend(len(doc) for doc in docs)
        self._add_strings(docs, tokens)
        pack = self._packer.pack
        packed = {
            "cats": [pack(doc.cats) for doc in docs],
            "flags": [
                pack({"has_unknown_spaces": doc.has_unknown_spaces}) for doc in docs
            ],
            "span_groups": [
                pack(doc.spans.to_bytes() if len(doc.spans) else b"") for doc in docs
            ],
            "user_data": [
                pack(srsly.msgpack_dumps(doc.user_data) if doc.user_data else None)
                for doc in docs
            ],
        }
        for name, values in packed.items():
            self._files[name].write(b"".join(values))
        self._has_user_data |= any(doc.user_data for doc in docs)

    def _add_strings(self, docs: list[Doc], tokens: np.ndarray) -> None:
        strings = docs[0].vocab.strings
        keys = set(np.unique(tokens[:, self._string_columns]).tolist()) - self._keys
        self._keys |= keys
        self._strings.update(strings[key] for key in keys)
        for doc in docs:
            for group in doc.spans.values() if len(doc.spans) else ():
                for span in group:
                    self._strings.update((span.label_, span.kb_id_, span.id_))

    def pieces(self, path: Path) -> Iterator[bytes]:
        """YIELDS (bytes): The msgpack object that a DocBin compresses."""
        self._store()
        pack = self._packer.pack
        lists = LISTS if self._has_user_data else LISTS[:-1]
        yield self._packer.pack_map_header(6 + len(lists))
        yield pack("version") + pack(self._version)
        yield pack("attrs") + pack(self._attrs)
        for name in ("tokens", "spaces"):
            size = self._files[name].tell()
            if size > _LONGEST:
                raise ValueError(
                    Errors.A325.format(path=path, count=sum(self._lengths))
                )
            yield pack(name) + b"\xc6" + size.to_bytes(4, "big")
            yield from self._stored(name)
        lengths = np.array(self._lengths, dtype="int32").tobytes()
        yield pack("lengths") + pack(lengths)
        yield pack("strings") + pack(sorted(self._strings))
        for name in lists:
            yield pack(name) + self._packer.pack_array_header(len(self._lengths))
            yield from self._stored(name)

    def _stored(self, name: str) -> Iterator[bytes]:
        file = self._files[name]
        file.seek(0)
        while piece := file.read(_CHUNK):
            yield piece
