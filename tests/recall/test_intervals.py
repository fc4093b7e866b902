import numpy
import pytest

from spacy_adak.recall.intervals import (
    Interval,
    interval,
    ratio_by_text,
    resample_ratio,
    share,
)


def test_share_has_the_interval_of_wilson() -> None:
    # The example of scipy's own documentation of Wilson's interval is not used: this is
    # the closed formula.
    z, n, p = 1.959964, 50, 0.2
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    found = share(10, 50)
    assert found.value == 0.2
    assert found.low == pytest.approx(centre - half, abs=1e-5)
    assert found.high == pytest.approx(centre + half, abs=1e-5)


def test_interval_of_ratio_covers_the_truth_at_the_rate_it_claims() -> None:
    rng = numpy.random.default_rng(0)
    covered = 0
    for _ in range(200):
        entities = rng.poisson(2, size=150)
        hits = rng.binomial(entities, 0.3)
        found = ratio_by_text(hits, entities)
        covered += found.low <= 0.3 <= found.high
    # 95 % of 200 draws, and three standard deviations below.
    assert covered >= 180


def test_texts_that_vary_as_a_whole_make_the_interval_wider() -> None:
    entities = numpy.full(100, 10)
    spread = numpy.tile([3, 3], 50)
    in_whole_texts = numpy.tile([0, 6], 50)
    assert ratio_by_text(spread, entities).width < 1e-9
    assert ratio_by_text(in_whole_texts, entities).width > 0.1


@pytest.mark.parametrize(("hits", "value"), [(0, 0.0), (2, 1.0)])
def test_share_that_all_texts_agree_on_is_not_certain(hits: int, value: float) -> None:
    found = ratio_by_text([hits] * 10, [2] * 10)
    assert found.value == value
    assert 0.2 < found.width < 0.4


def test_equal_seeds_draw_the_same_texts_and_others_do_not() -> None:
    hits, entities = [0, 1, 2, 3, 4], [4, 4, 4, 4, 4]
    first = resample_ratio(hits, entities, seed=1)
    assert (first == resample_ratio(hits, entities, seed=1)).all()
    assert (first != resample_ratio(hits, entities, seed=2)).any()


def test_single_text_has_a_ratio() -> None:
    assert set(resample_ratio([1], [4])) == {0.25}


def test_interval_takes_the_quantiles_of_what_was_resampled() -> None:
    assert interval(0.5, numpy.linspace(0, 1, 1001)) == pytest.approx(
        (0.5, 0.025, 0.975)
    )


def test_widening_adds_variances() -> None:
    narrow = Interval(0.5, 0.5 - 0.03, 0.5 + 0.04)
    wide = narrow.widened_by(0.0)
    assert wide == pytest.approx(narrow)
    error = 0.03 / 1.959964
    assert narrow.widened_by(error).low == pytest.approx(0.5 - 0.03 * 2**0.5)


def test_estimates_agree_within_their_joint_error() -> None:
    here = Interval(0.5, 0.4, 0.6)
    assert here.agrees_with(Interval(0.64, 0.54, 0.74))
    assert not here.agrees_with(Interval(0.65, 0.55, 0.75))
