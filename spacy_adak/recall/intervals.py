"""Shares with intervals: of independent trials, and of what is counted in texts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy
from numpy.typing import ArrayLike
from scipy.stats import binomtest, bootstrap, norm

CONFIDENCE = 0.95
# Half the width of an interval, in standard errors.
_STANDARD_ERRORS = float(norm.ppf((1 + CONFIDENCE) / 2))
RESAMPLES = 999
# How many numbers a bootstrap holds in memory at a time.
_NUMBERS_AT_A_TIME = 4_000_000


class Interval(NamedTuple):
    """An estimate, and the 95 % interval it lies in.

    value (float): The estimate.
    low (float): The lower end.
    high (float): The upper end.
    """

    value: float
    low: float
    high: float

    @property
    def width(self) -> float:
        """RETURNS (float): How far its ends are apart."""
        return self.high - self.low

    @property
    def variance(self) -> float:
        """RETURNS (float): The variance of a normal distribution with this interval."""
        return (self.width / (2 * _STANDARD_ERRORS)) ** 2

    @property
    def deviations(self) -> tuple[float, float]:
        """RETURNS (tuple[float, float]): The standard errors below and above."""
        below, above = self.value - self.low, self.high - self.value
        return below / _STANDARD_ERRORS, above / _STANDARD_ERRORS

    def within(self, low: float, high: float) -> "Interval":
        """RETURNS (Interval): The same with all three numbers kept within bounds."""
        return Interval(*(min(max(number, low), high) for number in self))

    def widened_by(self, standard_error: float) -> "Interval":
        """Add an independent error of another kind to what the interval allows for.

        standard_error (float): Of the other error.
        RETURNS (Interval): The wider interval.
        """
        other = (_STANDARD_ERRORS * standard_error) ** 2
        low = self.value - (((self.value - self.low) ** 2 + other) ** 0.5)
        high = self.value + (((self.high - self.value) ** 2 + other) ** 0.5)
        return Interval(self.value, low, high)

    def agrees_with(self, other: "Interval") -> bool:
        """RETURNS (bool): Whether the two may be estimates of the same number."""
        error = (self.variance + other.variance) ** 0.5
        return abs(self.value - other.value) <= _STANDARD_ERRORS * error

    def describe(self) -> str:
        """RETURNS (str): The numbers for people, such as "0.31 (0.27 to 0.35)"."""
        return f"{self.value:.2f} ({self.low:.2f} to {self.high:.2f})"


def share(hits: int, trials: int) -> Interval:
    """The share of independent trials that are hits, with Wilson's interval.

    hits (int): How many are.
    trials (int): How many there are, at least one.
    RETURNS (Interval): The share.
    """
    low, high = binomtest(hits, trials).proportion_ci(CONFIDENCE, method="wilson")
    return Interval(hits / trials, float(low), float(high))


def ratio_by_text(numerators: ArrayLike, denominators: ArrayLike) -> Interval:
    """A ratio of two sums over texts, with the interval of a bootstrap by text: what
    is in the same text is not independent.

    numerators (ArrayLike): What each text adds to the numerator.
    denominators (ArrayLike): What each text adds to the denominator.
    RETURNS (Interval): The ratio. Where all texts agree that it is 0 or 1, a bootstrap
        finds no other value, and the interval is Wilson's for the number of texts.
    """
    above, below = numpy.asarray(numerators), numpy.asarray(denominators)
    counted = below > 0
    if not above.any() or (above == below).all():
        texts = max(int(counted.sum()), 1)
        return share(texts if above.any() else 0, texts)
    value = float(above.sum() / below.sum())
    return interval(value, resample_ratio(above, below))


def resample_ratio(
    numerators: ArrayLike, denominators: ArrayLike, seed: int = 0
) -> numpy.ndarray:
    """Compute a ratio of two sums over texts for texts drawn again and again.

    numerators (ArrayLike): What each text adds to the numerator.
    denominators (ArrayLike): What each text adds to the denominator.
    seed (int): See `resample`.
    RETURNS (ndarray): The ratios.
    """
    return resample((numerators, denominators), _ratio, seed)


def resample(
    per_text: Sequence[ArrayLike], statistic: Callable[..., numpy.ndarray], seed: int
) -> numpy.ndarray:
    """Compute a statistic for texts drawn again and again, as a bootstrap does.

    per_text (Sequence[ArrayLike]): Numbers of each text.
    statistic (Callable): Of these, along `axis`.
    seed (int): Of the draws. Equal seeds draw the same texts.
    RETURNS (ndarray): The values. Those of independent samples, drawn with different
        seeds, can be combined one by one.
    """
    arrays = [numpy.asarray(numbers, dtype=float) for numbers in per_text]
    if len(arrays[0]) < 2:
        return numpy.full(RESAMPLES, statistic(*arrays, axis=-1))
    result = bootstrap(
        arrays,
        statistic,
        n_resamples=RESAMPLES,
        batch=max(1, _NUMBERS_AT_A_TIME // len(arrays[0])),
        vectorized=True,
        paired=True,
        method="percentile",
        rng=numpy.random.default_rng(seed),
    )
    return result.bootstrap_distribution


def interval(value: float, resampled: numpy.ndarray) -> Interval:
    """RETURNS (Interval): An estimate with the quantiles of what resampling gives."""
    outside = (1 - CONFIDENCE) / 2
    low, high = numpy.quantile(resampled, (outside, 1 - outside))
    return Interval(value, float(low), float(high))


def _ratio(above: numpy.ndarray, below: numpy.ndarray, axis: int = -1) -> numpy.ndarray:
    # By chance only texts without any may be drawn.
    total = below.sum(axis)
    return above.sum(axis) / numpy.where(total > 0, total, 1)
