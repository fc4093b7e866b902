"""Folders that one process at a time may hold."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def held(folder: Path, *, wait: bool) -> Iterator[bool]:
    """Hold a folder, for as long as this process lives.

    folder (Path): The folder, which is made if it is not there.
    wait (bool): Whether to wait until no other process holds it.
    YIELDS (bool): Whether it is held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield _lock(descriptor, wait)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, wait: bool) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
