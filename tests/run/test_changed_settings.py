from typing import Any

from thinc.api import Config

from spacy_adak.run.changed_settings import changed_settings
from tests.made_corpus import make_config


def changes(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    return [
        str(change)
        for change in changed_settings(make_config(**before), make_config(**now))
    ]


def test_same_settings_differ_in_nothing() -> None:
    assert changes({}, {}) == []


def test_each_setting_is_named_with_both_values() -> None:
    assert changes(
        {"training.dropout": 0.1}, {"training.dropout": 0.3, "adak.folds": 3}
    ) == ["training.dropout: 0.1, now 0.3", "adak.folds: 2, now 3"]


def test_variable_that_changed_is_named_once() -> None:
    assert changes({"system.seed": 0}, {"system.seed": 1}) == ["system.seed: 0, now 1"]


def test_same_value_written_in_another_way_is_no_change() -> None:
    assert changes({"system.seed": 0}, {"training.seed": 0}) == []


def test_block_that_is_new_is_named_by_its_settings() -> None:
    before, now = make_config(), make_config()
    now["components"]["sentencizer"] = {"factory": "sentencizer"}
    assert list(map(str, changed_settings(before, now))) == [
        "components.sentencizer.factory: not set, now 'sentencizer'"
    ]


def test_value_in_place_of_a_block_is_named() -> None:
    before, now = make_config(), make_config()
    rate = {"@schedules": "constant.v1", "rate": 0.1}
    now["training"]["optimizer"]["learn_rate"] = rate
    names = [change.name for change in changed_settings(Config(before), now)]
    assert "training.optimizer.learn_rate.rate" in names
