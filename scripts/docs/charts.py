"""Charts of stored results."""

from collections.abc import Sequence
from math import ceil
from pathlib import Path

from scripts.experiments.cells import RATIOS, SCHEMES, Task
from scripts.experiments.figures import draw_all, find_dataset
from scripts.experiments.loop_report import group_cells, recovery, title_cell
from scripts.experiments.paper_values import TITLES
from scripts.experiments.results import Row, group_rows, read_results
from scripts.experiments.tables import measure_paper_recovery, measure_recovery
from scripts.experiments.trained_encoders import is_fine_tuned

from .line_chart import LineChart
from .svg import Entry, Picture

# The models of the chart in its order, with colours that most colour-blind readers can
# tell apart.
MODELS = {
    "crf": ("CRF, unmarked is O", "#8c959f"),
    "missing": ("likelihood of the annotation", "#2f9e68"),
    "adak": ("AdaK-NER, our encoder", "#dd7a1f"),
    "adak-default": ("our default", "#2b7bba"),
}
PAPER = ("AdaK-NER in the paper", "#c74f4f")
UNITS = {
    "form": ("forms decided", "#2b7bba"),
    "place": ("places decided", "#dd7a1f"),
    "random": ("annotated at random", "#8c959f"),
}
_LEFT, _RIGHT, _TOP, _ROW = 190, 700, 74, 26


def draw_recovery(path: Path) -> str:
    """Draw what each model recovers, a row for each dataset, scheme and ratio.

    path (Path): The results.
    RETURNS (str): The chart.
    """
    groups = group_rows(row for row in read_results(path) if not is_fine_tuned(row))
    conditions = [(scheme, ratio) for scheme in SCHEMES for ratio in RATIOS]
    height = _TOP + len(groups) * (len(conditions) * _ROW + 26) + 44
    title = "Recovery by method: F1 in per cent of the F1 with all annotations"
    picture = Picture(title, 720, height)

    def at(value: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * value / 100

    entries = [Entry(name, color) for name, color in MODELS.values()]
    picture.legend([*entries, Entry(*PAPER, "bar")])
    for tick in range(0, 101, 20):
        picture.line([(at(tick), _TOP), (at(tick), height - 40)], "faint")
        picture.text(str(tick), at(tick), height - 22, "small soft", "middle")
    y = _TOP + 4.0
    for group in groups:
        dataset = group[0]["dataset"]
        picture.text(TITLES[dataset], 16, y + 14, "title")
        y += 22
        for scheme, ratio in conditions:
            picture.text(f"{scheme}, {100 * ratio:.0f} % kept", 30, y + 14, "small")
            for model, (_, color) in MODELS.items():
                value = measure_recovery(group, dataset, Task(scheme, ratio, model))
                if value is not None:
                    place = {"cx": at(100 * value), "cy": y + 10, "r": 6}
                    picture.add("circle", **place, fill=color)
            value = measure_paper_recovery(dataset, Task(scheme, ratio, "adak"))
            if value is not None:
                x = at(100 * value)
                ends = [(x, y + 1), (x, y + 19)]
                picture.line(ends, stroke_width=3, style=f"stroke: {PAPER[1]}")
            y += _ROW
        y += 4
    picture.text(
        "recovery (%)", (_LEFT + _RIGHT) / 2, height - 6, "small soft", "middle"
    )
    return picture.to_svg()


def draw_loop(path: Path, full: Path) -> str:
    """Draw recovery over decisions, a chart for each dataset and scheme.

    path (Path): The results of the loop.
    full (Path): Results with the CRF on all annotations.
    RETURNS (str): The chart.
    """
    full_rows, rows = read_results(full), read_results(path)
    cells = group_cells(rows)
    counts = sorted({row["count"] for row in rows})
    height = 45 + 285 * ceil(len(cells) / 2)
    picture = Picture("Recovery over the number of decisions", 720, height)
    picture.legend([Entry(name, color) for name, color in UNITS.values()])
    values = [recovery(row, full_rows) or 0.0 for row in rows]
    low, high = 2 * int(min(values) / 2) - 2, 2 * int(max(values) / 2) + 2
    for i, of_cell in enumerate(cells):
        left, top = 60 + 345 * (i % 2), 70 + 285 * (i // 2)
        chart = LineChart(left, top, 290, 200, counts, low, high)
        chart.draw_frame(picture, title_cell(of_cell[0]), "decisions", step=2)
        start = [row for row in of_cell if row["unit"] == "none"]
        for unit, (_, color) in UNITS.items():
            chosen = [*start, *(row for row in of_cell if row["unit"] == unit)]
            if len(chosen) == len(start) and unit != "form":
                continue
            points = sorted(
                (row["count"], recovery(row, full_rows) or 0.0) for row in chosen
            )
            chart.draw_line(picture, points, color)
    picture.text("recovery (%)", 14, 34, "small soft")
    return picture.to_svg()


def draw_figures(rows: Sequence[Row]) -> dict[str, str]:
    """RETURNS (dict[str, str]): The figures of the paper for which there are results
    with frozen encoders, by their names."""
    frozen = [row for row in rows if not is_fine_tuned(row)]
    return draw_all(frozen, find_dataset(frozen))
