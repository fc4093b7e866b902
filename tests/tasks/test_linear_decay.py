from itertools import islice

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_adak.tasks.linear_decay import linear_decay, set_total_steps


def test_rate_falls_in_a_straight_line_to_nothing() -> None:
    rates = list(islice(linear_decay(0.1, total_steps=4), 6))
    assert rates == pytest.approx([0.1, 0.075, 0.05, 0.025, 0.0, 0.0])


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
