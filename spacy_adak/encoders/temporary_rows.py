"""Rows of texts in a file of one process."""

import io
import mmap
import os
import tempfile
import weakref

import numpy

ROW_TYPE = numpy.dtype("<f2")


class TemporaryRows:
    """Rows in a file without a name, which is gone with the process however it ends.

    owner (int): The process that may write to it.
    """

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._end = 0
        self._places: dict[bytes, tuple[int, tuple[int, ...]]] = {}
        self._map: mmap.mmap | None = None

    def get(self, key: bytes) -> numpy.ndarray | None:
        """RETURNS (ndarray | None): (tokens, width) float16, if they are known."""
        if key not in self._places:
            return None
        offset, shape = self._places[key]
        size = numpy.prod(shape, dtype=int)
        # Mapped anew if it has grown.
        if self._map is None or len(self._map) < offset + size * ROW_TYPE.itemsize:
            self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return numpy.frombuffer(self._map, ROW_TYPE, size, offset).reshape(shape)

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Append the rows of a text.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        data = rows.astype(ROW_TYPE, copy=False).tobytes()
        # What was written in vain, on a full disk, is written over.
        self._file.seek(self._end)
        write_all(self._file, data)
        self._places[key] = self._end, rows.shape
        self._end += len(data)


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write to a file without a buffer, which may take a part and then refuse."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
