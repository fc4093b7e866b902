from pathlib import Path

import pytest
from spacy.util import load_config

from scripts.experiments.cells import (
    ABLATIONS,
    EXPERIMENTS,
    SETTINGS,
    choose_cells,
)
from spacy_adak.estimation.init_config import init_config

PAPER = ("conll2003", "taobao", "youku")


@pytest.mark.parametrize(
    ("experiment", "cells"),
    # 3 datasets x (2 schemes x 2 ratios x (4 models + a peer) + all annotations),
    # 3 x (7 + 2), and 5 values of K + 4 ratios x 3 models - the one that both have
    [("tables", 3 * 21), ("ablation", 3 * 9), ("figures", 5 + 12 - 1)],
)
def test_experiment_has_the_cells_of_the_paper_and_of_peers(
    experiment: str, cells: int
) -> None:
    assert len(choose_cells(experiment, (), [0])) == cells


def test_what_experiments_share_is_one_cell() -> None:
    names = [cell.name for cell in choose_cells("all", ("taobao",), [0])]
    assert len(set(names)) == len(names) == 38


def test_seeds_multiply_the_cells() -> None:
    assert len(choose_cells("tables", PAPER, [0, 1, 2])) == 3 * 3 * 21


def test_cells_are_chosen_by_name() -> None:
    cells = choose_cells("all", PAPER, [0], "youku_random_0.2_without-*")
    assert [cell.model for cell in cells] == list(ABLATIONS)


def test_every_cell_has_settings() -> None:
    for experiment in EXPERIMENTS:
        for cell in choose_cells(experiment, (), [0]):
            assert cell.model in SETTINGS


@pytest.mark.parametrize("model", SETTINGS)
def test_settings_are_there_to_be_overridden(model: str, tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(init_config("en"), encoding="utf8")
    config = load_config(path)
    for name in SETTINGS[model]:
        block = config
        *sections, setting = name.split(".")
        for section in sections:
            block = block[section]
        assert setting in block


@pytest.mark.parametrize("model", ABLATIONS)
def test_ablation_is_one_override(model: str) -> None:
    assert len(ABLATIONS[model]) == 1
