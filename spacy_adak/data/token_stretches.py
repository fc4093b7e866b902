"""Tokens that follow one another."""

from collections.abc import Iterable, Iterator
from itertools import groupby


def stretches(indices: Iterable[int]) -> Iterator[tuple[int, int]]:
    """YIELDS (tuple[int, int]): The start and end of each stretch of successive numbers
    among some."""
    ordered = sorted(indices)
    for _, group in groupby(enumerate(ordered), key=lambda pair: pair[1] - pair[0]):
        stretch = [index for _, index in group]
        yield stretch[0], stretch[-1] + 1
