"""What a run leaves on disk survives a crash at any moment.

Everything is written beside its place, synced, and then swapped in by a rename. So a
file or folder that is there is whole, and a run goes on by doing what is not there yet.
"""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import srsly

from ..errors import Errors

_BESIDE = ".tmp"
_LOCK = ".lock"


def sync(path: Path) -> None:
    """Force a file, or a folder with all that is in it, to disk."""
    paths = [path, *path.rglob("*")] if path.is_dir() else [path]
    for each in [*paths, path.parent]:
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is there as a whole or not at all.

    path (Path): The file.
    write (Callable): Writes it to the path it is given.
    """
    beside = path.with_name(path.name + _BESIDE)
    write(beside)
    sync(beside)
    os.replace(beside, path)
    sync(path)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder so that it is there as a whole or not at all.

    path (Path): The folder; one that is there is replaced.
    YIELDS (Path): Where to put what will be in it.
    """
    beside = path.with_name(path.name + _BESIDE)
    if beside.exists():
        shutil.rmtree(beside)
    beside.mkdir(parents=True)
    yield beside
    sync(beside)
    replaced = path.with_name(path.name + ".old")
    if path.exists():
        # Folders can't be swapped in one step. A crash between the two renames
        # leaves the old folder under a name that `recover_folder` knows.
        if replaced.exists():
            shutil.rmtree(replaced)
        os.replace(path, replaced)
    os.replace(beside, path)
    sync(path)
    shutil.rmtree(replaced, ignore_errors=True)


def recover_folder(path: Path) -> None:
    """Put back a folder whose replacement was cut short."""
    replaced = path.with_name(path.name + ".old")
    if replaced.exists() and not path.exists():
        os.replace(replaced, path)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, for as long as this process lives.

    folder (Path): The folder.
    """
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(Errors.A202.format(path=folder)) from None
        yield


def write_json(path: Path, data: Any) -> None:
    """Write JSON so that it is there as a whole or not at all."""
    write_file(path, lambda beside: srsly.write_json(beside, data))


def write_jsonl(path: Path, rows: Sequence[Any]) -> None:
    """Write lines of JSON so that they are there as a whole or not at all."""
    write_file(path, lambda beside: srsly.write_jsonl(beside, rows))
