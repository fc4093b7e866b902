"""Rows to be remembered, and disks that have no room for them."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import numpy

ROWS = numpy.arange(12, dtype="float16").reshape(3, 4)


def key(number: int) -> bytes:
    return number.to_bytes(16, "little")


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """Files can't grow beyond a size in bytes: what fits of a write is written."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
