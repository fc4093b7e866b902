"""Whether entities are right as often as their probabilities say."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy

from ..recall.intervals import Interval, share

BINS = 10


class Pair(NamedTuple):
    """An entity that was found where the truth is known.

    probability (float): How probable it was said to be.
    is_right (bool): Whether it is one, with these bounds and this type.
    label (str): Its type.
    """

    probability: float
    is_right: bool
    label: str


class Bin(NamedTuple):
    """Entities of about the same probability.

    size (int): How many.
    mean_probability (float): How probable they were said to be.
    right (Interval): The share of them that is right.
    """

    size: int
    mean_probability: float
    right: Interval


class Reliability(NamedTuple):
    """How far probabilities can be believed.

    size (int): How many entities it rests on.
    expected_calibration_error (float): The mean distance, over all entities, between
        the probability of a bin and the share in it that is right.
    brier_score (float): The mean squared distance between probability and truth.
    bins (list[Bin]): Bins of equal width that are not empty.
    """

    size: int
    expected_calibration_error: float
    brier_score: float
    bins: list[Bin]


def measure_reliability(pairs: Iterable[Pair]) -> Reliability | None:
    """Compare probabilities with the truth.

    pairs (Iterable[Pair]): Entities that were found where the truth is known.
    RETURNS (Reliability | None): How far they agree; None without any entity.
    """
    pairs = list(pairs)
    if not pairs:
        return None
    probabilities = numpy.array([pair.probability for pair in pairs])
    right = numpy.array([pair.is_right for pair in pairs], dtype=float)
    numbers = numpy.minimum((probabilities * BINS).astype(int), BINS - 1)
    bins = []
    for number in range(BINS):
        inside = numbers == number
        if inside.any():
            size = int(inside.sum())
            mean = float(probabilities[inside].mean())
            bins.append(Bin(size, mean, share(int(right[inside].sum()), size)))
    errors = [b.size * abs(b.mean_probability - b.right.value) for b in bins]
    return Reliability(
        size=len(pairs),
        expected_calibration_error=sum(errors) / len(pairs),
        brier_score=float(((probabilities - right) ** 2).mean()),
        bins=bins,
    )
