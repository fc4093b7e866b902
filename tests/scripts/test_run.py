"""Cells are trained and scored, once."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments import run as run_module
from scripts.experiments.cells import FULL, Cell, choose_cells
from scripts.experiments.models import KS, MODELS
from scripts.experiments.results import Row, add_result, read_results
from scripts.experiments.run import (
    Run,
    describe_plan,
    open_cells,
    outdated_cells,
    run_cell,
    run_cells,
)

ROOT = Path(__file__).parents[2]
Result = Callable[..., Row]
# Their losses have no q to estimate.
ONE_TRAINING = ("crf", "fuzzy", "ratio", "missing", "ner")
CNN = "spacy.HashEmbedCNN.v2"
FULL_CELL = Cell("sample", "cpu", *FULL, 0)
KINDS = [
    FULL_CELL,
    Cell("sample", "cpu", "entity", 0.4, "crf", 0),
    *(
        Cell("sample", "cpu", "random", 0.2, model, 0)
        for model in MODELS
        if model not in (KS[3], KS[7], KS[9])
    ),
]


def stop(*args: object, **kwargs: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of the quick profile in a folder of its own."""
    root = tmp_path_factory.mktemp("experiments")
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, root / name)
    return Run(root, "quick", {})


@pytest.mark.parametrize("cell", KINDS, ids=lambda cell: cell.name)
def test_cell_of_the_quick_profile_gets_a_result(run: Run, cell: Cell) -> None:
    row = run_cell(run, cell)
    assert row in read_results(run.results_path)
    assert open_cells(run, [cell]) == outdated_cells(run, [cell]) == []
    assert set(row["test"]) == {"p", "r", "f"}
    assert row["encoder"] == CNN
    assert row["trainings"] == (1 if cell.model in ONE_TRAINING else 6)
    assert row["seconds"] > 0


def test_cell_that_was_stopped_is_taken_up(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell("sample", "cpu", "random", 0.4, "crf", 0)
    resumed = []
    train = run_module.train

    def note(*args: object, **kwargs: object) -> object:
        resumed.append(kwargs["resume"])
        return train(*args, **kwargs)

    monkeypatch.setattr(run_module, "train", note)
    with monkeypatch.context() as patch:
        patch.setattr("spacy_adak.estimation.train.run_rounds", stop)
        with pytest.raises(KeyboardInterrupt):
            run_cell(run, cell)
    run_cell(run, cell)
    assert resumed == [False, True]


def test_cell_whose_training_was_finished_is_not_trained_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell("sample", "cpu", "entity", 0.2, "crf", 0)
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "evaluate", stop)
        with pytest.raises(KeyboardInterrupt):
            run_cell(run, cell)
    monkeypatch.setattr("spacy_adak.estimation.loop.TrainingTask.__call__", stop)
    assert run_cell(run, cell)["resumed"]


def test_cell_that_another_process_finished_is_not_done_again(
    run: Run, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell("sample", "cpu", "random", 0.6, "crf", 0)
    add_result(run.results_path, result(cell, 0.5, 0.5))
    monkeypatch.setattr(run_module, "run_cell", stop)
    run_cells(run, [cell])


def test_plan_counts_trainings() -> None:
    run = Run(ROOT, "full", {})
    cells = choose_cells("tables", config="cpu", datasets=("taobao",))
    # 9 cells without q, and 8 with 10 rounds of 2 folds and a final training
    plan = describe_plan(run, cells, [])
    assert plan.startswith("17 cells, at most 249 trainings. No time can be told")


def test_plan_estimates_time_from_finished_cells(result: Result) -> None:
    run = Run(ROOT, "full", {})
    cell = Cell("taobao", "cpu", "random", 0.2, "adak", 0)
    rows = [
        result(Cell("taobao", "cpu", *FULL, 0), 0.5, 0.5, trainings=1, seconds=60.0)
    ]
    assert "about 30 min" in describe_plan(run, [cell], rows)


def test_finished_cells_are_not_done_again(tmp_path: Path, result: Result) -> None:
    run = Run(tmp_path, "full", {})
    cells = choose_cells("ablation", config="cpu", datasets=("taobao",))
    add_result(run.results_path, result(cells[0], 0.5, 0.5))
    assert open_cells(run, cells) == cells[1:]


def test_config_that_is_not_there_is_an_error_with_those_there_are() -> None:
    cell = Cell("youku", "gpu", "random", 0.2, "adak", 0)
    with pytest.raises(ValueError, match=r"youku_gpu\.cfg.*are: .*bert, cpu"):
        Run(ROOT, "full", {}).config_path(cell)


def test_overrides_are_for_all_cells() -> None:
    run = Run(ROOT, "quick", {"training.dropout": 0.4, "adak.rounds": 5})
    settings = run.settings(Cell("sample", "cpu", "random", 0.2, "adak", 0))
    assert settings["training.dropout"] == 0.4
    assert settings["adak.rounds"] == 5


@pytest.mark.parametrize("model", ONE_TRAINING)
def test_settings_of_rounds_are_none_of_a_single_training(model: str) -> None:
    settings = Run(ROOT, "quick", {}).settings(
        Cell("sample", "cpu", "random", 0.2, model, 0)
    )
    assert "training.dropout" in settings
    assert not [name for name in settings if name.startswith("adak.")]


def test_where_things_are_is_no_setting() -> None:
    overrides = {
        "paths.vectors": "here",
        "paths.encoder": "there",
        "paths.rows": "elsewhere",
        "adak.executor": "joblib",
    }
    cell = Cell("taobao", "frozen", "random", 0.2, "adak", 0)
    with_overrides = Run(ROOT, "full", overrides).settings(cell)
    assert with_overrides == Run(ROOT, "full", {}).settings(cell)


def test_result_of_other_settings_is_outdated(tmp_path: Path, result: Result) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    run = Run(tmp_path, "full", {})
    cells = choose_cells("ablation", config="cpu", datasets=("taobao",))[:2]
    for cell in cells:
        row = result(cell, 0.5, 0.5, encoder=CNN, settings=run.settings(cell))
        add_result(run.results_path, row)
    assert outdated_cells(run, cells) == []
    without_rounds, with_rounds = cells
    other_q = run._replace(overrides={"adak.q": "soft"})
    assert outdated_cells(other_q, cells) == [with_rounds]
    for setting in ("training.dropout", "components.adak_ner.model.tok2vec.width"):
        other = run._replace(overrides={setting: 4})
        assert outdated_cells(other, cells) == [without_rounds, with_rounds]


def test_setting_that_is_new_makes_no_result_outdated(
    tmp_path: Path, result: Result
) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    run = Run(tmp_path, "full", {})
    cell = Cell("taobao", "cpu", *FULL, 0)
    settings = run.settings(cell)
    del settings["training.dropout"]
    row = result(cell, 0.5, 0.5, encoder=CNN, settings=settings)
    add_result(run.results_path, row)
    assert outdated_cells(run, [cell]) == []


def test_result_of_another_encoder_is_outdated_but_kept(
    tmp_path: Path, result: Result
) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    for name in ("small-bert", "other-bert"):
        (tmp_path / name).mkdir()
    small, other = (
        Run(tmp_path, "full", {"paths.encoder": str(tmp_path / name)})
        for name in ("small-bert", "other-bert")
    )
    cell = Cell("taobao", "frozen", *FULL, 0)
    row = result(
        cell,
        0.5,
        0.5,
        encoder="small-bert",
        frozen=True,
        settings=small.settings(cell),
    )
    add_result(small.results_path, row)
    assert outdated_cells(small, [cell]) == []
    assert outdated_cells(other, [cell]) == [cell]
    assert open_cells(other, [cell]) == []
