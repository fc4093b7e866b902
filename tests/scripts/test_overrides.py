import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.experiments import run as run_module
from scripts.experiments.cells import Cell
from scripts.experiments.models import NER
from scripts.experiments.overrides import check_overrides
from scripts.experiments.profiles import Run

ROOT = Path(__file__).parents[2]


def make_cell(model: str) -> Cell:
    return Cell("sample", "cpu", "random", 0.2, model, 0)


def check(overrides: dict[str, Any], model: str) -> None:
    check_overrides(Run(ROOT, "full", overrides), [make_cell(model)])


@pytest.mark.parametrize("model", [NER, "adak"])
@pytest.mark.parametrize(
    ("override", "told"),
    [
        ("training.max_epoch", "Did you mean 'max_epochs'"),
        ("components.adak_ner.lss", "unexpected argument: 'lss'"),
        ("components.adak_ner.model.tok2vec.widht", "unexpected argument: 'widht'"),
        ("trainin.dropout", "not a section value"),
        ("adak.round", "Did you mean 'rounds'"),
    ],
)
def test_override_that_nothing_reads_is_refused(
    override: str, told: str, model: str
) -> None:
    with pytest.raises(ValueError, match=told):
        check({override: 1}, model)


def test_overrides_are_checked_with_every_config() -> None:
    run = Run(ROOT, "full", {"paths.encoder": "org/bert"})
    frozen = Cell("taobao", "frozen", "random", 0.2, NER, 0)
    check_overrides(run, [frozen])
    with pytest.raises(ValueError, match=r"'encoder' for \[paths\]"):
        check_overrides(run, [frozen, make_cell(NER)])


@pytest.mark.parametrize(
    ("override", "model"),
    [
        ("components.adak_ner.loss", "fuzzy"),
        ("components.adak_ner.loss.@losses", "fuzzy"),
        ("components.adak_ner.loss.k", "adak-k3"),
        ("adak.mask.kbest", "without-mask"),
        ("adak.q.mode", "adak"),
        ("adak.folds", "adak"),
    ],
)
def test_override_of_what_a_model_is_is_refused(override: str, model: str) -> None:
    cell = f"sample_cpu_random_0.2_{model}_0"
    with pytest.raises(ValueError, match=f"--{override} .*'{cell}'.*--only"):
        check({override: 3}, model)


@pytest.mark.parametrize(
    ("override", "model"),
    [
        # It stands beside the title of the model.
        ("adak.rounds", "adak"),
        ("adak.folds", "adak-default"),
        ("training.max_epochs", "fuzzy"),
    ],
)
def test_other_settings_may_be_overridden(override: str, model: str) -> None:
    check({override: 3}, model)
    run = Run(ROOT, "full", {override: 3})
    value: Any = run.config(make_cell(model))
    for name in override.split("."):
        value = value[name]
    assert value == 3


@pytest.mark.parametrize(
    ("override", "remedy"),
    [
        ("system.seed", "--seeds"),
        ("training.seed", "--seeds"),
        ("paths.train", "dataset"),
        ("paths.dev", "dataset"),
    ],
)
def test_override_of_what_cells_set_is_refused(override: str, remedy: str) -> None:
    with pytest.raises(ValueError, match=f"--{override} .*{remedy}"):
        check({override: 1}, "crf")


def test_overrides_are_checked_before_the_plan(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    arguments = ["recovery", "--profile", "quick", "--plan", "--training.max_epoch=3"]
    monkeypatch.setattr(sys, "argv", ["run", *arguments])
    with pytest.raises(SystemExit) as exit_:
        run_module.main()
    assert exit_.value.code == 1
    output = capsys.readouterr().out
    assert "max_epoch" in output
    assert "cells are finished" not in output
