"""Calibration: probabilities that match how often a model is right."""

from math import exp, log
from typing import NamedTuple

# Beyond this models differ by rounding.
LIMIT = 1e-6
# Calibrations are fitted to spans from this probability on. Many of them are not on the
# best reading: suggestions have them, too.
LEAST_FITTED = 0.005


class Calibration(NamedTuple):
    """What turns the probability p of a span into a calibrated one, by its log-odds
    log(p / (1 - p)). They are scaled and shifted, as Platt does it; where they are
    above 0 by another slope than below. The order of spans stays.

    slope_below (float): The slope for p < 1/2, above 0. Below 1, what the model finds
        improbable becomes more probable.
    slope_above (float): The slope for p > 1/2, above 0. Below 1, what the model is sure
        of becomes less sure.
    bias (float): The log-odds for p = 1/2.
    """

    slope_below: float = 1.0
    slope_above: float = 1.0
    bias: float = 0.0

    def __call__(self, probability: float) -> float:
        """RETURNS (float): The calibrated probability."""
        if self == IDENTITY:
            return probability
        value = log_odds(probability)
        slope = self.slope_above if value > 0 else self.slope_below
        return _sigmoid(slope * value + self.bias)

    def inverse(self, probability: float) -> float:
        """RETURNS (float): The probability that is calibrated to this one."""
        if self == IDENTITY:
            return probability
        value = log_odds(probability) - self.bias
        return _sigmoid(value / (self.slope_above if value > 0 else self.slope_below))


IDENTITY = Calibration()


def log_odds(probability: float) -> float:
    """RETURNS (float): log(p / (1 - p)), for a p not too near to 0 or 1."""
    inside = min(max(probability, LIMIT), 1 - LIMIT)
    return log(inside / (1 - inside))


def _sigmoid(value: float) -> float:
    # Of a large number, either way, one of the two powers is no float.
    return 1 / (1 + exp(-value)) if value > 0 else exp(value) / (1 + exp(value))
