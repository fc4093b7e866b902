"""What RESULTS.md says of scores on incomplete test sets."""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from wasabi import MarkdownRenderer

from .no_dev import SCHEMES
from .paper_values import TITLES
from .results import Row
from .tables import NOTHING, align

# By how many points of F1 a corrected score may be wrong, and where.
GOAL, GOAL_SCHEME, GOAL_RATIO = 2.0, "random", 0.4
EXPLANATION = (
    "A test set is annotated incompletely, again and again, and a pipeline scored on "
    "it: F1 on the complete test set, F1 as `adak evaluate` corrects it, by the "
    "incomplete texts alone or with some texts left complete, and F1 on what is "
    "annotated as if that were complete. Means over the test sets, and how many of "
    "their 95 % intervals hold the score on the complete one. `python -m "
    "scripts.experiments.corrected_scores` makes the test sets for any pipeline, here "
    "one that was trained with {losses}."
)


def describe_scores(rows: Sequence[Row]) -> str:
    """RETURNS (str): Markdown about corrected scores, with a table of them."""
    md = MarkdownRenderer()
    losses = sorted({row["loss"].split(".")[1] for row in rows})
    md.add(EXPLANATION.format(losses=" or ".join(losses)))
    md.add(make_scores_table(rows))
    md.add(describe_score_goal(rows))
    return md.text


def make_scores_table(rows: Sequence[Row]) -> str:
    """RETURNS (str): Corrected scores next to the true ones, over all test sets of a
    kind."""
    header = ["Dataset", "Scheme", "ρ", "Complete", "F1", "Corrected", "As if complete"]
    header += ["Mean error", "Largest error"]
    header += ["P inside", "R inside", "F1 inside", "Test sets"]
    body = []
    for of_kind in _kinds(rows):
        first = of_kind[0]
        errors = [_error(row) for row in of_kind]
        # Without anything to tell the recall of annotators F1 is not corrected.
        known = [error for error in errors if error is not None]
        corrected = [
            row["corrected"]["f"][0] for row in of_kind if row["corrected"]["f"]
        ]
        body.append(
            [
                TITLES[first["dataset"]],
                first["scheme"],
                f"{first['ratio']:g}",
                str(first["complete"]),
                f"{100 * first['truth']['f']:.1f}",
                f"{100 * mean(corrected):.1f}" if corrected else NOTHING,
                f"{100 * mean(row['as_if_complete'] for row in of_kind):.1f}",
                f"{mean(known):.1f}" if known else NOTHING,
                f"{max(known):.1f}" if known else NOTHING,
                *(str(sum(_is_inside(row, key) for row in of_kind)) for key in "prf"),
                str(len(of_kind)),
            ]
        )
    return MarkdownRenderer().table(body, header, aligns=align(header, texts=2))


def describe_score_goal(rows: Sequence[Row]) -> str:
    """RETURNS (str): Where corrected scores are as near to the truth as they should
    be."""
    sentences = [
        f"In the {GOAL_SCHEME}-based scheme with ρ = {GOAL_RATIO:g}, "
        f"corrected F1 should be within {GOAL:g} points of the truth, and its "
        "interval hold that."
    ]
    for of_kind in _kinds(rows):
        first = of_kind[0]
        place = (first["scheme"], first["ratio"])
        if place == (GOAL_SCHEME, GOAL_RATIO):
            errors = [_error(row) for row in of_kind]
            near = sum(error is not None and error <= GOAL for error in errors)
            inside = sum(_is_inside(row, "f") for row in of_kind)
            sentences.append(
                f"{TITLES[first['dataset']]} with {first['complete']} complete texts: "
                f"{near} of {len(of_kind)} are, and {inside} intervals do."
            )
    return " ".join(sentences)


def _kinds(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows that differ in their seed only."""
    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = (row["dataset"], row["scheme"], row["ratio"], row["complete"])
        kinds.setdefault(key, []).append(row)
    return [
        kinds[key]
        for key in sorted(kinds, key=lambda key: (key[0], SCHEMES.index(key[1]), *key))
    ]


def _error(row: Row) -> float | None:
    """By how many points corrected F1 is wrong."""
    score = row["corrected"]["f"]
    return None if score is None else 100 * abs(score[0] - row["truth"]["f"])


def _is_inside(row: Row, key: str) -> bool:
    score = row["corrected"][key]
    return score is not None and score[1] <= row["truth"][key] <= score[2]
