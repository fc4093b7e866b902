import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.report.reliability import Pair, measure_reliability

PAIRS = st.lists(
    st.builds(Pair, st.floats(0, 1), st.booleans(), st.just("A")), min_size=1
)


@given(PAIRS)
def test_measures_are_those_of_their_definitions(pairs: list[Pair]) -> None:
    found = measure_reliability(pairs)
    assert found is not None
    squares = [(pair.probability - pair.is_right) ** 2 for pair in pairs]
    assert found.brier_score == pytest.approx(sum(squares) / len(pairs))
    error = 0.0
    for i in range(10):
        inside = [p for p in pairs if min(int(p.probability * 10), 9) == i]
        gaps = [pair.probability - pair.is_right for pair in inside]
        error += abs(sum(gaps))
    assert found.expected_calibration_error == pytest.approx(error / len(pairs))
    assert sum(one.size for one in found.bins) == found.size == len(pairs)


def test_nothing_can_be_said_of_nothing() -> None:
    assert measure_reliability([]) is None


def test_perfect_probabilities_have_no_error() -> None:
    pairs = [Pair(0.75, i % 4 != 0, "A") for i in range(400)]
    found = measure_reliability(pairs)
    assert found is not None
    assert found.expected_calibration_error == pytest.approx(0)


def test_share_that_is_right_has_an_interval() -> None:
    pairs = [Pair(0.75, i % 2 == 0, "A") for i in range(10)]
    found = measure_reliability(pairs)
    assert found is not None
    (one,) = found.bins
    # From Wilson's formula by hand.
    assert one.right == pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4)
