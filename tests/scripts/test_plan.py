import shutil
from collections.abc import Callable
from pathlib import Path

from scripts.experiments.cells import FULL, Cell, choose_cells
from scripts.experiments.plan import describe_plan, open_cells, outdated_cells
from scripts.experiments.profiles import Run
from scripts.experiments.results import Row, add_result

ROOT = Path(__file__).parents[2]
CNN = "spacy.HashEmbedCNN.v2"
Result = Callable[..., Row]


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


def test_result_of_other_settings_is_outdated(tmp_path: Path, result: Result) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    run = Run(tmp_path, "full", {})
    cells = choose_cells("ablation", config="cpu", datasets=("taobao",))[:2]
    for cell in cells:
        row = result(cell, 0.5, 0.5, encoder=CNN, settings=run.settings(cell))
        add_result(run.results_path, row)
    assert outdated_cells(run, cells) == []
    without_rounds, with_rounds = cells
    other_q = run._replace(overrides={"adak.q.mode": "soft"})
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
