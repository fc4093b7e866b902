import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.report.charts.bars import stacked_bars
from spacy_adak.report.charts.canvas import Axis, Scale, round_ticks, whole_ticks
from spacy_adak.report.charts.lines import Line, line_chart
from spacy_adak.report.charts.reliability import reliability_chart
from spacy_adak.report.reliability import Pair, measure_reliability

NAME = "{http://www.w3.org/2000/svg}"
X, Y = Axis("round", [1, 2, 3]), Axis("F1", [0.0, 0.5, 1.0])


def elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter(f"{NAME}{tag}"))


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-4, 1e6),
    st.integers(2, 10),
)
def test_ticks_are_even_and_cover_all_values(
    low: float, span: float, count: int
) -> None:
    ticks = round_ticks(low, low + span, count)
    step = ticks[1] - ticks[0]
    assert ticks[0] <= low + 1e-6 * step
    assert ticks[-1] >= low + span - 1e-6 * step
    assert all(b - a == pytest.approx(step, rel=1e-3) for a, b in pairwise(ticks))
    assert len(ticks) <= 3 * count


def test_ticks_of_a_single_value() -> None:
    assert len(round_ticks(0, 0)) >= 2
    assert len(round_ticks(7, 7)) >= 2


@given(st.integers(1, 5), st.integers(0, 300))
def test_whole_ticks_are_not_too_many(low: int, more: int) -> None:
    ticks = whole_ticks(low, low + more)
    assert ticks[0] == low
    assert ticks[-1] <= low + more
    assert len(ticks) <= 9


def test_scale_maps_ends_to_ends() -> None:
    scale = Scale(1, 3, 100, 50)
    assert [scale(value) for value in (1, 2, 3)] == [100, 75, 50]


def test_lines_go_up_where_values_do() -> None:
    lines = [Line("a", [(1, 0.2), (2, 0.4), (3, 0.9)], "#123")]
    (line,) = elements(line_chart("title", lines, X, Y), "polyline")
    points = [point.split(",") for point in line.attrib["points"].split()]
    xs, ys = (
        [float(value) for value in column] for column in zip(*points, strict=True)
    )
    assert xs == sorted(xs)
    assert ys == sorted(ys, reverse=True)


def test_legend_has_each_name_once() -> None:
    lines = [Line(name, [(1, 0.5)], "#123") for name in ("a", "a", "b")]
    texts = [e.text for e in elements(line_chart("title", lines, X, Y), "text")]
    assert texts.count("a") == texts.count("b") == 1


def test_single_point_is_seen() -> None:
    chart = line_chart("title", [Line("a", [(1, 0.5)], "#1")], X, Y, has_dots=False)
    assert len(elements(chart, "circle")) == 1


def test_parts_of_bars_stand_on_each_other() -> None:
    chart = stacked_bars(
        "title",
        [(1, {"a": 2, "b": 3})],
        {"a": "#1", "b": "#2"},
        "round",
        Axis("n", [0, 5]),
    )
    below, above = elements(chart, "rect")[-2:]
    assert float(above.attrib["y"]) + float(above.attrib["height"]) == pytest.approx(
        float(below.attrib["y"]), abs=0.02
    )
    assert float(above.attrib["height"]) == pytest.approx(
        1.5 * float(below.attrib["height"]), abs=0.02
    )


def test_names_are_escaped() -> None:
    name = "<script>\"'&"
    chart = line_chart(name, [Line(name, [(1, 0.5)], "#1")], X, Y)
    assert "<script>" not in chart
    assert ElementTree.fromstring(chart).attrib["aria-label"] == name


def test_point_for_each_bin_of_probabilities() -> None:
    pairs = [Pair(p, p > 0.5, "A") for p in (0.1, 0.15, 0.7, 0.95)]
    reliability = measure_reliability(pairs)
    assert reliability is not None
    assert len(elements(reliability_chart("title", reliability.bins), "circle")) == 3
