"""The share of guesses that are right, as it is estimated."""

import pytest
from scipy.integrate import quad
from scipy.stats import binom

from spacy_adak.q.guess_precision import Tally, log_odds, updated


@pytest.mark.parametrize("right", [0, 1, 7])
@pytest.mark.parametrize("seen", [1.0, 0.3])
@pytest.mark.parametrize("noticed", [1.0, 0.2])
@pytest.mark.parametrize("prior", [0.01, 0.4])
def test_share_after_some_trials_is_by_bayes(
    right: int, seen: float, noticed: float, prior: float
) -> None:
    trials = 20

    def likelihood(share: float) -> float:
        if_noticed = float(binom.pmf(right, trials, seen * share))
        return noticed * if_noticed + (1 - noticed) * (right == 0)

    anything, _ = quad(likelihood, 0, 1)
    mean = quad(lambda share: share * likelihood(share), 0, 1)[0] / anything
    as_before = 0.9 * likelihood(prior)
    weight = as_before / (as_before + 0.1 * anything)
    expected = weight * log_odds(prior) + (1 - weight) * log_odds(mean)
    found = log_odds(updated(prior, right, trials, seen, noticed))
    assert found == pytest.approx(expected, abs=1e-4)


def test_without_trials_a_share_stays() -> None:
    assert updated(0.07, 0, 0, 0.2) == 0.07


def test_impossible_counts_give_a_share() -> None:
    # All of many guesses are annotated, though annotators mark few entities.
    assert updated(0.001, 5_000, 5_000, 0.01) == pytest.approx(0.98)


def test_nothing_is_counted_twice_of_a_part_that_is_all() -> None:
    tally = Tally().plus(True, True, 0.1).plus(False, False, 0.1)
    assert tally.precision_of_part(tally, 0.3, 0.5) == 0.3
    larger = tally.plus(True, True, 0.1)
    assert tally.precision_of_part(larger, 0.3, 0.5) == tally.precision(0.3, 0.5) != 0.3


def test_a_guess_that_is_not_annotated_is_wrong_in_complete_texts_only() -> None:
    complete = incomplete = Tally()
    for _ in range(20):
        complete = complete.plus(True, False, 0.1)
        incomplete = incomplete.plus(False, False, 0.1)
    assert complete.guesses == incomplete.guesses == 20
    assert complete.by_chance() == pytest.approx(0.1)
    assert complete.precision(0.5, 0.1) < 0.1 < incomplete.precision(0.5, 0.1)


def test_guesses_that_agree_with_chance_are_worth_nothing() -> None:
    def worth(right: int, is_complete: bool) -> float:
        tally = Tally()
        for i in range(400):
            tally = tally.plus(is_complete, i < right, 0.1)
        return tally.worth(0.5)

    assert worth(40, True) < 0.02
    assert worth(20, False) < 0.02
    assert worth(200, True) == worth(200, False) == pytest.approx(1.0)
    assert Tally().plus(True, False, 0.1).worth(0.5) < 0.1
