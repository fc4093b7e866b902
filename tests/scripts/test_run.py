"""Cells are trained and scored, once."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments import run as run_module
from scripts.experiments.cells import FULL, Cell
from scripts.experiments.folder_lock import held
from scripts.experiments.models import FINE_TUNING, KS, MODELS, NER
from scripts.experiments.plan import open_cells, outdated_cells
from scripts.experiments.profiles import Run
from scripts.experiments.results import Row, add_result, read_results
from scripts.experiments.run import main, run_cell, run_cells

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
        # The transformer they are about is none of the sample.
        if model not in (KS[3], KS[7], KS[9], *FINE_TUNING)
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


# One training, rounds with folds, and another component; the others are slow.
_QUICKLY_TRAINED = ("crf", "adak", NER)


@pytest.mark.parametrize(
    "cell",
    [
        cell
        if cell.model in _QUICKLY_TRAINED
        else pytest.param(cell, marks=pytest.mark.slow)
        for cell in KINDS
    ],
    ids=lambda cell: cell.name,
)
def test_cell_of_the_quick_profile_gets_a_result(run: Run, cell: Cell) -> None:
    row = run_cell(run, cell)
    assert row in read_results(run.results_path)
    assert open_cells(run, [cell]) == outdated_cells(run, [cell]) == []
    assert set(row["test"]) == {"p", "r", "f"}
    assert row["encoder"] == CNN
    # In each of two rounds the folds, of which our default has three, and all texts.
    several = 8 if cell.model == "adak-default" else 6
    assert row["trainings"] == (1 if cell.model in ONE_TRAINING else several)
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
        patch.setattr("spacy_adak.run.train.run_rounds", stop)
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
    monkeypatch.setattr("spacy_adak.run.algorithm.TrainingTask.run", stop)
    assert run_cell(run, cell)["resumed"]


def test_cell_that_another_process_finished_is_not_done_again(
    run: Run, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = Cell("sample", "cpu", "random", 0.6, "crf", 0)
    add_result(run.results_path, result(cell, 0.5, 0.5))
    before = run.results_path.read_text()
    trained: list[Cell] = []
    monkeypatch.setattr(run_module, "run_cell", lambda run, cell: trained.append(cell))
    run_cells(run, [cell])
    assert not trained
    assert run.results_path.read_text() == before


@pytest.mark.parametrize("model", ["crf", NER])
def test_cell_that_another_process_is_at_is_left_to_it(
    run: Run,
    result: Result,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    model: str,
) -> None:
    busy = Cell("sample", "cpu", "random", 0.8, model, 0)
    free = busy._replace(seed=1)
    done = []

    def note(run: Run, cell: Cell) -> Row:
        done.append(cell)
        return result(cell, 0.5, 0.5)

    monkeypatch.setattr(run_module, "run_cell", note)
    with held(run.output(busy), wait=False):
        run_cells(run, [busy, free])
    assert done == [free]
    assert f"1/2 {busy.name}: another process" in capsys.readouterr().out


def test_ner_that_was_stopped_is_trained_from_the_beginning(run: Run) -> None:
    cell = Cell("sample", "cpu", "random", 0.8, NER, 0)
    left = run.output(cell) / NER / "left"
    left.mkdir(parents=True)
    run_cells(run, [cell])
    assert open_cells(run, [cell]) == []
    assert not run.output(cell).exists()


def run_main(
    monkeypatch: pytest.MonkeyPatch, root: Path, *arguments: str
) -> int | str | None:
    """Run a command that fails, in the folder of a project."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(sys, "argv", ["run", *arguments])
    with pytest.raises(SystemExit) as exit_:
        main()
    return exit_.value.code


def test_damaged_results_are_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Run(tmp_path, "full", {}).results_path
    path.parent.mkdir(parents=True)
    path.write_text("{\n")
    assert run_main(monkeypatch, tmp_path, "tables", "--plan") == 1
    assert "results.jsonl', line 1" in capsys.readouterr().out


def test_missing_data_is_told_of_before_the_first_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    cells = [FULL_CELL, FULL_CELL._replace(dataset="youku")]
    monkeypatch.setattr(run_module, "choose_cells", lambda *_, **__: cells)
    monkeypatch.setattr(run_module, "run_cells", stop)
    assert run_main(monkeypatch, tmp_path, "tables") == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "data/youku/train.txt' is not there" in told
    assert "--only (--vars.only)" in told


def test_interrupted_experiment_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run_module, "run_experiment", stop)
    assert run_main(monkeypatch, ROOT, "tables") == 130
    assert "The same command goes on" in capsys.readouterr().out


def test_seeds_are_at_least_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_main(monkeypatch, ROOT, "tables", "--plan", "--seeds", "0") == 2
    assert "--seeds is 0" in capsys.readouterr().err


def test_each_pattern_that_fits_no_cell_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("tables", "--plan", "--only", "yuku_*,taobo_*")
    assert run_main(monkeypatch, ROOT, *arguments) == 1
    assert "'yuku_*' or 'taobo_*'" in capsys.readouterr().out


def test_time_of_a_short_profile_is_told_by_the_cells_of_the_full_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    result: Result,
) -> None:
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    cell = Cell("youku", "cpu", "random", 0.2, "adak", 0)
    # It has 6 trainings in a minute, so that 9 take one and a half.
    add_result(Run(tmp_path, "full", {}).results_path, result(cell, 0.5, 0.5))
    monkeypatch.chdir(tmp_path)
    options = ["--plan", "--profile", "short", "--only", cell.name]
    monkeypatch.setattr(sys, "argv", ["run", "tables", *options])
    main()
    told = " ".join(capsys.readouterr().out.split())
    assert "1 cells, at most 9 trainings. At most about 2 min" in told
