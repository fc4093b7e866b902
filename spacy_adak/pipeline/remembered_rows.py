"""Rows that an encoder gave for texts, kept so that it need not run again for them."""

import mmap
import os
import shutil
import struct
import tempfile
import weakref
from pathlib import Path
from typing import BinaryIO, NamedTuple
from uuid import uuid4
from zlib import crc32

import numpy

KEY_LENGTH = 16
_DTYPE = numpy.dtype("<f2")
# Key, offset in the file of rows, tokens, width, checksum of the rows.
_ENTRY = struct.Struct(f"<{KEY_LENGTH}sQIII")
_CHECKSUM = struct.Struct("<I")
_ENTRY_SIZE = _ENTRY.size + _CHECKSUM.size
_INDEX, _ROWS = ".index", ".rows"


class RememberedRows:
    """Rows by text: in memory up to a limit, the others in a folder that is removed
    with this.

    memory_limit (int): In bytes.
    """

    def __init__(self, memory_limit: int) -> None:
        self._in_memory: dict[bytes, numpy.ndarray] = {}
        self._bytes_left = memory_limit
        self._on_disk: RowFolder | None = None

    def get(self, key: bytes) -> numpy.ndarray | None:
        """RETURNS (ndarray | None): (tokens, width) float16, if they are known."""
        rows = self._in_memory.get(key)
        if rows is None and self._on_disk is not None:
            rows = self._on_disk.get(key)
        return rows

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Remember the rows of a text.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        if self._on_disk is None and rows.nbytes <= self._bytes_left:
            self._bytes_left -= rows.nbytes
            self._in_memory[key] = rows
            return
        if self._on_disk is None:
            folder = Path(tempfile.mkdtemp(prefix="spacy-adak-rows-"))
            weakref.finalize(self, _remove, folder, os.getpid())
            self._on_disk = RowFolder(folder)
        self._on_disk.add(key, rows)


def _remove(folder: Path, process: int) -> None:
    # A process that was forked from the folder's owner has a copy of the finalizer.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def _close(*files: BinaryIO) -> None:
    for file in files:
        file.close()


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
        return self.offset + tokens * width * _DTYPE.itemsize


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
        self._own: tuple[BinaryIO, BinaryIO] | None = None
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
        return numpy.frombuffer(self._read(entry), _DTYPE).reshape(entry.shape)

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Append the rows of a text, and then say where they are.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        rows_file, index_file = self._own_files()
        data = rows.astype(_DTYPE, copy=False).tobytes()
        # What was written in vain, on a full disk, is left behind.
        offset = rows_file.seek(0, os.SEEK_END)
        rows_file.write(data)
        entry = _ENTRY.pack(key, offset, *rows.shape, crc32(data))
        index_file.write(entry + _CHECKSUM.pack(crc32(entry)))

    def _own_files(self) -> tuple[BinaryIO, BinaryIO]:
        # A forked process must not append where its parent does.
        if self._own is None or self._owner != os.getpid():
            self._folder.mkdir(parents=True, exist_ok=True)
            path = self._folder / f"{uuid4().hex}{_ROWS}"
            rows_file = path.open("ab", buffering=0)
            index_file = path.with_suffix(_INDEX).open("ab", buffering=0)
            self._own, self._owner = (rows_file, index_file), os.getpid()
            weakref.finalize(self, _close, rows_file, index_file)
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
