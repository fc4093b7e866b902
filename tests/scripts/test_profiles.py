from pathlib import Path

import pytest

from scripts.experiments.cells import Cell
from scripts.experiments.profiles import Run

ROOT = Path(__file__).parents[2]


def test_config_that_is_not_there_is_an_error_with_those_there_are() -> None:
    cell = Cell("youku", "gpu", "random", 0.2, "adak", 0)
    with pytest.raises(ValueError, match=r"zh_gpu_paper\.cfg.*are: .*bert, cpu"):
        Run(ROOT, "full", {}).config_path(cell)


def test_overrides_are_for_all_cells() -> None:
    run = Run(ROOT, "quick", {"training.dropout": 0.4, "adak.rounds": 5})
    settings = run.settings(Cell("sample", "cpu", "random", 0.2, "adak", 0))
    assert settings["training.dropout"] == 0.4
    assert settings["adak.rounds"] == 5


def test_short_profile_has_fewer_rounds_of_the_paper_and_no_other_change() -> None:
    cell = Cell("youku", "frozen", "random", 0.2, "without-mask", 0)
    full, short = (Run(ROOT, name, {}).settings(cell) for name in ("full", "short"))
    assert (full["adak.rounds"], short["adak.rounds"]) == (10, 3)
    assert {**short, "adak.rounds": 10} == full
    default = cell._replace(model="adak-default")
    full, short = (Run(ROOT, name, {}).settings(default) for name in ("full", "short"))
    assert short == full


@pytest.mark.parametrize("model", ["crf", "fuzzy", "ratio", "missing", "ner"])
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
