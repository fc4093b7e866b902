"""Checkpoints of a run, which survive a crash at any moment.

Everything is written under a temporary name, synced, and then renamed. So every file or
folder that exists is complete, and a resumed run does what does not exist yet.
"""

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import srsly

from ..atomic import (
    FULL,
    MARK,
    NEW,
    place_beside,
    remove,
    sync,
    take_back,
    write_file,
)
from ..errors import Errors

_REPLACED = ".old"
# It stays, and what is written in it tells that a folder is that of a run.
_LOCK = ".adak.lock"
_CLAIM = "The folder of a run of `adak train`\n"
_WORKERS = ".adak.workers.lock"
_SECONDS_TO_WAIT_FOR_WORKERS = 60.0
_SECONDS_BETWEEN_LOOKS = 0.1
_CANT_WRITE = {
    errno.EACCES,
    errno.EEXIST,
    errno.EIO,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


def write_json(path: Path, data: Any) -> None:
    """Write JSON so that the file is complete or does not exist."""
    write_file(path, lambda beside: srsly.write_json(beside, data))


def write_jsonl(path: Path, rows: Sequence[Any]) -> None:
    """Write lines of JSON so that the file is complete or does not exist."""
    write_file(path, lambda beside: srsly.write_jsonl(beside, rows))


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Where a file of a run can't be read, raise an error that says which one is to
    blame.

    path (Path): The file.
    """
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # other values than were written are of any make
        why = f"{type(error).__name__}: {error}"
        raise ValueError(Errors.A229.format(path=path, error=why)) from error


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Fill a folder so that it is complete or does not exist.

    path (Path): The folder; one that is there is replaced.
    YIELDS (Path): Where to put what will be in it.
    """
    beside = place_beside(path)
    replaced = place_beside(path, _REPLACED)
    try:
        beside.mkdir(parents=True)
        yield beside
        for each in [*beside.rglob("*"), beside]:
            sync(each)
        # Folders can't be swapped in one step. A crash between the two renames leaves
        # the old folder under a name that `recover` knows.
        if path.exists():
            os.replace(path, replaced)
        os.replace(beside, path)
    except BaseException as error:
        take_back(beside, error)
        raise
    sync(path.parent)
    remove(replaced)


def recover(folder: Path, names: Iterable[str]) -> None:
    """Clear away what a run that was killed has left half done.

    folder (Path): The folder of the run, which no other run may be at work in.
    names (Iterable[str]): Folders in it that are the run's own, as patterns.
    """
    for where in ("", *(f"{name}/**/" for name in names)):
        for new in folder.glob(f"{where}*{MARK}{NEW}"):
            remove(new)
    for replaced in folder.glob(f"*{MARK}{_REPLACED}"):
        place = replaced.with_suffix("").with_suffix("")
        if place.exists():
            remove(replaced)
        else:
            os.replace(replaced, place)


def refuse_to_overwrite(folder: Path, names: Iterable[str]) -> None:
    """Raise an error if a folder that no run has claimed has files where a run would
    put some, or if something else is in its place.

    folder (Path): The folder.
    names (Iterable[str]): What a run may overwrite or remove, as patterns.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise ValueError(Errors.A237.format(path=folder))
    lock = folder / _LOCK
    if lock.exists() and lock.read_text(encoding="utf8"):
        return
    for name in names:
        for path in sorted(folder.glob(name)):
            raise ValueError(Errors.A222.format(path=path))


def claim(folder: Path) -> None:
    """Mark a folder as that of a run, so that the next run may replace its files."""
    (folder / _LOCK).write_text(_CLAIM, encoding="utf8")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, for as long as this process lives. Workers of a
    run that was killed may outlive it for a moment, so wait until they have ended.

    folder (Path): The folder.
    """
    with (folder / _LOCK).open("a") as lock:
        if not _can_lock(lock):
            raise ValueError(Errors.A202.format(path=folder))
        with (folder / _WORKERS).open("a") as workers:
            deadline = time.monotonic() + _SECONDS_TO_WAIT_FOR_WORKERS
            while not _can_lock(workers):
                if time.monotonic() > deadline:
                    raise ValueError(Errors.A228.format(path=folder))
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            # A worker that had not begun is turned away from now on.
            workers.truncate(0)
            workers.write(uuid4().hex)
        yield


def present_run(folder: Path) -> str:
    """RETURNS (str): What tells a run from the others before and after it in its
    folder: it begins or goes on whenever the folder is locked."""
    workers = folder / _WORKERS
    return workers.read_text(encoding="utf8") if workers.exists() else ""


def _can_lock(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class RunEndedError(Exception):
    """The run that a worker is of is no longer that of the folder."""


@contextmanager
def at_work(folder: Path, run: str) -> Iterator[None]:
    """Keep the next run out of a folder while a worker of this one writes to it.

    folder (Path): The folder.
    run (str): The run that the worker is of; see `present_run`. If it was killed and
        the next one has begun, there is an error.
    """
    # To be read: a network file system gives no shared lock otherwise.
    with (folder / _WORKERS).open("a+") as workers:
        fcntl.flock(workers, fcntl.LOCK_SH)
        workers.seek(0)
        if workers.read() != run:
            raise RunEndedError
        yield


@contextmanager
def explained_write_errors(
    folder: Path, is_begun: Callable[[], bool]
) -> Iterator[None]:
    """Explain what a full disk or a folder that can't be written to means for a run.

    folder (Path): The folder of the run.
    is_begun (Callable): Tells whether there is a run to go on with.
    """
    try:
        yield
    except OSError as error:
        if not is_write_error(error, folder):
            raise
        message = Errors.A205 if is_begun() else Errors.A227
        raise OSError(message.format(path=folder, error=error)) from error


def is_write_error(error: OSError, folder: Path) -> bool:
    """RETURNS (bool): Whether an error comes of a full disk, or of writing to a folder
    or below it."""
    if error.errno in FULL:
        return True
    if error.errno not in _CANT_WRITE:
        return False
    if not isinstance(error.filename, str | os.PathLike):
        return True
    path = Path(error.filename).absolute()
    return path.is_relative_to(folder) or folder.is_relative_to(path)
