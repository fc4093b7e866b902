import pytest

from scripts.experiments.cells import EXPERIMENTS, Cell, choose_cells, unused_patterns
from scripts.experiments.models import ABLATIONS, FINE_TUNING, MODELS


@pytest.mark.parametrize(
    ("experiment", "cells"),
    # 3 datasets x (2 schemes x 2 ratios x 4 models + all annotations), 3 x (7 + 2),
    # and 5 values of K + 4 ratios x 3 models - the one that both have
    [("tables", 3 * 17), ("ablation", 3 * 9), ("figures", 5 + 12 - 1)],
)
def test_experiment_has_the_cells_of_the_paper(experiment: str, cells: int) -> None:
    assert len(choose_cells(experiment, config="cpu")) == cells


def test_recovery_has_the_cells_of_the_tables() -> None:
    cells = choose_cells("recovery", config="cpu")
    assert set(choose_cells("tables", config="cpu")) < set(cells)


def test_what_experiments_share_is_one_cell() -> None:
    cells = choose_cells("all", config="cpu", datasets=("taobao",))
    names = [cell.name for cell in cells]
    assert len(set(names)) == len(names)
    assert names.count("taobao_cpu_random_0.2_adak_0") == 1


def test_experiment_about_one_config_has_no_cells_of_another() -> None:
    assert not choose_cells("fine-tuning", config="frozen")
    cells = choose_cells("fine-tuning", config="bert", datasets=("youku",))
    # All annotations, and 2 schemes x (our default, AdaK-NER and what they vary in)
    assert len(cells) == 1 + 2 * (2 + len(FINE_TUNING))
    assert set(cells) <= set(choose_cells("all", config="bert"))


def test_seeds_multiply_the_cells() -> None:
    assert len(choose_cells("tables", config="cpu", seeds=[0, 1, 2])) == 3 * 3 * 17


def test_name_tells_all_of_a_cell() -> None:
    cell = Cell("youku", "bert", "entity", 0.4, "adak", 1)
    assert cell.name == "youku_bert_entity_0.4_adak_1"


def test_cells_are_chosen_by_name() -> None:
    only = "youku_cpu_random_0.2_without-*"
    cells = choose_cells("all", config="cpu", only=only)
    assert [cell.model for cell in cells] == list(ABLATIONS)


def test_cells_are_chosen_by_several_names() -> None:
    only = "youku_*_random_0.2_adak_*, taobao_*_full_*"
    names = [cell.name for cell in choose_cells("tables", config="cpu", only=only)]
    assert names == ["taobao_cpu_full_1_crf_0", "youku_cpu_random_0.2_adak_0"]


def test_patterns_that_fit_no_cell_are_known() -> None:
    only = "youku_*, yuku_*, taobao_*_crff_*,"
    cells = choose_cells("tables", config="cpu", only=only)
    assert {cell.dataset for cell in cells} == {"youku"}
    assert unused_patterns(cells, only) == ["yuku_*", "taobao_*_crff_*"]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_cell_has_a_model(experiment: str) -> None:
    cells = choose_cells(experiment, config=EXPERIMENTS[experiment].config or "cpu")
    assert cells
    for cell in cells:
        assert cell.model in MODELS
