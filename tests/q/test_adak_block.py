from collections.abc import Iterator
from typing import Any

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_adak.q.adak_block import (
    AdakSettings,
    default_settings,
    read_settings,
)


def read(**settings: Any) -> AdakSettings:
    return read_settings(Config({"adak": settings}))


def test_defaults_cover_all_settings() -> None:
    assert set(default_settings()) == set(AdakSettings.model_fields)


def test_defaults_are_those_of_the_paper() -> None:
    settings = read()
    assert (settings.rounds, settings.folds, settings.q) == (10, 2, "hard")


def test_unknown_setting_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"\[A102\].*'round'.*Did you mean 'rounds'"):
        read(round=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", 0),
        ("rounds", "3"),
        ("folds", 1),
        ("start", "inside"),
        ("q", "harder"),
        ("temperature", 0.0),
        ("temperature", "1"),
        ("min_sample_score", 1.5),
        ("executor", "dask"),
        ("n_jobs", 0),
        ("mask", 1),
    ],
)
def test_invalid_value_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"\[A201\].*{name} = "):
        read(**{name: value})


def test_all_invalid_values_are_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"rounds = .*folds = "):
        read(rounds=0, folds=0)


def test_whole_number_will_do_for_a_fraction() -> None:
    assert read(min_sample_score=0).min_sample_score == 0.0


def test_temperature_is_the_same_in_every_round() -> None:
    assert read(temperature=2).temperature_in(10) == 2.0


def test_temperature_may_be_a_schedule_over_rounds() -> None:
    schedule = {
        "@schedules": "compounding.v1",
        "start": 1.0,
        "stop": 0.1,
        "compound": 0.5,
    }
    settings = read(rounds=3, temperature=schedule)
    assert [settings.temperature_in(i) for i in (1, 2, 3)] == [1.0, 0.5, 0.25]


@registry.schedules("two_values")
def two_values() -> Iterator[float]:
    yield 1.0
    yield 0.5


def test_schedule_that_ends_before_the_rounds_do_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[A201\].*2 values for 3 rounds"):
        read(rounds=3, temperature={"@schedules": "two_values"})
    assert read(rounds=2, temperature={"@schedules": "two_values"}).rounds == 2
