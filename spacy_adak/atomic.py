"""Files that are complete or do not exist."""

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from .errors import Errors

# How names end of what is not whole yet.
NEW = ".tmp"
# What `place_beside` puts between a name and its end, as a pattern for `Path.glob`.
MARK = "." + 32 * "[0-9a-f]"
# What writing to a full disk ends with, and reading never does.
FULL = (errno.EDQUOT, errno.ENOSPC)
# Where there is no room for as little as this, nothing can be done.
_PROBE = bytes(2**16)


def write_file(path: Path, write: Callable[[Path], Any]) -> None:
    """Write a file so that it is complete or does not exist.

    path (Path): The file, or a link to it.
    write (Callable): Writes it to the path it is given.
    """
    path = follow_links(path)
    beside = place_beside(path)
    try:
        write(beside)
        sync(beside)
        put_in_place(beside, path)
    except BaseException as error:
        take_back(beside, error)
        raise
    sync(path.parent)


def put_in_place(beside: Path, path: Path) -> None:
    """Let a whole file take the place of another, and keep who may read and write it.

    beside (Path): What is written.
    path (Path): The file, which need not exist.
    """
    if path.exists():
        shutil.copymode(path, beside)
    os.replace(beside, path)


def take_back(beside: Path, error: BaseException) -> None:
    """Remove what could not be written as a whole. A full disk is told from a bug here,
    before there is room again: not every library says what its writing has met with.

    beside (Path): What is half written.
    error (BaseException): What has happened.
    """
    full = full_disk_behind(error, beside.parent)
    remove(beside)
    if full is not None:
        raise full from error


def full_disk_behind(error: BaseException | None, folder: Path) -> OSError | None:
    """Check whether an error that doesn't name a folder was caused by its full disk.

    error (BaseException | None): What has happened.
    folder (Path): Where something was being written. Temporary files are elsewhere.
    RETURNS (OSError | None): An error that names the folder, if its disk is full.
    """
    if not isinstance(error, Exception) or getattr(error, "filename", None) is not None:
        return None
    if getattr(error, "errno", None) not in (None, *FULL):
        return None
    return _full_disk(folder) or _full_disk(Path(tempfile.gettempdir()))


def _full_disk(folder: Path) -> OSError | None:
    """What a small file meets with in a folder, if the disk is full."""
    probe = place_beside(folder / "probe")
    try:
        try:
            probe.write_bytes(_PROBE)
            sync(probe)
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        if error.errno in FULL:
            return OSError(error.errno, error.strerror, str(folder))
    return None


def copy_folder(source: Path, target: Path) -> None:
    """Copy what is in a folder. Unlike `shutil.copytree` this stops at the first error,
    and says which it is.

    source (Path): The folder.
    target (Path): Another one, which is there.
    """
    for path in sorted(source.iterdir()):
        if path.is_dir():
            (target / path.name).mkdir()
            copy_folder(path, target / path.name)
        else:
            shutil.copy2(path, target)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file so that it is complete or does not exist.

    path (Path): The file; missing parent folders are made.
    data (bytes): Its content.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, lambda beside: beside.write_bytes(data))


def remove(path: Path) -> None:
    """Remove a file or folder, if it exists."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def follow_links(path: Path) -> Path:
    """Find the file that a path leads to. It is replaced when it is written: a link
    would become a file and stop being one, and so would a pipe or a device.

    path (Path): The path, which need not exist.
    RETURNS (Path): The same, or where it leads if it is a link.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise ValueError(Errors.A509.format(path=path))
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target if path.is_symlink() else path


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
