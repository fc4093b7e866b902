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
from typing import IO, Any

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
_LISTS = ("cats", "flags", "span_groups", "user_data")
# As much as msgpack can hold in one piece.
_LONGEST = 2**32 - 1
_CHUNK = 2**20


def write_packed(docs: Iterable[Doc], path: Path) -> None:
    """Write a `.spacy` file, which is what `DocBin(docs=docs).to_disk` would write.

    docs (Iterable[Doc]): The documents; none of them is kept.
    path (Path): The file.
    """
    with ExitStack() as stack:
        # Beside the file: where there is room for it there is most likely for these.
        packed = _PackedDocs(
            {
                name: stack.enter_context(TemporaryFile(dir=path.parent))
                for name in ("tokens", "spaces", *_LISTS)
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

    def add(self, doc: Doc) -> None:
        """Add a document."""
        tokens = doc.to_array(self._attrs).reshape(len(doc), len(self._attrs))
        spaces = np.asarray(doc.to_array(SPACY), dtype=bool)
        self._files["tokens"].write(tokens.tobytes())
        self._files["spaces"].write(spaces.tobytes())
        self._lengths.append(len(doc))
        self._pack("cats", doc.cats)
        self._pack("flags", {"has_unknown_spaces": doc.has_unknown_spaces})
        self._pack("span_groups", doc.spans.to_bytes() if len(doc.spans) else b"")
        user_data = srsly.msgpack_dumps(doc.user_data) if doc.user_data else None
        self._pack("user_data", user_data)
        self._has_user_data |= user_data is not None
        keys = {int(key) for key in np.unique(tokens[:, self._string_columns])}
        keys -= self._keys
        self._keys |= keys
        self._strings.update(doc.vocab.strings[key] for key in keys)
        for group in doc.spans.values():
            for span in group:
                self._strings.update((span.label_, span.kb_id_, span.id_))

    def _pack(self, name: str, value: Any) -> None:
        self._files[name].write(self._packer.pack(value))

    def pieces(self, path: Path) -> Iterator[bytes]:
        """YIELDS (bytes): The msgpack object that a DocBin compresses."""
        pack = self._packer.pack
        lists = _LISTS if self._has_user_data else _LISTS[:-1]
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
