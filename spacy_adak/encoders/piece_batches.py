"""Which windows a transformer reads together."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

# As many pieces keep a CPU busy, and are few enough for its cache.
PIECES_PER_BATCH = 256
_LENGTH_STEP = 8


class Batch(NamedTuple):
    """Windows of similar length.

    windows (list[int]): Their numbers.
    length (int): What each is padded to.
    size (int): How many rows the batch has, the last ones being there to fill it.
    """

    windows: list[int]
    length: int
    size: int


def batches(lengths: Sequence[int], alike: bool) -> Iterator[Batch]:
    """Put windows of similar length into batches.

    lengths (Sequence[int]): How many pieces each window has.
    alike (bool): Whether all windows of a length are read in batches of the same
        shape. The last bits of a sum depend on the shape in which it is computed, but
        not on what else is in a batch.
    YIELDS (Batch): The batches.
    """
    yield from _of_one_shape(lengths) if alike else _with_little_padding(lengths)


def _of_one_shape(lengths: Sequence[int]) -> Iterator[Batch]:
    def padded(window: int) -> int:
        return -(-lengths[window] // _LENGTH_STEP) * _LENGTH_STEP

    for length, group in groupby(sorted(range(len(lengths)), key=padded), key=padded):
        size = max(1, PIECES_PER_BATCH // length)
        while windows := list(islice(group, size)):
            yield Batch(windows, length, size)


def _with_little_padding(lengths: Sequence[int]) -> Iterator[Batch]:
    order = sorted(range(len(lengths)), key=lambda window: lengths[window])
    while order:
        length = lengths[order[-1]]
        size = min(len(order), max(1, PIECES_PER_BATCH // length))
        yield Batch(order[-size:], length, size)
        del order[-size:]
