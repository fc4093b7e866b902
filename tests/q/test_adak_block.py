import re
from collections.abc import Iterator
from typing import Any

import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_adak.q.adak_block import (
    BLOCKS,
    AdakSettings,
    Mask,
    Selection,
    fill_block,
    read_settings,
)


def read(**settings: Any) -> AdakSettings:
    return read_settings(Config({"adak": settings}))


def test_defaults_are_those_of_the_paper() -> None:
    settings = read()
    assert (settings.rounds, settings.folds, settings.q.mode) == (10, 2, "hard")
    assert settings.start.learn_from == "outside"
    assert not settings.start.frozen_encoder


@pytest.mark.parametrize("off", [{}, {"mask": None, "selection": None}])
def test_strategy_without_a_block_is_off(off: dict[str, None]) -> None:
    settings = read(rounds=3, **off)
    assert settings.mask is None
    assert settings.selection is None
    assert not settings.has_dictionary
    assert not settings.drops_texts


def test_empty_block_has_its_defaults() -> None:
    settings = read(mask={}, selection={})
    assert (settings.mask, settings.selection) == (Mask(), Selection())
    assert settings.has_dictionary
    assert settings.drops_texts


def test_nothing_is_dropped_if_there_is_one_round() -> None:
    assert not read(rounds=1, selection={}).drops_texts


def test_unknown_setting_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"\[A102\].*'round'.*Did you mean 'rounds'"):
        read(round=3)


@pytest.mark.parametrize(
    ("block", "name", "nearest"),
    [
        ("start", "learn_form", "learn_from"),
        ("q", "temprature", "temperature"),
        ("mask", "k_best", "kbest"),
        ("selection", "min_scores", "min_score"),
    ],
)
def test_unknown_setting_of_a_block(block: str, name: str, nearest: str) -> None:
    message = rf"\[A102\].*'{name}' for \[adak.{block}\].*Did you mean '{nearest}'"
    with pytest.raises(ValueError, match=message):
        read(**{block: {name: 1}})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rounds", 0),
        ("rounds", "3"),
        ("folds", 1),
        ("executor", "dask"),
        ("n_jobs", 0),
        ("start.learn_from", "inside"),
        ("q.mode", "harder"),
        ("q.temperature", 0.0),
        ("q.temperature", "1"),
        ("mask.dictionary", 1),
        ("mask.kbest", -1),
        ("selection.min_score", 1.5),
    ],
)
def test_invalid_value_is_refused_by_name(name: str, value: object) -> None:
    block, _, key = name.rpartition(".")
    settings: dict[str, Any] = {key: value}
    if key == "temperature":
        settings["mode"] = "interpolated"
    with pytest.raises(ValueError, match=rf"\[A201\].*{re.escape(name)} = "):
        read(**({block: settings} if block else settings))


def test_all_invalid_values_are_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"rounds = .*folds = .*mask.kbest = "):
        read(rounds=0, folds=0, mask={"kbest": -1})


@pytest.mark.parametrize(
    ("block", "settings", "applies_to"),
    [
        ("q", {"temperature": 2.0}, 'mode = "interpolated"'),
        ("q", {"mode": "soft", "temperature": 2.0}, 'mode = "interpolated"'),
        ("start", {"ratio_weight": 2.0}, 'learn_from = "ratio" or "forms"'),
        (
            "start",
            {"learn_from": "ratio", "annotation_recall": 0.5},
            'learn_from = "missing" or "forms" or "guesses"',
        ),
    ],
)
def test_setting_that_does_not_apply_is_refused(
    block: str, settings: dict[str, Any], applies_to: str
) -> None:
    with pytest.raises(ValueError, match=rf"\[A201\].*{applies_to} only"):
        read(**{block: settings})


def test_whole_number_will_do_for_a_fraction() -> None:
    selection = read(selection={"min_score": 0}).selection
    assert selection is not None
    assert selection.min_score == 0.0


def test_temperature_is_the_same_in_every_round() -> None:
    q = {"mode": "interpolated", "temperature": 2}
    assert read(q=q).temperature_in(10) == 2.0


def test_temperature_may_be_a_schedule_over_rounds() -> None:
    schedule = {
        "@schedules": "compounding.v1",
        "start": 1.0,
        "stop": 0.1,
        "compound": 0.5,
    }
    settings = read(rounds=3, q={"mode": "interpolated", "temperature": schedule})
    assert [settings.temperature_in(i) for i in (1, 2, 3)] == [1.0, 0.5, 0.25]


@registry.schedules("two_values")
def two_values() -> Iterator[float]:
    yield 1.0
    yield 0.5


def test_schedule_that_ends_before_the_rounds_do_is_refused() -> None:
    q = {"mode": "interpolated", "temperature": {"@schedules": "two_values"}}
    with pytest.raises(ValueError, match=r"\[A201\].*2 values for 3 rounds"):
        read(rounds=3, q=q)
    assert read(rounds=2, q=q).rounds == 2


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"mask": None, "q": None},
        {"mask": {"kbest": 3}, "selection": {}},
        {"start": {"learn_from": "forms"}, "q": {"mode": "interpolated"}},
    ],
)
def test_filled_block_says_the_same(given: dict[str, Any]) -> None:
    filled = fill_block(given)
    assert read(**filled) == read(**given)
    assert filled.keys() & BLOCKS.keys() == {k for k in given if given[k] is not None}
    assert fill_block(filled) == filled
