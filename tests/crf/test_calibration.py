"""Calibrated probabilities."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.calibration import IDENTITY, LIMIT, Calibration

CALIBRATIONS = st.builds(
    Calibration, st.floats(0.1, 4.0), st.floats(0.1, 4.0), st.floats(-2.0, 2.0)
)
PROBABILITIES = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("odds", "calibrated"), [(1 / 16, 3 / 4), (1.0, 3.0), (16.0, 12.0)]
)
def test_log_odds_are_scaled_and_shifted(odds: float, calibrated: float) -> None:
    # Odds to the power of a slope, times those for 1/2.
    calibration = Calibration(0.5, 0.5, log(3.0))
    assert calibration(odds / (1 + odds)) == pytest.approx(
        calibrated / (1 + calibrated)
    )


def test_slopes_are_for_one_side_each() -> None:
    calibration = Calibration(2.0, 0.5)
    assert calibration(1 / 5) == pytest.approx(1 / 17)
    assert calibration(4 / 5) == pytest.approx(2 / 3)


@given(PROBABILITIES, PROBABILITIES, CALIBRATIONS)
def test_order_stays(left: float, right: float, calibration: Calibration) -> None:
    if left <= right:
        assert 0 <= calibration(left) <= calibration(right) <= 1


@given(st.floats(0.001, 0.999), CALIBRATIONS)
def test_inverse_gives_a_threshold_for_what_is_not_calibrated(
    threshold: float, calibration: Calibration
) -> None:
    least = calibration.inverse(threshold)
    if LIMIT < least < 1 - LIMIT:
        assert calibration(least) == pytest.approx(threshold)


@given(PROBABILITIES)
def test_identity_changes_nothing(probability: float) -> None:
    assert IDENTITY(probability) == IDENTITY.inverse(probability) == probability
