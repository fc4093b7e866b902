from itertools import islice

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_adak.tasks.linear_decay import linear_decay, set_total_steps


def test_rate_falls_in_a_straight_line_to_nothing() -> None:
    rates = list(islice(linear_decay(0.1, total_steps=4), 6))
    assert rates == pytest.approx([0.1, 0.075, 0.05, 0.025, 0.0, 0.0])


def test_rate_rises_first_and_is_never_zero_at_the_start() -> None:
    rates = list(islice(linear_decay(0.1, total_steps=10, warmup=0.4), 12))
    rising = [0.025, 0.05, 0.075, 0.1]
    falling = [0.1 * left / 6 for left in range(6, 0, -1)]
    assert rates == pytest.approx([*rising, *falling, 0.0, 0.0])


def test_warmup_takes_no_step_where_it_is_shorter_than_one() -> None:
    rates = list(islice(linear_decay(0.1, total_steps=4, warmup=0.1), 4))
    assert rates[0] == pytest.approx(0.1)


@pytest.mark.parametrize("warmup", [-0.1, 1.0, "0.1"])
def test_warmup_that_makes_no_sense(warmup: float) -> None:
    with pytest.raises(ValueError, match=r"A104.*warmup"):
        linear_decay(0.1, total_steps=4, warmup=warmup)


def test_rate_stays_if_the_end_is_not_known() -> None:
    assert set(islice(linear_decay(0.1), 3)) == {0.1}


def test_end_is_filled_in_where_it_is_open() -> None:
    rate = {"@schedules": "spacy-adak.LinearDecay.v1", "initial_rate": 0.1}
    config = Config({"training": {"optimizer": {"learn_rate": rate}}})
    set_total_steps(config, 4)
    resolved = registry.resolve(config["training"]["optimizer"])["learn_rate"]
    assert list(islice(resolved, 3)) == pytest.approx([0.1, 0.075, 0.05])
    set_total_steps(config, 8)
    assert config["training"]["optimizer"]["learn_rate"]["total_steps"] == 4


def test_other_rates_are_left_alone() -> None:
    constant = Config({"training": {"optimizer": {"learn_rate": 0.1}}})
    set_total_steps(constant, 4)
    assert constant == {"training": {"optimizer": {"learn_rate": 0.1}}}
