"""Settings that are given in place of those of a config."""

from pathlib import Path
from typing import Any

import pytest
from thinc.api import Config

from spacy_adak.q.adak_block import AdakSettings, Mask, read_settings
from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config
from tests.losses import loss_block

LOSS = "components.adak_ner.loss"


def frozen(**overrides: Any) -> Config:
    """The config over a frozen encoder, with other settings."""
    config = Config().from_str(init_config("en", encoder="bert"), interpolate=False)
    return read_config(config, overrides)


def settings_of(config: Config) -> AdakSettings:
    return read_settings(config.interpolate())


def test_config_is_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(init_config("en", recipe="paper"), encoding="utf8")
    config = read_config(path, {"adak.rounds": 4})
    assert settings_of(config).rounds == 4
    assert config["training"]["seed"] == "${system.seed}"


def test_block_that_is_not_in_the_config_can_be_overridden() -> None:
    assert settings_of(frozen()).mask is None
    config = frozen(**{"adak.mask.kbest": 3})
    assert settings_of(config).mask == Mask(kbest=3)


def test_strategy_can_be_switched_off() -> None:
    config = Config().from_str(init_config("en", recipe="paper"), interpolate=False)
    assert settings_of(config).mask is not None
    off = read_config(config, {"adak.mask": None, "adak.selection": None})
    assert settings_of(off).mask is settings_of(off).selection is None


def test_other_start_has_no_settings_of_the_one_before() -> None:
    assert frozen()["adak"]["start"]["ratio_weight"] == 2.0
    config = frozen(**{"adak.start.learn_from": "missing"})
    assert config["adak"]["start"] == {"learn_from": "missing"}
    assert settings_of(config).start.learn_from == "missing"


def test_other_start_keeps_settings_that_apply() -> None:
    config = frozen(**{"adak.start.learn_from": "ratio"})
    assert config["adak"]["start"] == {"learn_from": "ratio", "ratio_weight": 2.0}


def test_other_q_has_no_temperature() -> None:
    assert frozen(**{"adak.q.mode": "hard"})["adak"]["q"] == {"mode": "hard"}


def test_other_loss_has_no_settings_of_the_one_before() -> None:
    config = Config().from_str(init_config("en", recipe="paper"), interpolate=False)
    assert config["components"]["adak_ner"]["loss"] == loss_block(k=5, gamma=3.0)
    name = loss_block("ratio")["@losses"]
    other = read_config(config, {f"{LOSS}.@losses": name, f"{LOSS}.weight": 2.0})
    block = other["components"]["adak_ner"]["loss"]
    assert block == loss_block("ratio", weight=2.0)


def test_same_loss_keeps_its_settings() -> None:
    config = Config().from_str(init_config("en", recipe="paper"), interpolate=False)
    same = read_config(config, {f"{LOSS}.@losses": loss_block()["@losses"]})
    assert same == config


def test_loss_that_is_left_to_its_default_can_be_overridden() -> None:
    config = Config().from_str(init_config("en", recipe="paper"), interpolate=False)
    del config["components"]["adak_ner"]["loss"]
    read = read_config(config, {f"{LOSS}.k": 7})
    assert read["components"]["adak_ner"]["loss"] == loss_block(k=7)


def test_config_that_is_given_stays_as_it_is() -> None:
    config = Config().from_str(init_config("en", recipe="paper"), interpolate=False)
    before = config.copy()
    read_config(config, {f"{LOSS}.k": 7, "adak.start.learn_from": "ratio"})
    assert config == before


def test_block_that_does_not_exist_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"A102.*'selections'.*mean 'selection'"):
        frozen(**{"adak.selections.min_score": 0.5})
