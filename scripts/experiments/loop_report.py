"""Write what decisions have gained: a table, and a curve for each dataset.

python -m scripts.experiments.loop_report
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from matplotlib.figure import Figure
from wasabi import MarkdownRenderer

from spacy_adak.atomic import write_bytes

from .cells import FULL
from .failure import told_without_traceback
from .paper_values import TITLES
from .results import Row, find_rows, read_reported, read_results
from .tables import align

UNITS = {"form": "by form", "place": "by place", "random": "annotated at random"}
INTRODUCTION = (
    "What is recovered after so many decisions of an oracle, the complete annotation, "
    "about suggestions: by form as they are ranked, or by place, those that the models "
    "are least sure of first. As the control, as many entities are annotated at "
    "random. Recovery is F1 on test divided by that of the CRF on all annotations, "
    "over the same encoder."
)


def recovery(row: Row, full: Sequence[Row]) -> float | None:
    """RETURNS (float | None): What is recovered, in percent, if it can be told."""
    rows = [r for r in find_rows(full, row["dataset"], FULL) if same_encoder(r, row)]
    return 100 * row["test"]["f"] / mean(r["test"]["f"] for r in rows) if rows else None


def same_encoder(left: Row, right: Row) -> bool:
    """RETURNS (bool): Whether two results rest on the same encoder."""
    return left["encoder"] == right["encoder"] and left["config"] == right["config"]


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
                "" if recovered is None else f"{recovered:.1f}",
            ]
        )
    header = ["Decided", "n", "Yes / no / passed", "New entities", "P", "R", "F1"]
    header.append("Recovery")
    return md.table(body, header, aligns=align(header, texts=1))


def draw(rows: Sequence[Row], full: Sequence[Row], path: Path) -> None:
    """Draw recovery over the number of decisions, as SVG."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    base = [row for row in rows if row["unit"] == "none"]
    for unit, title in UNITS.items():
        chosen = [*base, *(row for row in rows if row["unit"] == unit)]
        points = sorted((r["count"], recovery(r, full) or 0.0) for r in chosen)
        if len(points) > len(base):
            axes.plot(*zip(*points, strict=True), marker="o", label=title)
    axes.set_xscale("symlog", linthresh=10)
    axes.set_xlabel("decisions")
    axes.set_ylabel("recovery (%)")
    axes.legend()
    figure.savefig(path, format="svg", metadata={"Date": None})


def write_report(folder: Path, full_results: Path) -> str:
    """Write the page and the curves.

    folder (Path): Has the results of the loop.
    full_results (Path): Results with the CRF on all annotations.
    RETURNS (str): The page.
    """
    rows = read_reported(folder / "results.jsonl")
    full = read_results(full_results)
    md = MarkdownRenderer()
    md.add(md.title(1, "What decisions gain"))
    md.add(INTRODUCTION)
    for name in dict.fromkeys(row["cell"] for row in rows):
        of_cell = [row for row in rows if row["cell"] == name]
        first = of_cell[0]
        title = TITLES[first["dataset"]]
        md.add(md.title(2, f"{title}, {first['scheme']}-based, ρ = {first['ratio']:g}"))
        for row in of_cell:
            if row["unit"] == "none":
                md.add(
                    f"Of the 100 most probable suggestions "
                    f"{100 * row['precision_of_100']:.0f} % are right, of the 500 most "
                    f"probable {100 * row['precision_of_500']:.0f} %."
                )
        md.add(make_table(of_cell, full))
        draw(of_cell, full, folder / f"{name}.svg")
        md.add(f"![Recovery over decisions]({name}.svg)")
    write_bytes(folder / "RESULTS.md", f"{md.text}\n".encode())
    return md.text


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.parse_args()
    with told_without_traceback():
        full = Path("experiments/full/results.jsonl")
        print(write_report(Path("experiments/loop"), full))


if __name__ == "__main__":
    main()
