"""The page with what label sets and guesses have been measured to gain, and whether the
goals are met."""

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from wasabi import MarkdownRenderer

from . import guessers, label_sets
from .paper_values import TITLES

_INTRODUCTION = (
    "F1 on test, in per cent, with a small frozen encoder. Where fewer than all texts"
    " are used, they are the first ones of each split. Differences below a point are "
    "no larger than those between seeds. `python -m scripts.experiments.label_sets` "
    "and `python -m scripts.experiments.guessers` train what has no result yet; the "
    "results are in `experiments/label_sets/results.jsonl` and "
    "`experiments/guessers/results.jsonl`."
)
_OF_LABEL_SETS = (
    "The training texts are dealt out to as many parts as there are types, and each "
    "part keeps the entities of one type. `one-model` learns from all parts, each "
    "stated to be complete for its type. `rest-as-O` reads what is not annotated as "
    "O. `side-by-side` is a model for each part, joined. `crf` has all annotations. "
    "Epochs are those of the config, 5, where none are named."
)
_OF_GUESSERS = (
    "20 % of the entities stay annotated, by name. The guessers are a gazetteer with "
    "30 % of the forms of the complete training data, a model trained on 200 complete"
    " texts (noisy), and random spans."
)


class Goal(NamedTuple):
    """Something that was to be reached.

    what (str): What is compared.
    value (float): What was measured.
    least (float): What it should be at least.
    """

    what: str
    value: float
    least: float

    def describe(self) -> tuple[str, str, str, str]:
        """RETURNS (tuple): A row of a table."""
        distance = self.value - self.least
        outcome = "met" if distance >= 0 else f"missed by {-distance:.1f}"
        return self.what, f"{self.value:.1f}", f"{self.least:g}", outcome


def _title(dataset: str, documents: int | None) -> str:
    size = "all texts" if documents is None else f"{documents:,} texts"
    return f"{TITLES[dataset]}, {size}"


def goals_of_label_sets(
    results: dict[label_sets.Cell, dict[str, Any]],
) -> Iterator[Goal]:
    """YIELDS (Goal): What is to be reached with parts that are complete for one type,
    as far as it was measured."""
    for cell, row in sorted(results.items(), key=str):
        if cell.variant != "one-model":
            continue
        title = _title(cell.dataset, cell.documents)
        epochs = "" if cell.epochs is None else f", {cell.epochs} epochs"
        where = f"{title}{epochs}, ρ = {cell.ratio:g}, seed {cell.seed}"
        f = 100 * row["test"]["f"]
        full = results.get(cell._replace(variant="crf", ratio=1.0))
        if full:
            what = f"{where}: one model, % of the CRF on all annotations"
            yield Goal(what, f / full["test"]["f"], 97)
        for variant, least in (("rest-as-O", 10), ("side-by-side", 0)):
            other = results.get(cell._replace(variant=variant))
            if other:
                difference = f - 100 * other["test"]["f"]
                yield Goal(f"{where}: one model above {variant}", difference, least)


def goals_of_guessers(
    results: dict[guessers.Cell, dict[str, Any]],
) -> Iterator[Goal]:
    """YIELDS (Goal): What is to be reached with guessers, as far as it was measured."""
    for key in sorted({cell._replace(seed=0, guesser="") for cell in results}, key=str):
        title = _title(key.dataset, key.documents)
        for guesser, least in (("gazetteer", 0.0), ("noisy", 0.0), ("random", -0.2)):
            gains = [
                100 * (row["test"]["f"] - alone["test"]["f"])
                for cell, row in results.items()
                if cell._replace(seed=0, guesser="") == key
                and cell.guesser == guesser
                and (alone := results.get(cell._replace(guesser=guessers.NOBODY)))
            ]
            if gains:
                seeds = "" if len(gains) == 1 else f", mean of {len(gains)} seeds"
                yield Goal(f"{title}: gain by {guesser}{seeds}", mean(gains), least)


def write_page(root: Path) -> str:
    """RETURNS (str): The page.

    root (Path): The folder of the project, with the results.
    """
    of_label_sets = label_sets.read_results(root)
    of_guessers = guessers.read_results(root)
    goals = [*goals_of_label_sets(of_label_sets), *goals_of_guessers(of_guessers)]
    md = MarkdownRenderer()
    md.add(md.title(1, "Label sets and guesses: results"))
    md.add(_INTRODUCTION)
    md.add(md.title(2, "Goals"))
    md.add(
        md.table(
            [goal.describe() for goal in goals],
            ["What", "Measured", "Goal, at least", "Outcome"],
            aligns=["l", "r", "r", "l"],
        )
    )
    md.add(_not_measured(of_label_sets, of_guessers))
    md.add(md.title(2, "Corpora with different label sets"))
    md.add(_OF_LABEL_SETS)
    md.add(label_sets.make_table(of_label_sets))
    md.add(md.title(2, "Guessers"))
    md.add(_OF_GUESSERS)
    md.add(guessers.make_table(of_guessers))
    return f"{md.text}\n"


def _not_measured(
    of_label_sets: dict[label_sets.Cell, dict[str, Any]],
    of_guessers: dict[guessers.Cell, dict[str, Any]],
) -> str:
    """What is open: a goal counts as measured with all texts only."""
    whole = {
        (cell.dataset, cell.variant, cell.ratio)
        for cell in of_label_sets
        if cell.documents is None
    }
    guessed = {
        (cell.dataset, cell.guesser) for cell in of_guessers if cell.documents is None
    }
    missing = [
        f"{TITLES[dataset]} in parts, ρ = {ratio:g}"
        for dataset in ("conll2003", "youku")
        for ratio in (1.0, 0.4)
        if (dataset, "one-model", ratio) not in whole
    ]
    missing += [
        f"{TITLES['conll2003']}, {what}"
        for variant, what in (("new-type", "a new type"), ("taught", "taught a type"))
        if ("conll2003", variant, 0.4) not in whole
    ]
    missing += [
        f"{TITLES[dataset]} with guessers"
        for dataset in guessers.DATASETS
        if not {(dataset, guesser) for guesser in guessers.CHOICES} <= guessed
    ]
    if not missing:
        return "All of this was measured with all texts."
    return f"Not measured with all texts: {'; '.join(missing)}."
