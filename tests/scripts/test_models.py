from pathlib import Path
from typing import Any

import pytest
from thinc.api import Config

from scripts.experiments.cells import Cell
from scripts.experiments.models import ABLATIONS, KS, LOSS, MASK, MODELS
from scripts.experiments.profiles import Run
from spacy_adak.q.adak_block import read_settings

ROOT = Path(__file__).parents[2]
VARIANTS = [*ABLATIONS, *(set(KS.values()) - {"adak"})]


def config_of(model: str, config: str = "frozen") -> Config:
    cell = Cell("youku", config, "random", 0.2, model, 0)
    return Run(ROOT, "full", {}).config(cell)


@pytest.mark.parametrize("model", MODELS)
def test_settings_are_there_to_be_overridden(model: str) -> None:
    changed = config_of(model)
    for name, value in MODELS[model].settings.items():
        block: Any = changed
        *sections, setting = name.split(".")
        for section in sections:
            block = block[section]
        if isinstance(value, dict):
            value = {**block[setting], **value}
        if name == MASK and value is None:
            assert setting not in block
        else:
            assert block.get(setting) == value
    read_settings(changed)


@pytest.mark.parametrize("model", VARIANTS)
def test_variant_is_the_paper_but_for_what_it_changes(model: str) -> None:
    assert MODELS[model].recipe == "paper"
    paper, changed = config_of("adak"), config_of(model)
    assert changed != paper
    for name in MODELS[model].settings:
        for config in (paper, changed):
            block: Any = config
            *sections, setting = name.split(".")
            for section in sections:
                block = block[section]
            block.pop(setting, None)
    assert changed == paper


def test_k_is_that_of_the_loss_and_that_of_the_candidates() -> None:
    for k, model in KS.items():
        config = config_of(model)
        assert config["components"]["adak_ner"]["loss"]["k"] == k
        assert read_settings(config).mask.kbest == k  # type: ignore[union-attr]


def test_adak_is_the_recipe_of_the_paper() -> None:
    model = MODELS["adak"]
    assert (model.settings, model.recipe) == ({}, "paper")
    settings = read_settings(config_of("adak"))
    assert (settings.rounds, settings.folds, settings.q.mode) == (10, 2, "hard")


def test_default_is_the_recipe_that_recovers_most() -> None:
    model = MODELS["adak-default"]
    assert (model.settings, model.recipe) == ({}, "best")


def test_losses_are_replaced_as_a_whole() -> None:
    assert "k" not in MODELS["without-kbest-loss"].settings[LOSS]
