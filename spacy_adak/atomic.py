"""Files that are there as a whole or not at all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

# How names end of what is not whole yet.
NEW = ".tmp"
# What `place_beside` puts between a name and its end, as a pattern for `Path.glob`.
MARK = "." + 32 * "[0-9a-f]"


def write_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is there as a whole or not at all.

    path (Path): The file.
    write (Callable): Writes it to the path it is given.
    """
    beside = place_beside(path)
    try:
        write(beside)
        sync(beside)
        os.replace(beside, path)
    except BaseException:
        remove(beside)
        raise
    sync(path.parent)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all.

    path (Path): The file; missing parent folders are made.
    data (bytes): Its content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, lambda beside: beside.write_bytes(data))


def remove(path: Path) -> None:
    """Remove a file or folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def place_beside(path: Path, end: str = NEW) -> Path:
    """RETURNS (Path): Where to write what will be swapped in, or put what it was."""
    # A name that no other has, in this process or on another machine: a worker that
    # outlives a run that was killed must not write to what the resumed run is writing.
    return path.with_name(f"{path.name}.{uuid4().hex}{end}")


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
