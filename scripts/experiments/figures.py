"""Draw the paper's two curves, over K and over the ratio, as SVG and PNG.

    python -m scripts.experiments.figures results.jsonl figures --config cpu

Needs matplotlib: `pip install "spacy-adak[experiments]"`.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from spacy_adak.atomic import write_file

from .cells import CURVE_MODELS, CURVE_RATIOS, Task
from .failure import told_without_traceback
from .models import KS, MODELS
from .paper_values import PRINTED, TITLES
from .results import (
    Row,
    describe_encoder_of,
    find_rows,
    group_rows,
    read_reported,
    title_model,
)

matplotlib.use("Agg")
# The same results give the same file.
matplotlib.rcParams["svg.hashsalt"] = "spacy-adak"

Points = list[tuple[float, float]]
Curves = dict[str, Points]


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
            curves[f"{MODELS[model].title}, paper"] = theirs
    return curves


def draw(charts: dict[str, Curves], x_label: str, y_label: str) -> Figure:
    """RETURNS (Figure): Line charts side by side, each with its title."""
    figure = Figure(figsize=(5 * len(charts), 3.6), layout="constrained")
    panels = figure.subplots(1, len(charts), sharey=True, squeeze=False)[0]
    for axes, (title, curves) in zip(panels, charts.items(), strict=True):
        draw_curves(axes, curves)
        axes.set(title=title, xlabel=x_label, ylabel=y_label)
    return figure


def draw_curves(axes: Axes, curves: Curves) -> None:
    """Draw a line chart; the paper's curves are dashed.

    axes (Axes): What to draw on.
    curves (dict[str, list]): The points of each curve.
    """
    colours: dict[str, str] = {}
    for name, points in curves.items():
        # After the comma is whose it is, or in how many rounds.
        model = name.split(",")[0]
        is_paper = name.endswith(", paper")
        colour = colours.setdefault(model, f"C{len(colours)}")
        style = "o--" if is_paper else "o-"
        fill = "none" if is_paper else colour
        xs, ys = [x for x, _ in points], [y for _, y in points]
        axes.plot(xs, ys, style, color=colour, markerfacecolor=fill, label=name)
    axes.set_xticks(sorted({x for points in curves.values() for x, _ in points}))
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure as SVG and as PNG.

    figure (Figure): The figure.
    path (Path): The path without suffix.
    RETURNS (list[Path]): The files.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    svg, png = path.with_suffix(".svg"), path.with_suffix(".png")
    # The names of files that are not whole yet don't end with their format.
    write_file(
        svg,
        lambda beside: figure.savefig(beside, format="svg", metadata={"Date": None}),
    )
    write_file(png, lambda beside: figure.savefig(beside, format="png", dpi=150))
    return [svg, png]


def find_dataset(rows: Sequence[Row]) -> str:
    """RETURNS (str): The dataset that K was varied on; Taobao in the paper."""
    varied = [row["dataset"] for row in rows if row["model"] == KS[1]]
    return varied[0] if varied else "taobao"


def draw_all(rows: Sequence[Row], dataset: str, folder: Path) -> list[Path]:
    """RETURNS (list[Path]): The files with both figures of a dataset, each with a chart
    for each encoder."""
    groups = group_rows(row for row in rows if row["dataset"] == dataset)
    by_encoder = {describe_encoder_of(group[0]): group for group in groups}
    k, ratio = {}, {}
    # Without results there are the paper's.
    for encoder, group in (by_encoder or {"no results": []}).items():
        k[f"{TITLES[dataset]}, ρ = 0.2\n{encoder}"] = k_curves(group, dataset)
        ratio[f"{TITLES[dataset]}\n{encoder}"] = ratio_curves(group, dataset)
    return [
        *save(draw(k, "K", "P, R and F1 (%)"), folder / "k"),
        *save(draw(ratio, "ρ, share of entities kept", "F1 (%)"), folder / "ratio"),
    ]


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
    for path in draw_all(rows, find_dataset(rows), arguments.output):
        print(path)


if __name__ == "__main__":
    main()
