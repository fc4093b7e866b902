"""Rows that an encoder gave for texts, kept so that it need not run again for them."""

import os

import numpy

from .temporary_rows import TemporaryRows


class RememberedRows:
    """Rows by text: in memory up to a limit, the others in a temporary file.

    memory_limit (int): In bytes.
    """

    def __init__(self, memory_limit: int) -> None:
        self._in_memory: dict[bytes, numpy.ndarray] = {}
        self._bytes_left = memory_limit
        self._on_disk: list[TemporaryRows] = []

    def get(self, key: bytes) -> numpy.ndarray | None:
        """RETURNS (ndarray | None): (tokens, width) float16, if they are known."""
        rows = self._in_memory.get(key)
        for file in self._on_disk:
            rows = file.get(key) if rows is None else rows
        return rows

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Remember the rows of a text.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        if not self._on_disk and rows.nbytes <= self._bytes_left:
            self._bytes_left -= rows.nbytes
            self._in_memory[key] = rows
            return
        # A forked process must not write where its parent does.
        if not self._on_disk or self._on_disk[-1].owner != os.getpid():
            self._on_disk.append(TemporaryRows())
        self._on_disk[-1].add(key, rows)


class RecentRows:
    """Rows of the texts that came last, in memory: at least half of what the limit has
    room for, and never more. Several threads may use it.

    memory_limit (int): In bytes.
    """

    def __init__(self, memory_limit: int) -> None:
        self._half = memory_limit // 2
        self._newer: dict[bytes, numpy.ndarray] = {}
        self._older: dict[bytes, numpy.ndarray] = {}
        self._bytes = 0

    def get(self, key: bytes) -> numpy.ndarray | None:
        """RETURNS (ndarray | None): (tokens, width) float16, if they are known."""
        rows = self._newer.get(key)
        return self._older.get(key) if rows is None else rows

    def add(self, key: bytes, rows: numpy.ndarray) -> None:
        """Remember the rows of a text for a while.

        key (bytes): Tells the text from all others.
        rows (ndarray): (tokens, width) float16.
        """
        if rows.nbytes > self._half:
            return
        if self._bytes + rows.nbytes > self._half:
            self._older, self._newer, self._bytes = self._newer, {}, 0
        self._newer[key] = rows
        self._bytes += rows.nbytes
