"""Write what decisions have gained: a summary with what was aimed at, and a table for
each dataset and scheme. `python -m scripts.docs` draws the curves.

python -m scripts.experiments.loop_report
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from wasabi import MarkdownRenderer

from spacy_adak.atomic import write_bytes

from .cells import FULL, SCHEMES, Task
from .failure import told_without_traceback
from .paper_values import TITLES
from .results import Row, find_rows, read_reported, read_results
from .tables import NOTHING, align, measure_paper_recovery

RESULTS = Path("experiments/loop/results.jsonl")
UNITS = {"form": "by form", "place": "by place", "random": "annotated at random"}
INTRODUCTION = (
    "Recovery after a number of decisions about suggestions, for which the complete "
    "annotation answers instead of a person. Decisions are made by form, in the order "
    "of their value, or by place, starting where the models are least sure. As a "
    "control, the same number of entities is annotated at random. Recovery is F1 on "
    "test divided by that of the CRF on all annotations, with the same encoder. All "
    "values come from one seed, so differences below a point mean nothing."
)
CHART = "![Recovery over the number of decisions]({folder}docs/images/loop.svg)"
# The goals: the paper's recovery on Youku, by decisions about forms, and on all
# data a gain so many times that of as many annotations at random. A gain below a point
# is no larger than the difference between seeds.
GOAL_DATASETS = ("conll2003", "taobao", "youku")
GOAL_DECISIONS = 100
GOAL_CELL = ("youku", "entity", 0.2)
GOAL_TIMES = 2
LEAST_GAIN = 1.0


def recovery(row: Row, full: Sequence[Row]) -> float | None:
    """RETURNS (float | None): What is recovered, in percent, if it can be told."""
    rows = [r for r in find_rows(full, row["dataset"], FULL) if same_encoder(r, row)]
    return 100 * row["test"]["f"] / mean(r["test"]["f"] for r in rows) if rows else None


def same_encoder(left: Row, right: Row) -> bool:
    """RETURNS (bool): Whether two results rest on the same encoder."""
    return left["encoder"] == right["encoder"] and left["config"] == right["config"]


def group_cells(rows: Sequence[Row]) -> list[list[Row]]:
    """RETURNS (list[list[Row]]): The results of each cell, in the order of datasets."""
    order = list(TITLES)
    names = sorted(
        {row["cell"]: row for row in rows}.items(),
        key=lambda item: (order.index(item[1]["dataset"]), item[1]["scheme"], item[0]),
    )
    return [[row for row in rows if row["cell"] == name] for name, _ in names]


def title_cell(row: Row) -> str:
    """RETURNS (str): What a cell is called."""
    return f"{TITLES[row['dataset']]}, {row['scheme']}-based, ρ = {row['ratio']:g}"


def make_summary(rows: Sequence[Row], full: Sequence[Row]) -> str:
    """RETURNS (str): A table with the recovery after so many decisions, a row for each
    cell."""
    rank = ["none", *UNITS].index
    columns = sorted(
        {(row["unit"], row["count"]) for row in rows}, key=lambda c: (rank(c[0]), c[1])
    )
    header = ["Dataset", "Scheme", "ρ"]
    header += [f"{n} {UNITS[unit]}" if n else "nothing decided" for unit, n in columns]
    body = []
    for of_cell in group_cells(rows):
        first = of_cell[0]
        values = {(r["unit"], r["count"]): recovery(r, full) for r in of_cell}
        theirs = _paper_recovery(first)
        body.append(
            [
                TITLES[first["dataset"]],
                first["scheme"],
                f"{first['ratio']:g}",
                *(_write(values.get(column)) for column in columns),
                _write(theirs),
            ]
        )
    header.append("the paper")
    return MarkdownRenderer().table(body, header, aligns=align(header, texts=2))


def describe_goals(rows: Sequence[Row], full: Sequence[Row]) -> str:
    """RETURNS (str): The goals, and whether they were reached."""
    cells = group_cells(rows)
    youku = [
        of_cell
        for of_cell in cells
        if tuple(of_cell[0][k] for k in ("dataset", "scheme", "ratio")) == GOAL_CELL
    ]
    md = MarkdownRenderer()
    if youku:
        md.add(
            f"On {title_cell(youku[0][0])}, to recover what the paper does by at most "
            f"{GOAL_DECISIONS} decisions about forms: "
            f"{_describe_paper_goal(youku[0], full)}"
        )
    md.add(
        f"Everywhere, to gain more than {GOAL_TIMES} times as much by {GOAL_DECISIONS} "
        f"decisions about forms as by {GOAL_DECISIONS} annotations at random:"
    )
    lines = [f"{title_cell(c[0])}: {_describe_gain(c, full)}" for c in cells]
    measured = {(c[0]["dataset"], c[0]["scheme"]) for c in cells}
    lines += [
        f"{TITLES[dataset]}, {scheme}-based: not measured."
        for dataset in GOAL_DATASETS
        for scheme in SCHEMES
        if (dataset, scheme) not in measured
    ]
    md.add(md.list(lines))
    return md.text


def _describe_paper_goal(of_cell: Sequence[Row], full: Sequence[Row]) -> str:
    goal = _paper_recovery(of_cell[0])
    reached = [
        (row["count"], recovered)
        for row in of_cell
        if row["unit"] == "form"
        and row["count"] <= GOAL_DECISIONS
        and (recovered := recovery(row, full)) is not None
    ]
    if goal is None or not reached:
        return "not measured."
    met = sorted(pair for pair in reached if pair[1] >= goal)
    count, recovered = met[0] if met else max(reached)
    verdict = "met" if met else "missed"
    return f"**{verdict}**, {recovered:.1f} % after {count}; the paper has {goal:.1f}."


def _describe_gain(of_cell: Sequence[Row], full: Sequence[Row]) -> str:
    values = {(row["unit"], row["count"]): recovery(row, full) for row in of_cell}
    base = values.get(("none", 0))
    by_form = values.get(("form", GOAL_DECISIONS))
    at_random = values.get(("random", GOAL_DECISIONS))
    if base is None or by_form is None or at_random is None:
        return "not measured."
    gain, control = by_form - base, at_random - base
    is_met = gain >= LEAST_GAIN and gain > GOAL_TIMES * control
    verdict = "met" if is_met else "missed"
    small = (
        ", less than the difference between seeds"
        if max(gain, control) < LEAST_GAIN
        else ""
    )
    points = f"{gain:+.1f} against {control:+.1f} points".replace("-", "−")
    return f"**{verdict}**, {points}{small}."


def _paper_recovery(row: Row) -> float | None:
    task = Task(row["scheme"], row["ratio"], "adak")
    theirs = measure_paper_recovery(row["dataset"], task)
    return None if theirs is None else 100 * theirs


def _write(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def make_table(rows: Sequence[Row], full: Sequence[Row]) -> str:
    """RETURNS (str): A table of the results of one cell."""
    md = MarkdownRenderer()
    body = []
    units = ["none", *UNITS]
    for row in sorted(rows, key=lambda r: (units.index(r["unit"]), r["count"])):
        answers = row.get("answers", {})
        counts = [str(answers.get(a, 0)) for a in ("accept", "reject", "ignore")]
        recovered = recovery(row, full)
        body.append(
            [
                UNITS.get(row["unit"], "nothing decided"),
                str(row["count"]),
                " / ".join(counts) if answers else "",
                f"{row.get('entities', 0):,}",
                *(f"{100 * row['test'][key]:.2f}" for key in "prf"),
                _write(recovered),
            ]
        )
    header = ["Decided", "n", "Yes / no / passed", "New entities", "P", "R", "F1"]
    header.append("Recovery")
    return md.table(body, header, aligns=align(header, texts=1))


def write_report(rows: Sequence[Row], full: Sequence[Row]) -> str:
    """Write the page.

    rows (Sequence[Row]): The results of the loop.
    full (Sequence[Row]): Results with the CRF on all annotations.
    RETURNS (str): The page.
    """
    md = MarkdownRenderer()
    md.add(md.title(1, "What decisions gain"))
    md.add(INTRODUCTION)
    md.add(make_summary(rows, full))
    md.add(CHART.format(folder="../../"))
    md.add(md.title(2, "Goals"))
    md.add(describe_goals(rows, full))
    for of_cell in group_cells(rows):
        md.add(md.title(2, title_cell(of_cell[0])))
        for row in of_cell:
            if row["unit"] == "none":
                md.add(
                    f"Of the 100 most probable suggestions "
                    f"{100 * row['precision_of_100']:.0f} % are right, of the 500 most "
                    f"probable {100 * row['precision_of_500']:.0f} %."
                )
        md.add(make_table(of_cell, full))
    return md.text


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    with told_without_traceback():
        rows = read_reported(RESULTS)
        text = write_report(rows, read_results(Path("experiments/full/results.jsonl")))
    write_bytes(RESULTS.with_name("RESULTS.md"), f"{text}\n".encode())
    print(text)


if __name__ == "__main__":
    main()
