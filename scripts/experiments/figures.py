"""Draw the paper's two curves, over K and over the ratio, as SVG.

python -m scripts.experiments.figures results.jsonl figures --config cpu
"""

import argparse
from collections.abc import Iterable, Sequence
from math import ceil
from pathlib import Path
from statistics import mean

from scripts.docs.line_chart import LineChart
from scripts.docs.svg import Entry, Picture, Shape
from spacy_adak.atomic import write_bytes

from .cells import CURVE_MODELS, CURVE_RATIOS, Task
from .failure import told_without_traceback
from .models import KS, MODELS
from .paper_values import PRINTED, TITLES
from .results import (
    Row,
    describe_encoder_of,
    find_rows,
    group_by_rounds,
    group_rows,
    read_reported,
    rounds_of,
    title_model,
)

Points = list[tuple[float, float]]
Curves = dict[str, Points]
_OF_PAPER = ", paper"
_COLORS = ("#8c959f", "#2b7bba", "#dd7a1f")
_TICK, _HEIGHT = 10, 370


def k_curves(rows: Sequence[Row], dataset: str) -> Curves:
    """RETURNS (dict[str, list]): P, R and F1 over K, random-based scheme, ρ = 0.2."""
    curves: Curves = {"P": [], "R": [], "F1": []}
    for k, model in KS.items():
        found = find_rows(rows, dataset, Task("random", 0.2, model))
        for title, key in zip(curves, "prf", strict=True):
            if found:
                score = mean(row["test"][key] for row in found)
                curves[title].append((k, 100 * score))
    return curves


def ratio_curves(rows: Sequence[Row], dataset: str) -> Curves:
    """RETURNS (dict[str, list]): F1 of each model over the ratio, ours and, as far as
    printed, the paper's."""
    curves: Curves = {}
    for model in CURVE_MODELS:
        ours: Points = []
        theirs: Points = []
        rows_of_model: list[Row] = []
        for ratio in CURVE_RATIOS:
            task = Task("random", ratio, model)
            if found := find_rows(rows, dataset, task):
                rows_of_model += found
                ours.append((ratio, 100 * mean(row["test"]["f"] for row in found)))
            if printed := PRINTED.get((dataset, *task)):
                theirs.append((ratio, printed.f1))
        curves[title_model(model, rows_of_model)] = ours
        if theirs:
            curves[f"{MODELS[model].title}{_OF_PAPER}"] = theirs
    return curves


def draw(
    charts: dict[str, Curves], title: str, xs: Sequence[float], x_title: str
) -> str:
    """Draw line charts one below the other, each with its title.

    charts (dict[str, dict[str, list]]): The curves of each chart. Those of the paper
        are dashed.
    title (str): What all of them show.
    xs (Sequence[float]): All values of x.
    x_title (str): What x is.
    RETURNS (str): The picture.
    """
    picture = Picture(title, 720, _HEIGHT * len(charts))
    for i, (name, curves) in enumerate(charts.items()):
        top = _HEIGHT * i
        entries = _entries(curves)
        picture.legend(entries, left=60.0, y=top + 26)
        values = [y for points in curves.values() for _, y in points] or [0.0]
        low = _TICK * int(min(values) / _TICK)
        high = max(_TICK * ceil(max(values) / _TICK), low + _TICK)
        chart = LineChart(60, top + 90, 640, 220, xs, low, high)
        chart.draw_frame(picture, name, x_title, _TICK)
        for entry, points in zip(entries, curves.values(), strict=True):
            chart.draw_line(picture, points, entry.color, dashed=entry.shape == "ring")
    return picture.to_svg()


def _entries(curves: Curves) -> list[Entry]:
    """A model has the same color in the paper and here."""
    # After the comma is whose it is, or in how many rounds.
    models = [name.split(",")[0] for name in curves]
    colors = dict(zip(dict.fromkeys(models), _COLORS, strict=False))
    shapes: dict[bool, Shape] = {True: "ring", False: "dot"}
    return [
        Entry(name, colors[model], shapes[name.endswith(_OF_PAPER)])
        for name, model in zip(curves, models, strict=True)
    ]


def find_dataset(rows: Sequence[Row]) -> str:
    """RETURNS (str): The dataset that K was varied on; Taobao in the paper."""
    varied = [row["dataset"] for row in rows if row["model"] == KS[1]]
    return varied[0] if varied else "taobao"


def draw_all(rows: Iterable[Row], dataset: str) -> dict[str, str]:
    """Draw a figure where there are results with several values of K or of the ratio.

    rows (Iterable[dict]): The results.
    dataset (str): Whose results to draw.
    RETURNS (dict[str, str]): The figures by their names, "k" and "ratio". They have a
        chart for each encoder, and for each number of rounds.
    """
    k, ratio = {}, {}
    for group in group_rows(row for row in rows if row["dataset"] == dataset):
        encoder = describe_encoder_of(group[0]).replace("`", "")
        for rounds, alike in group_by_rounds(group).items():
            title = f"{TITLES[dataset]}: {encoder}, {rounds} rounds"
            if len({row["model"] for row in alike} & set(KS.values())) > 1:
                k[title] = k_curves(alike, dataset)
            # Models without rounds are in every group.
            with_rounds = [row for row in alike if rounds_of(row) is not None]
            if len({row["ratio"] for row in with_rounds}) > 1:
                ratio[title] = ratio_curves(alike, dataset)
    figures = {}
    if k:
        figures["k"] = draw(k, "P, R and F1 by K, in per cent", list(KS), "K")
    if ratio:
        title = "F1 by the share of entities kept, in per cent"
        figures["ratio"] = draw(ratio, title, CURVE_RATIOS, "ρ")
    return figures


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--config", default="cpu", help="the config of the results")
    arguments = parser.parse_args()
    with told_without_traceback():
        rows = read_reported(arguments.results, arguments.config)
        figures = draw_all(rows, find_dataset(rows))
        if not figures:
            raise ValueError(
                f"'{arguments.results}' has no results with several values of K or ρ. "
                "`python -m scripts.experiments.run figures` makes them."
            )
    for name, picture in figures.items():
        path = arguments.output / f"{name}.svg"
        write_bytes(path, picture.encode())
        print(path)


if __name__ == "__main__":
    main()
