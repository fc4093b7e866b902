from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments.cells import Cell
from scripts.experiments.figures import (
    draw_all,
    find_dataset,
    k_curves,
    ratio_curves,
)
from scripts.experiments.models import KS
from scripts.experiments.results import Row

Result = Callable[..., Row]


@pytest.fixture
def rows(result: Result) -> list[Row]:
    cells = [Cell("taobao", "cpu", "random", 0.2, model, 0) for model in KS.values()]
    cells += [
        Cell("taobao", "cpu", "random", ratio, "fuzzy", 0) for ratio in (0.2, 0.6)
    ]
    return [result(cell, 0.5, 0.1 * (i + 1)) for i, cell in enumerate(cells)]


def test_curves_over_k_have_a_point_for_each_k(rows: list[Row]) -> None:
    curves = k_curves(rows, "taobao")
    assert [k for k, _ in curves["R"]] == [1, 3, 5, 7, 9]
    assert [r for _, r in curves["R"]] == pytest.approx([10, 20, 30, 40, 50])


def test_curves_over_the_ratio_have_the_points_there_are(rows: list[Row]) -> None:
    curves = ratio_curves(rows, "taobao")
    assert [ratio for ratio, _ in curves["Fuzzy CRF"]] == [0.2, 0.6]
    assert curves["weighted CRF"] == []


def test_curves_over_the_ratio_have_the_points_of_the_paper(rows: list[Row]) -> None:
    points = ratio_curves(rows, "taobao")["Fuzzy CRF, paper"]
    assert [ratio for ratio, _ in points] == [0.2, 0.4]
    assert [f1 for _, f1 in points] == pytest.approx([54.72, 57.56], abs=0.01)


def test_curve_of_other_rounds_than_the_paper_says_so(result: Result) -> None:
    cell = Cell("taobao", "cpu", "random", 0.2, "adak", 0)
    curves = ratio_curves(
        [result(cell, 0.5, 0.5, settings={"adak.rounds": 2})], "taobao"
    )
    assert curves["AdaK-NER, 2 of 10 rounds"] == [(0.2, 50.0)]


def test_figures_are_drawn_as_svg_and_png(rows: list[Row], tmp_path: Path) -> None:
    paths = draw_all(rows, "taobao", tmp_path)
    names = sorted(path.name for path in paths)
    assert names == ["k.png", "k.svg", "ratio.png", "ratio.svg"]
    assert (tmp_path / "k.svg").read_text(encoding="utf8").startswith("<?xml")
    assert (tmp_path / "ratio.png").read_bytes().startswith(b"\x89PNG")


def test_results_with_other_encoders_are_drawn_apart(
    rows: list[Row], result: Result, tmp_path: Path
) -> None:
    other = result(
        Cell("taobao", "cpu", "random", 0.2, "adak", 0), 0.9, 0.9, encoder="other"
    )
    alone, both = tmp_path / "alone", tmp_path / "both"
    draw_all(rows, "taobao", alone)
    draw_all([*rows, other], "taobao", both)
    for name in ("k.svg", "ratio.svg"):
        charts = [
            (folder / name).read_text(encoding="utf8").count('id="axes_')
            for folder in (alone, both)
        ]
        assert charts == [1, 2]


def test_figures_without_results_have_the_curves_of_the_paper(tmp_path: Path) -> None:
    assert len(draw_all([], "taobao", tmp_path)) == 4


def test_same_results_give_the_same_svg(rows: list[Row], tmp_path: Path) -> None:
    draw_all(rows, "taobao", tmp_path / "a")
    draw_all(rows, "taobao", tmp_path / "b")
    for name in ("k.svg", "ratio.svg"):
        one, other = (tmp_path / folder / name for folder in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_dataset_is_the_one_that_k_was_varied_on(result: Result) -> None:
    row = result(Cell("sample", "cpu", "random", 0.2, "adak-k1", 0), 0.5, 0.5)
    assert find_dataset([row]) == "sample"
    assert find_dataset([]) == "taobao"


@pytest.mark.usefixtures("no_swapping")
def test_figure_is_replaced_as_a_whole(rows: list[Row], tmp_path: Path) -> None:
    (tmp_path / "k.svg").write_text("old")
    with pytest.raises(OSError, match="stopped"):
        draw_all(rows, "taobao", tmp_path)
    assert (tmp_path / "k.svg").read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1
