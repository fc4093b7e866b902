"""Write Markdown tables shaped like the paper's, with its values next to ours.

python -m scripts.experiments.tables results.jsonl tables.md --config cpu
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Literal

from wasabi import MarkdownRenderer

from spacy_adak.atomic import write_bytes

from .cells import FULL, RATIOS, TABLE_MODELS, Task
from .data_statistics import describe_statistics
from .failure import told_without_traceback
from .models import ABLATIONS, MODELS
from .paper_values import PRINTED, TITLES
from .results import (
    Row,
    describe_encoder_of,
    find_rows,
    group_rows,
    read_reported,
    title_model,
)

NOTHING = "–"
EXPLANATION = (
    "Each value is ours / the paper's, in per cent on test. Recovery (rec.) is F1 "
    "divided by that of the CRF on all annotations with the same encoder. F1 of the "
    "paper is computed from its P and R. A model that was given another number of "
    "rounds than the paper's 10 has it next to its name."
)
COLUMNS = ("P", "R", "F1", "rec.")


def write_tables(rows: Sequence[Row]) -> str:
    """RETURNS (str): All tables for which there is a result."""
    md = MarkdownRenderer()
    md.add(EXPLANATION)
    groups = group_rows(rows)
    md.add(describe_encoders(groups))
    for number, scheme in ((2, "random"), (3, "entity")):
        tasks = [Task(scheme, ratio, m) for ratio in RATIOS for m in TABLE_MODELS]
        md.add(md.title(2, f"Table {number}: models, {scheme}-based scheme"))
        md.add(make_table(groups, [*tasks, FULL]))
    tasks = [Task("random", 0.2, model) for model in (*ABLATIONS, "adak")]
    md.add(md.title(2, "Table 4: ablation, random-based scheme, ρ = 0.2"))
    md.add(make_table(groups, tasks))
    md.add(describe_inconsistencies())
    return md.text


def make_table(groups: Sequence[Sequence[Row]], tasks: Sequence[Task]) -> str:
    """RETURNS (str): A table with a row for each task, four columns for each dataset
    and encoder."""
    md = MarkdownRenderer()
    header = ["ρ", "Model"]
    datasets = [group[0]["dataset"] for group in groups]
    for group, dataset in zip(groups, datasets, strict=True):
        title = TITLES[dataset]
        if datasets.count(dataset) > 1:
            title = f"{title}, {describe_encoder_of(group[0])},"
        header += [f"{title} {column}" for column in COLUMNS]
    body = []
    for task in tasks:
        found: list[Row] = []
        cells = []
        for group, dataset in zip(groups, datasets, strict=True):
            found += find_rows(group, dataset, task)
            cells += compare(group, dataset, task)
        body.append([f"{task.ratio:g}", title_model(task.model, found), *cells])
    return md.table(body, header, aligns=align(header, texts=2))


def align(header: Sequence[str], texts: int) -> list[Literal["r", "c", "l"]]:
    """RETURNS (list[str]): How columns are aligned, of which the first are texts."""
    return ["l" if column < texts else "r" for column in range(len(header))]


def compare(rows: Sequence[Row], dataset: str, task: Task) -> list[str]:
    """Put the scores for a task next to the paper's.

    rows (Sequence[dict]): Results, all with the same config and encoder.
    dataset (str): The dataset.
    task (Task): The task.
    RETURNS (list[str]): Ours and theirs, for each of `COLUMNS`.
    """
    ours = [row["test"] for row in find_rows(rows, dataset, task)]
    cells = [[NOTHING, NOTHING] for _ in COLUMNS]
    if ours:
        for i, name in enumerate("pr"):
            cells[i][0] = f"{100 * mean(scores[name] for scores in ours):.2f}"
        f1 = [100 * scores["f"] for scores in ours]
        spread = f" ± {stdev(f1):.2f}" if len(f1) > 1 else ""
        cells[2][0] = f"{mean(f1):.2f}{spread}"
    recovery = measure_recovery(rows, dataset, task)
    if recovery is not None:
        cells[3][0] = f"{100 * recovery:.1f}"
    if printed := PRINTED.get((dataset, *task)):
        for i, value in enumerate((printed.p, printed.r, printed.f1)):
            cells[i][1] = f"{value:.2f}"
    paper_recovery = measure_paper_recovery(dataset, task)
    if paper_recovery is not None:
        cells[3][1] = f"{100 * paper_recovery:.1f}"
    return [f"{ours} / {theirs}" for ours, theirs in cells]


def measure_recovery(rows: Sequence[Row], dataset: str, task: Task) -> float | None:
    """RETURNS (float | None): F1 divided by that of the CRF on all annotations, if both
    are known."""
    ours, full = (mean_f1(rows, dataset, each) for each in (task, FULL))
    return ours / full if ours is not None and full else None


def mean_f1(rows: Sequence[Row], dataset: str, task: Task) -> float | None:
    """RETURNS (float | None): F1 on test in per cent, the mean of all seeds, if there
    is a result."""
    f1 = [100 * row["test"]["f"] for row in find_rows(rows, dataset, task)]
    return mean(f1) if f1 else None


def measure_paper_recovery(dataset: str, task: Task) -> float | None:
    """RETURNS (float | None): The same of what the paper prints."""
    printed, full = PRINTED.get((dataset, *task)), PRINTED.get((dataset, *FULL))
    return printed.f1 / full.f1 if printed and full else None


def describe_encoders(groups: Sequence[Sequence[Row]]) -> str:
    """RETURNS (str): What the results rest on; the paper has BERT."""
    firsts = [group[0] for group in groups]
    lines = [f"{TITLES[row['dataset']]}: {describe_encoder_of(row)}" for row in firsts]
    return MarkdownRenderer().list(lines)


def describe_inconsistencies() -> str:
    """RETURNS (str): Where the F1 that the paper prints is not that of its P and R."""
    lines = [
        f"{TITLES[dataset]}, {scheme}, ρ = {ratio:g}, {MODELS[model].title}: printed "
        f"{printed.f:.2f}, but P {printed.p:.2f} and R {printed.r:.2f} make "
        f"{printed.f1:.2f}"
        for (dataset, scheme, ratio, model), printed in PRINTED.items()
        if not printed.is_consistent
    ]
    md = MarkdownRenderer()
    md.add("Where F1 as printed in the paper does not follow from its P and R:")
    md.add(md.list(lines))
    return md.text


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--config", default="cpu", help="the config of the results")
    parser.add_argument("--corpora", type=Path, default=Path("corpus"))
    arguments = parser.parse_args()
    with told_without_traceback():
        tables = write_tables(read_reported(arguments.results, arguments.config))
        text = f"{tables}\n\n{describe_statistics(arguments.corpora)}"
    write_bytes(arguments.output, f"{text}\n".encode())
    print(text)


if __name__ == "__main__":
    main()
