"""Write Markdown tables shaped like the paper's, with its values beside ours.

python -m scripts.experiments.tables experiments/full/results.jsonl tables.md
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev

from wasabi import MarkdownRenderer

from .cells import ABLATIONS, MODELS, PEERS, RATIOS
from .data_statistics import describe_statistics
from .paper_values import PRINTED, TITLES
from .results import Row, find_scores, read_results

MODEL_TITLES = {
    "crf": "CRF",
    "fuzzy": "Fuzzy CRF",
    "weighted": "weighted CRF",
    "adak": "AdaK-NER",
    "ratio": "expected entity ratio",
    "without-kbest-loss": "w/o K-best loss",
    "without-weighted-loss": "w/o weighted loss",
    "without-annealing": "w/o annealing",
    "without-kbest-candidates": "w/o K-best candidates",
    "without-dictionary": "w/o self-built candidates",
    "without-mask": "w/o candidate mask",
    "without-selection": "w/o sample selection",
}
NOTHING = "–"
EXPLANATION = (
    "Each value is ours / the paper's, in per cent on test. Recovery (rec.) is F1 "
    "divided by that of the CRF on all annotations with the same encoder. F1 of the "
    "paper is what follows from its P and R."
)
Key = tuple[str, float, str]  # scheme, ratio and model
FULL: Key = ("full", 1.0, "crf")


def write_tables(rows: Sequence[Row]) -> str:
    """RETURNS (str): All tables for which there is a result."""
    md = MarkdownRenderer()
    md.add(EXPLANATION)
    md.add(describe_encoders(rows))
    datasets = [name for name in TITLES if any(r["dataset"] == name for r in rows)]
    for number, scheme in ((2, "random"), (3, "entity")):
        models = (*MODELS, *PEERS)
        keys = [(scheme, ratio, model) for ratio in RATIOS for model in models]
        md.add(md.title(2, f"Table {number}: models, {scheme}-based scheme"))
        md.add(make_table(rows, datasets, [*keys, FULL]))
    keys = [("random", 0.2, model) for model in (*ABLATIONS, "adak")]
    md.add(md.title(2, "Table 4: ablation, random-based scheme, ρ = 0.2"))
    md.add(make_table(rows, datasets, keys))
    md.add(describe_inconsistencies())
    return md.text


def make_table(rows: Sequence[Row], datasets: Sequence[str], keys: list[Key]) -> str:
    """RETURNS (str): A table with a row for each key, four columns a dataset."""
    md = MarkdownRenderer()
    columns = ("P", "R", "F1", "rec.")
    header = ["ρ", "Model"]
    header += [f"{TITLES[name]} {column}" for name in datasets for column in columns]
    body = []
    for key in keys:
        cells = [f"{key[1]:g}", MODEL_TITLES[key[2]]]
        for dataset in datasets:
            cells += _cells(rows, dataset, key)
        body.append(cells)
    return md.table(body, header, aligns=["l", "l", *["r"] * (len(header) - 2)])


def _cells(rows: Sequence[Row], dataset: str, key: Key) -> list[str]:
    ours = find_scores(rows, dataset, *key)
    full = find_scores(rows, dataset, *FULL)
    cells = [[NOTHING, NOTHING] for _ in range(4)]
    if ours:
        for i, name in enumerate("pr"):
            cells[i][0] = f"{100 * mean(scores[name] for scores in ours):.2f}"
        f1 = [100 * scores["f"] for scores in ours]
        spread = f" ± {stdev(f1):.2f}" if len(f1) > 1 else ""
        cells[2][0] = f"{mean(f1):.2f}{spread}"
        best = mean(scores["f"] for scores in full) if full else 0.0
        if best:
            cells[3][0] = f"{mean(f1) / best:.1f}"
    if printed := PRINTED.get((dataset, *key)):
        best = PRINTED[(dataset, *FULL)].f1
        values = (printed.p, printed.r, printed.f1)
        for i, value in enumerate(values):
            cells[i][1] = f"{value:.2f}"
        cells[3][1] = f"{100 * printed.f1 / best:.1f}"
    return [f"{ours} / {theirs}" for ours, theirs in cells]


def describe_encoders(rows: Sequence[Row]) -> str:
    """RETURNS (str): What the results rest on; the paper has BERT."""
    found = sorted({(r["dataset"], r["encoder"], r["config"]) for r in rows})
    lines = [
        f"{TITLES[dataset]}: encoder {encoder} ({config})"
        for dataset, encoder, config in found
    ]
    return MarkdownRenderer().list(lines or ["There are no results yet."])


def describe_inconsistencies() -> str:
    """RETURNS (str): Where the F1 that the paper prints is not that of its P and R."""
    lines = [
        f"{TITLES[dataset]}, {scheme}, ρ = {ratio:g}, {MODEL_TITLES[model]}: printed "
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--corpora", type=Path, default=Path("corpus"))
    arguments = parser.parse_args()
    text = write_tables(read_results(arguments.results))
    statistics = describe_statistics(arguments.corpora)
    arguments.output.write_text(f"{text}\n\n{statistics}\n", encoding="utf8")
    print(text)


if __name__ == "__main__":
    main()
