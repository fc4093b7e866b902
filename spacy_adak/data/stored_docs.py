"""spaCy's DocBin, read some documents at a time.

`DocBin` holds all of a file that it reads. Here what it unpacks goes to a temporary
file, and from there to a small `DocBin` after the other.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab
from srsly.msgpack import Unpacker

from .packed_docs import LISTS

_CHUNK = 2**20
_BATCH = 200
_LONGEST = 2**31 - 1


def read_stored(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Read a `.spacy` file, as `DocBin().from_disk(path).get_docs(vocab)` would.

    path (Path): The file.
    vocab (Vocab): The vocabulary of the documents.
    YIELDS (Doc): The documents.
    """
    with TemporaryFile() as raw:
        decompressor = zlib.decompressobj()
        with path.open("rb") as file:
            while piece := file.read(_CHUNK):
                raw.write(decompressor.decompress(piece))
        raw.write(decompressor.flush())
        if not decompressor.eof:
            raise ValueError("it ends too early")
        yield from _StoredDocs(raw).read(vocab)


class _StoredDocs:
    """The msgpack object of a DocBin, of which only small parts are in memory.

    file (IO[bytes]): A file that holds it.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        # Where the long parts are.
        self._starts: dict[str, int] = {}
        self._values: dict[str, Any] = {}
        file.seek(0)
        at = 0
        unpacker = self._unpacker(at)
        keys = unpacker.read_map_header()
        at += unpacker.tell()
        for _ in range(keys):
            unpacker = self._unpacker(at)
            key = unpacker.unpack()
            at += unpacker.tell()
            if key in ("tokens", "spaces"):
                start, size = self._find_bytes(at)
                self._starts[key] = start
                at = start + size
            elif key in LISTS:
                self._starts[key] = at
                at += self._length_of_list(at)
            else:
                unpacker = self._unpacker(at)
                self._values[key] = unpacker.unpack()
                at += unpacker.tell()

    def _unpacker(self, start: int) -> Unpacker:
        self._file.seek(start)
        return Unpacker(_Source(self._file), raw=False, max_buffer_size=_LONGEST)

    def _find_bytes(self, at: int) -> tuple[int, int]:
        """Where a piece of bytes starts, and how long it is."""
        self._file.seek(at)
        kind = self._file.read(1)
        width = {b"\xc4": 1, b"\xc5": 2, b"\xc6": 4}[kind]
        size = int.from_bytes(self._file.read(width), "big")
        return at + 1 + width, size

    def _length_of_list(self, at: int) -> int:
        unpacker = self._unpacker(at)
        for _ in range(unpacker.read_array_header()):
            unpacker.skip()
        return int(unpacker.tell())

    def read(self, vocab: Vocab) -> Iterator[Doc]:
        """YIELDS (Doc): The documents."""
        attrs = self._values["attrs"]
        lengths = np.frombuffer(self._values["lengths"], dtype="int32").tolist()
        lists = {name: self._elements(name) for name in LISTS if name in self._starts}
        strings = set(self._values["strings"])
        at = 0
        for first in range(0, len(lengths), _BATCH):
            batch = lengths[first : first + _BATCH]
            docbin = DocBin()
            docbin.attrs = attrs
            docbin.strings, strings = strings, set()
            size = sum(batch)
            tokens = self._array("tokens", "uint64", at, size, len(attrs))
            spaces = self._array("spaces", "bool", at, size, 1)
            at += size
            ends = np.cumsum(batch)[:-1]
            docbin.tokens = np.split(tokens, ends)
            docbin.spaces = np.split(spaces, ends)
            # What older versions do not have is as spaCy takes it to be.
            defaults: dict[str, Any] = {
                "cats": {},
                "flags": {},
                "span_groups": b"",
                "user_data": None,
            }
            for name, default in defaults.items():
                values = [
                    next(lists[name]) if name in lists else default for _ in batch
                ]
                setattr(docbin, name, values)
            yield from docbin.get_docs(vocab)

    def _array(
        self, name: str, dtype: str, start: int, rows: int, columns: int
    ) -> np.ndarray:
        width = np.dtype(dtype).itemsize * columns
        self._file.seek(self._starts[name] + start * width)
        data = self._file.read(rows * width)
        return np.frombuffer(data, dtype=dtype).reshape(rows, columns)

    def _elements(self, name: str) -> Iterator[Any]:
        # Others read from the same file between two elements.
        source = _Source(self._file, self._starts[name])
        unpacker = Unpacker(source, raw=False, max_buffer_size=_LONGEST)
        for _ in range(unpacker.read_array_header()):
            yield unpacker.unpack()


class _Source:
    """A file with its own position for reading.

    file (IO[bytes]): The file.
    start (int | None): Where to start; None for where it is.
    """

    def __init__(self, file: IO[bytes], start: int | None = None) -> None:
        self._file = file
        self._position = file.tell() if start is None else start

    def read(self, size: int) -> bytes:
        self._file.seek(self._position)
        data = self._file.read(size)
        self._position += len(data)
        return data
