import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from scripts.experiments.cells import Cell
from scripts.experiments.figures import (
    draw_all,
    find_dataset,
    k_curves,
    main,
    ratio_curves,
)
from scripts.experiments.models import KS
from scripts.experiments.results import Row, add_result

Result = Callable[..., Row]


@pytest.fixture
def rows(result: Result) -> list[Row]:
    cells = [Cell("taobao", "cpu", "random", 0.2, model, 0) for model in KS.values()]
    cells += [
        Cell("taobao", "cpu", "random", ratio, "fuzzy", 0) for ratio in (0.2, 0.6)
    ]
    cells.append(Cell("taobao", "cpu", "random", 0.6, "adak", 0))
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


def test_every_value_has_a_point(rows: list[Row]) -> None:
    figures = draw_all(rows, "taobao")
    # P, R and F1 for each K.
    assert figures["k"].count("<circle") == 3 * 5
    # The fuzzy CRF and AdaK-NER with two ratios, and what the paper prints.
    assert figures["ratio"].count("<circle") == 2 + 2 + 3 * 2


def test_curves_of_the_paper_are_dashed_and_of_the_same_color(rows: list[Row]) -> None:
    chart = draw_all(rows, "taobao")["ratio"]
    lines = [line for line in chart.splitlines() if "stroke-width" in line]
    ours, theirs = (
        [line for line in lines if "polyline" in line and ("dash" in line) == is_paper]
        for is_paper in (False, True)
    )
    assert len(ours) == len(theirs) == 3
    for one, other in zip(ours, theirs, strict=True):
        assert one.split("stroke: ")[1][:7] == other.split("stroke: ")[1][:7]


@pytest.mark.parametrize(
    "other", [{"encoder": "other"}, {"settings": {"adak.rounds": 3}}]
)
def test_results_of_other_encoders_or_rounds_are_drawn_apart(
    rows: list[Row], other: dict[str, object]
) -> None:
    others = [{**row, **other} for row in rows]
    for name in ("k", "ratio"):
        alone, both = (
            draw_all(of_all, "taobao")[name].count("Taobao: ")
            for of_all in (rows, [*rows, *others])
        )
        assert (alone, both) == (1, 2)


def test_single_point_is_no_curve(rows: list[Row]) -> None:
    (short,) = (
        {**row, "settings": {"adak.rounds": 3}}
        for row in rows
        if (row["model"], row["ratio"]) == ("adak", 0.2)
    )
    assert draw_all([*rows, short], "taobao") == draw_all(rows, "taobao")
    assert draw_all([short], "taobao") == {}


def test_dataset_is_the_one_that_k_was_varied_on(result: Result) -> None:
    row = result(Cell("sample", "cpu", "random", 0.2, "adak-k1", 0), 0.5, 0.5)
    assert find_dataset([row]) == "sample"
    assert find_dataset([]) == "taobao"


def test_figures_are_written(
    rows: list[Row], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = tmp_path / "results.jsonl"
    for row in rows:
        add_result(results, row)
    monkeypatch.setattr(sys, "argv", ["figures", str(results), str(tmp_path)])
    main()
    for name, picture in draw_all(rows, "taobao").items():
        assert (tmp_path / f"{name}.svg").read_text(encoding="utf8") == picture
