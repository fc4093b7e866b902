"""Whether entities are right as often as their probabilities say."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy

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
    share_right (float): How many of them are right.
    interval (tuple[float, float]): Where that share may be, with 95 % confidence
        (Wilson).
    """

    size: int
    mean_probability: float
    share_right: float
    interval: tuple[float, float]


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
            count, share = int(inside.sum()), float(right[inside].mean())
            mean = float(probabilities[inside].mean())
            bins.append(Bin(count, mean, share, wilson_interval(share, count)))
    errors = [b.size * abs(b.mean_probability - b.share_right) for b in bins]
    return Reliability(
        size=len(pairs),
        expected_calibration_error=sum(errors) / len(pairs),
        brier_score=float(((probabilities - right) ** 2).mean()),
        bins=bins,
    )


def wilson_interval(share: float, count: int) -> tuple[float, float]:
    """RETURNS (tuple[float, float]): Where a share may be that was found by counting,
    with 95 % confidence."""
    z = 1.96
    middle = share + z**2 / (2 * count)
    reach = z * (share * (1 - share) / count + z**2 / (4 * count**2)) ** 0.5
    scale = 1 + z**2 / count
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
