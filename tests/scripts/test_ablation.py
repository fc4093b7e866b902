from collections.abc import Callable

import pytest

from scripts.experiments.ablation import CHARTS, describe_ablation
from scripts.experiments.cells import Cell
from scripts.experiments.models import ABLATIONS, KS
from scripts.experiments.results import Row

Result = Callable[..., Row]
ADAK = Cell("youku", "frozen", "random", 0.2, "adak", 0)
WITHOUT = ADAK._replace(model="without-mask")
SHORT = {"adak.rounds": 3}


def rows_of(text: str, title: str) -> dict[str, list[str]]:
    """The rows of the table under a title, by their first cells."""
    section = text.split(f"### {title}")[1].split("\n### ")[0].split("Not measured")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in rows}


def test_every_strategy_has_a_row_beside_the_paper(result: Result) -> None:
    rows = [result(ADAK, 0.8, 0.8), result(WITHOUT, 0.7, 0.7)]
    table = rows_of(describe_ablation(rows), "Youku: some encoder")
    assert len(table) == 2 + 1 + len(ABLATIONS)
    # F1 of the paper follows from its P and R.
    assert table["w/o candidate mask"] == [
        "70.00 / 73.40",
        "70.00 / 79.81",
        "70.00 / 76.47",
        "-10.00 / -2.60",
        "1",
    ]
    assert table["w/o annealing"][3:] == ["– / -8.66", "0"]
    assert table["AdaK-NER"][3] == "+0.00 / +0.00"


def test_rounds_are_compared_with_as_many_rounds(result: Result) -> None:
    rows = [
        result(ADAK, 0.8, 0.8),
        result(ADAK, 0.6, 0.6, settings=SHORT),
        result(WITHOUT, 0.5, 0.5, settings=SHORT),
    ]
    text = describe_ablation(rows)
    # There is no ablation with all rounds yet.
    assert text.count("\n### ") == 1
    table = rows_of(text, "Youku: some encoder (`zh_frozen.cfg`), 3 rounds")
    change = table["w/o candidate mask, 3 of 10 rounds"][3]
    assert change.startswith("-10.00 / ")
    rows.append(result(WITHOUT, 0.7, 0.7))
    text = describe_ablation(rows)
    assert text.index(", 10 rounds\n") < text.index(", 3 rounds\n")


@pytest.mark.parametrize("settings", [{}, SHORT])
def test_what_is_not_measured_with_the_rounds_of_the_paper_is_said(
    result: Result, settings: dict[str, int]
) -> None:
    text = describe_ablation([result(WITHOUT, 0.5, 0.5, settings=settings)])
    missing = text.split("Not measured yet in 10 rounds. ")[1].splitlines()[0]
    youku, taobao = missing.split(". Taobao: ")
    assert ("w/o candidate mask" in youku) == bool(settings)
    assert "w/o annealing" in youku
    assert "AdaK-NER, K = 9; Fuzzy CRF; " in taobao
    assert "AdaK-NER (ρ = 0.8)" in taobao


@pytest.mark.parametrize(
    ("second", "chart"), [({"model": KS[1]}, "k"), ({"ratio": 0.4}, "ratio")]
)
def test_curve_is_shown_when_there_is_more_than_one_point(
    result: Result, second: dict[str, object], chart: str
) -> None:
    first = ADAK._replace(dataset="taobao")
    rows = [result(cell, 0.5, 0.5) for cell in (first, first._replace(**second))]
    alone, both = (describe_ablation(some) for some in (rows[:1], rows))
    assert ".svg" not in alone
    assert both.count(".svg") == 1
    assert f"![{CHARTS[chart]}](docs/images/{chart}.svg)" in both
