"""A disk that fills up after some bytes, or at some write."""

import builtins
import errno
import io
import os
import pathlib
import shutil
from pathlib import Path
from typing import Any

import pytest


class Disk:
    """Room for what this process writes below a folder. Half of what finds no room is
    written, as on a real disk. Removing files makes no room: others take it.

    folder (Path): The folder.
    room (float): For how many bytes.
    writes (float): For how many calls.
    """

    def __init__(
        self, folder: Path, room: float = float("inf"), writes: float = float("inf")
    ) -> None:
        self.folder = folder
        self.room = room
        self.writes = writes
        self.bytes_written = 0
        self.writes_done = 0

    def take(self, size: int) -> int:
        """RETURNS (int): How many bytes can be written."""
        if self.writes_done >= self.writes or self.bytes_written >= self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.writes_done += 1
        size = int(min(size, self.room - self.bytes_written))
        self.bytes_written += size
        return size

    def patch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have all files that Python opens for writing take their room here."""
        original = io.open

        def limited_open(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if not set("wax+") & set(mode) or not self._is_here(file):
                return original(file, mode, *args, **kwargs)
            return self._open(file, mode, *args, **kwargs)

        monkeypatch.setattr(io, "open", limited_open)
        monkeypatch.setattr(builtins, "open", limited_open)
        if hasattr(pathlib, "_NormalAccessor"):  # Python 3.10
            monkeypatch.setattr(
                pathlib._NormalAccessor, "open", staticmethod(limited_open)
            )
        # It would copy without writing.
        monkeypatch.setattr(shutil, "_USE_CP_SENDFILE", False)

    def _is_here(self, file: Any) -> bool:
        return isinstance(file, str | os.PathLike) and Path(
            file
        ).absolute().is_relative_to(self.folder)

    def _open(
        self,
        file: Any,
        mode: str,
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        **kwargs: Any,
    ) -> Any:
        disk = self

        class File(io.FileIO):
            def write(self, data: Any) -> int:
                view = memoryview(data).cast("B")
                return super().write(view[: disk.take(len(view))]) if len(view) else 0

        raw = File(file, mode.replace("b", "").replace("t", ""), **kwargs)
        if buffering == 0:
            return raw
        buffered = io.BufferedWriter(raw)
        if "b" in mode:
            return buffered
        return io.TextIOWrapper(
            buffered, encoding, errors, newline, line_buffering=buffering == 1
        )
