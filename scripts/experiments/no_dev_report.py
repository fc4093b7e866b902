"""What RESULTS.md says of half-annotated data alone: F1 by dev data, the estimated
recall of annotators, and scores on incomplete test sets."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from wasabi import MarkdownRenderer

from .corrected_scores_report import describe_scores
from .no_dev import BASELINES, LEARNT, TUNED, VARIANTS
from .paper_values import TITLES
from .results import Row, read_results
from .tables import NOTHING, align

FOLDER = Path("experiments") / "no_dev"
RESULTS, RECALL, COVERAGE = "results.jsonl", "recall.jsonl", "coverage.jsonl"
SCORES = "scores.jsonl"
# By how many points of F1 a variant may be worse than the complete dev set.
GOALS = {"50": 0.3, "none": 1.0}
SEEDS_OF_GOALS = 2
# How far the estimated recall may be from the truth.
RECALL_CELLS = 21
RECALL_GOALS = {"random": 0.05, "entity": 0.1}
DEV_DATA = (
    "F1 of our default on test, by the dev data that models are chosen by: all of it, "
    "some texts of it, all of it with as few entities annotated as in the training "
    "data, and none. `python -m scripts.experiments.no_dev` trains these cells."
)
CLEAN_TEXTS = (
    "The same complete texts as training data: added to the training texts, without "
    "dev data (*learnt*); as dev data, and our default then fine-tuned on them "
    "(*tuned*); and a plain CRF on them alone."
)
LAST_WEIGHTS = (
    "F1 with the last averaged weights of a training, instead of its best model by the "
    "dev data: {listed}."
)
RECALL_TABLE = (
    "The estimated recall of the annotators with its 95 % interval, without any "
    "complete text, over the first so many training texts. *Not identifiable* is what "
    "the run says itself. `python -m scripts.experiments.estimated_recall` makes these "
    "estimates."
)
COVERAGE_TABLE = (
    "How often the 95 % interval holds the truth, on the embedded sample, for "
    "annotators who forget at random. Fewer than 200 draws mean that an estimator had "
    "too little to go by in the others. What is said of *held-out texts* comes from "
    "one model, trained on other texts of the sample with as few annotations; a run "
    "has one for each fold. `python -m scripts.experiments.simulated_recall` draws the "
    "annotators."
)


class Setting(NamedTuple):
    """What results are compared within."""

    dataset: str
    scheme: str
    ratio: float
    encoder: str

    @property
    def title(self) -> str:
        """RETURNS (str): For people."""
        return f"{TITLES[self.dataset]} ({self.scheme}, ρ = {self.ratio:g})"


def write_no_dev(folder: Path) -> str:
    """Write all there is about half-annotated data alone.

    folder (Path): The folder with the results.
    RETURNS (str): Markdown; nothing without results.
    """
    md = MarkdownRenderer()
    if rows := read_results(folder / RESULTS):
        md.add(DEV_DATA)
        md.add(make_table(rows, VARIANTS))
        md.add(describe_goals(rows))
        if any(row["variant"] not in VARIANTS for row in rows):
            md.add(CLEAN_TEXTS)
            md.add(make_table(rows, (*LEARNT, *TUNED, *BASELINES)))
        if last := describe_last_weights(rows):
            md.add(last)
    if rows := read_results(folder / RECALL):
        md.add(md.title(3, "Recall of the annotators"))
        md.add(RECALL_TABLE)
        md.add(make_recall_table(rows))
        md.add(describe_recall_goals(rows))
    if rows := read_results(folder / COVERAGE):
        md.add(COVERAGE_TABLE)
        md.add(make_coverage_table(rows))
    if rows := read_results(folder / SCORES):
        md.add(md.title(3, "Scores on incomplete test sets"))
        md.add(describe_scores(rows))
    return md.text


def make_table(rows: Sequence[Row], variants: Sequence[str]) -> str:
    """RETURNS (str): F1 on test by variant; means over seeds."""
    header = ["Dataset", "Scheme", "ρ", "Encoder", *variants, "Seeds"]
    body = []
    for setting in _settings(rows):
        scores = [_f1(rows, setting, variant) for variant in variants]
        if any(scores):
            seeds = sorted({seed for each in scores for seed in each})
            values = [_mean(each, len(seeds)) for each in scores]
            place = [TITLES[setting.dataset], setting.scheme, f"{setting.ratio:g}"]
            listed = ", ".join(map(str, seeds))
            body.append([*place, setting.encoder, *values, listed])
    return MarkdownRenderer().table(body, header, aligns=align(header, texts=2))


def _settings(rows: Iterable[Row]) -> list[Setting]:
    return sorted({_setting(row) for row in rows})


def _setting(row: Row) -> Setting:
    return Setting(*(row[key] for key in Setting._fields))


def _f1(rows: Sequence[Row], setting: Setting, variant: str) -> dict[int, float]:
    """F1 of a variant by seed, in per cent."""
    # Complete texts alone are the same in both schemes.
    where = setting._replace(scheme="random") if variant in BASELINES else setting
    found = [r for r in rows if _setting(r) == where and r["variant"] == variant]
    return {row["seed"]: 100 * row["test"]["f"] for row in found}


def _mean(scores: dict[int, float], seeds: int) -> str:
    """The mean over seeds, and their number if there are fewer than of others."""
    if not scores:
        return NOTHING
    fewer = f" ({len(scores)})" if len(scores) < seeds else ""
    return f"{mean(scores.values()):.2f}{fewer}"


def describe_goals(rows: Sequence[Row]) -> str:
    """RETURNS (str): Where a variant is as good as it should be, and by how much it is
    not elsewhere. Only seeds that both have are compared."""
    sentences = []
    for variant, allowed in GOALS.items():
        met, missed = [], []
        for setting in _settings(rows):
            whole, part = (_f1(rows, setting, v) for v in ("complete", variant))
            seeds = whole.keys() & part.keys()
            if not seeds:
                continue
            loss = mean(whole[seed] - part[seed] for seed in seeds)
            told = f"{setting.title} {-loss:+.2f}"
            if len(seeds) < SEEDS_OF_GOALS:
                told += f", {len(seeds)} seed"
            if loss <= allowed:
                met.append(told)
            else:
                missed.append(f"{told}, {loss - allowed:.2f} too low")
        name = "No dev set" if variant == "none" else f"{variant} complete texts"
        goal = f"{name} should cost at most {allowed} F1 against the complete dev set"
        sentences.append(f"{goal}. {_met_and_missed(met, missed)}")
    return " ".join(sentences)


def _met_and_missed(met: Sequence[str], missed: Sequence[str]) -> str:
    if not met and not missed:
        return "It was not measured."
    parts = []
    if met:
        parts.append(f"Met: {'; '.join(met)}.")
    if missed:
        parts.append(f"Missed: {'; '.join(missed)}.")
    return " ".join(parts)


def describe_last_weights(rows: Sequence[Row]) -> str:
    """RETURNS (str): What the last weights score instead of the best ones, by the dev
    data; nothing if it was not measured."""
    listed = []
    for variant in VARIANTS:
        found = [r for r in rows if r["variant"] == variant and r.get("last")]
        if found:
            gains = [100 * (row["last"]["f"] - row["test"]["f"]) for row in found]
            count = f"{len(gains)} training" + ("s" if len(gains) > 1 else "")
            listed.append(f"{variant} {mean(gains):+.2f} ({count})")
    return LAST_WEIGHTS.format(listed=", ".join(listed)) if listed else ""


def make_recall_table(rows: Sequence[Row]) -> str:
    """RETURNS (str): The estimated recall of each cell."""
    header = ["Dataset", "Scheme", "Texts", "Seed", "Truth", "Estimate", "Interval"]
    header += ["Error", ""]
    body = []
    for row in sorted(rows, key=lambda r: (r["dataset"], r["scheme"], r["ratio"])):
        low, high = row["interval"]
        texts = "all" if row["texts"] is None else f"{row['texts']:,}"
        body.append(
            [
                TITLES[row["dataset"]],
                row["scheme"],
                texts,
                str(row["seed"]),
                f"{row['truth']:.2f}",
                f"{row['recall']:.2f}",
                f"{low:.2f} to {high:.2f}",
                f"{row['recall'] - row['truth']:+.2f}",
                "" if row["is_identifiable"] else "not identifiable",
            ]
        )
    return MarkdownRenderer().table(body, header, aligns=align(header, texts=2))


def describe_recall_goals(rows: Sequence[Row]) -> str:
    """RETURNS (str): Where the estimates are as near to the truth as they should be."""
    sentences = []
    for scheme, allowed in RECALL_GOALS.items():
        found = [row for row in rows if row["scheme"] == scheme]
        missed = []
        for row in found:
            error = abs(row["recall"] - row["truth"])
            is_flagged = scheme == "entity" and not row["is_identifiable"]
            # The numbers of the file have four decimals.
            if error > allowed + 1e-6 and not is_flagged:
                name = f"{TITLES[row['dataset']]}, ρ = {row['ratio']:g}"
                missed.append(f"{name} ({error - allowed:.3f} too far)")
        flagged = ", or not identifiable," if scheme == "entity" else ""
        sentences.append(
            f"In the {scheme}-based scheme {len(found) - len(missed)} of {len(found)} "
            f"estimates are within {allowed} of the truth{flagged} as they should be"
            + (f"; missed: {', '.join(missed)}." if missed else ".")
        )
    measured = len({(r["dataset"], r["scheme"], r["ratio"]) for r in rows})
    if measured < RECALL_CELLS:
        sentences.append(
            f"Of the {RECALL_CELLS} cells with ρ 0.2, 0.4, 0.7 and 1, "
            f"{RECALL_CELLS - measured} have not been measured."
        )
    inside = sum(r["interval"][0] <= r["truth"] <= r["interval"][1] for r in rows)
    sentences.append(f"{inside} of {len(rows)} intervals hold the truth.")
    return " ".join(sentences)


def make_coverage_table(rows: Sequence[Row]) -> str:
    """RETURNS (str): How often intervals of each estimator hold the truth."""
    header = [
        "Estimator",
        "ρ",
        "Mean estimate",
        "Mean width",
        "Holds the truth",
        "Draws",
    ]
    body = [
        [
            row["method"],
            f"{row['ratio']:g}",
            f"{row['mean']:.3f}",
            f"{row['width']:.3f}",
            f"{100 * row['covered']:.1f} %",
            str(row["draws"]),
        ]
        for row in sorted(rows, key=lambda row: (row["method"], row["ratio"]))
    ]
    return MarkdownRenderer().table(body, header, aligns=align(header, texts=1))
