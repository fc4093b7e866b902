"""Cells are trained and scored, once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments import run as run_module
from scripts.experiments.cells import (
    ABLATIONS,
    MODELS,
    PEERS,
    Cell,
    choose_cells,
    full_cell,
)
from scripts.experiments.results import Row, add_result, read_results
from scripts.experiments.run import PROFILES, Run, describe_plan, open_cells, run_cell

ROOT = Path(__file__).parents[2]
Result = Callable[..., Row]
KINDS = [
    full_cell("sample", 0),
    Cell("sample", "entity", 0.4, "crf", 0),
    *(
        Cell("sample", "random", 0.2, model, 0)
        for model in (*MODELS, *PEERS, *ABLATIONS, "adak-k1")
    ),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of the quick profile in a folder of its own."""
    root = tmp_path_factory.mktemp("experiments")
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, root / name)
    return Run(root, "quick", "cpu", -1)


@pytest.mark.parametrize("cell", KINDS, ids=lambda cell: cell.name)
def test_cell_of_the_quick_profile_gets_a_result(run: Run, cell: Cell) -> None:
    row = run_cell(run, cell)
    assert row in read_results(run.results_path)
    assert cell not in open_cells(run, [cell])
    assert set(row["test"]) == {"p", "r", "f"}
    assert row["encoder"] == "spacy.HashEmbedCNN.v2"
    assert row["trainings"] == (1 if cell.model in ("crf", "fuzzy", "ratio") else 6)
    assert row["seconds"] > 0


def test_cell_that_was_stopped_is_taken_up(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell("sample", "random", 0.4, "crf", 0)
    resumed = []
    train = run_module.train

    def note(*args: object, **kwargs: object) -> object:
        resumed.append(kwargs["resume"])
        return train(*args, **kwargs)

    def stop(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run_module, "train", note)
    with monkeypatch.context() as patch:
        patch.setattr("spacy_adak.estimation.train.run_rounds", stop)
        with pytest.raises(KeyboardInterrupt):
            run_cell(run, cell)
    run_cell(run, cell)
    assert resumed == [False, True]


def test_quick_profile_has_the_whole_matrix() -> None:
    assert len(choose_cells("all", PROFILES["quick"].datasets, [0])) == 38


def test_plan_counts_trainings() -> None:
    run = Run(ROOT, "full", "cpu", -1)
    cells = choose_cells("tables", ("taobao",), [0])
    # 13 cells without q, and 8 with 10 rounds of 2 folds and a final training
    plan = describe_plan(run, cells, [])
    assert plan.startswith("21 cells, at most 253 trainings. No time can be told")


def test_plan_estimates_time_from_finished_cells(result: Result) -> None:
    run = Run(ROOT, "full", "cpu", -1)
    cell = Cell("taobao", "random", 0.2, "adak", 0)
    rows = [result(full_cell("taobao", 0), 0.5, 0.5, trainings=1, seconds=60.0)]
    assert "about 30 min" in describe_plan(run, [cell], rows)


def test_finished_cells_are_not_done_again(tmp_path: Path, result: Result) -> None:
    run = Run(tmp_path, "full", "cpu", -1)
    cells = choose_cells("ablation", ("taobao",), [0])
    add_result(run.results_path, result(cells[0], 0.5, 0.5))
    assert open_cells(run, cells) == cells[1:]
