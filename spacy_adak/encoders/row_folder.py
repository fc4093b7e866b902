"""Rows of texts in a folder that many processes look into."""

import io
import mmap
import os
import struct
import weakref
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy

from .temporary_rows import ROW_TYPE, write_all

KEY_LENGTH = 16
# Key, offset in the file of rows, tokens, width, checksum of the rows.
_ENTRY = struct.Struct(f"<{KEY_LENGTH}sQIII")
_CHECKSUM = struct.Struct("<I")
_ENTRY_SIZE = _ENTRY.size + _CHECKSUM.size
_INDEX, _ROWS = ".index", ".rows"


class _Entry(NamedTuple):
    """Where rows are.

    file (Path): The file of rows.
    offset (int): In bytes.
    shape (tuple[int, int]): Tokens and width.
    checksum (int | None): Of the rows; none if it was found to be right.
    """

    file: Path
    offset: int
    shape: tuple[int, int]
    checksum: int | None

    @property
    def end(self) -> int:
        tokens, width = self.shape
        return self.offset + tokens * width * ROW_TYPE.itemsize


class RowFolder:
    """Rows on disk, shared between processes without locks: each process appends to
    files of its own and reads those of all.

    An entry of the index is written after its rows. What a process that was killed has
    left half written is not found, or does not fit its checksum.

    folder (Path): The folder, made when there is something to put into it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: dict[bytes, _Entry] = {}
        self._read_of_index: dict[Path, int] = {}
        self._maps: dict[Path, mmap.mmap] = {}
        self._own: tuple[io.FileIO, io.FileIO] | None = None
        self._owner = os.getpid()

    def get(self, key: bytes) -> numpy.ndarray | None:
        """RETURNS (ndarray | None): (tokens, width) float16, if they are known."""
        if key not in self._index:
            self._read_indexes()
        entry = self._index.get(key)
        if entry is None:
            return None
        if entry.checksum is not None:
            if not self._is_whole(entry):
                del self._index[key]
                return None
            self._index[key] = entry._replace(checksum=None)
        return numpy.frombuffer(self._read(entry), ROW_TYPE).reshape(entry.shape)

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Append the rows of a text, and then say where they are.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        rows_file, index_file = self._own_files()
        data = rows.astype(ROW_TYPE, copy=False).tobytes()
        try:
            offset = rows_file.seek(0, os.SEEK_END)
            write_all(rows_file, data)
            entry = _ENTRY.pack(key, offset, *rows.shape, crc32(data))
            write_all(index_file, entry + _CHECKSUM.pack(crc32(entry)))
        except BaseException:
            # Nothing would be found behind a half of an entry, as on a full disk.
            self._own = None
            rows_file.close()
            index_file.close()
            raise

    def _own_files(self) -> tuple[io.FileIO, io.FileIO]:
        # A forked process must not append where its parent does.
        if self._own is None or self._owner != os.getpid():
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{uuid4().hex}{_ROWS}"
            rows_file = path.open("ab", buffering=0)
            weakref.finalize(self, rows_file.close)
            index_file = path.with_suffix(_INDEX).open("ab", buffering=0)
            weakref.finalize(self, index_file.close)
            self._own, self._owner = (rows_file, index_file), os.getpid()
        return self._own

    def _read_indexes(self) -> None:
        for path in self._folder.glob(f"*{_INDEX}"):
            position = self._read_of_index.get(path, 0)
            if path.stat().st_size < position + _ENTRY_SIZE:
                continue
            with path.open("rb") as index:
                index.seek(position)
                data = index.read()
            whole = len(data) // _ENTRY_SIZE * _ENTRY_SIZE
            for start in range(0, whole, _ENTRY_SIZE):
                self._add_to_index(path, data[start : start + _ENTRY_SIZE])
            self._read_of_index[path] = position + whole

    def _add_to_index(self, path: Path, data: bytes) -> None:
        entry, checksum = data[: _ENTRY.size], data[_ENTRY.size :]
        if _CHECKSUM.pack(crc32(entry)) == checksum:
            key, offset, tokens, width, rows_checksum = _ENTRY.unpack(entry)
            self._index[key] = _Entry(
                path.with_suffix(_ROWS), offset, (tokens, width), rows_checksum
            )

    def _is_whole(self, entry: _Entry) -> bool:
        if not entry.file.exists() or entry.file.stat().st_size < entry.end:
            return False
        return crc32(self._read(entry)) == entry.checksum

    def _read(self, entry: _Entry) -> bytes:
        # Mapped anew if it has grown.
        if entry.file not in self._maps or len(self._maps[entry.file]) < entry.end:
            with entry.file.open("rb") as file:
                self._maps[entry.file] = mmap.mmap(
                    file.fileno(), 0, access=mmap.ACCESS_READ
                )
        return self._maps[entry.file][entry.offset : entry.end]
