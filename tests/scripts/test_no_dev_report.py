"""What RESULTS.md says of half-annotated data alone, from what results there are."""

from collections.abc import Callable
from pathlib import Path

import pytest
import srsly

from scripts.experiments.cells import FULL, Cell
from scripts.experiments.no_dev_report import (
    describe_goals,
    describe_last_weights,
    describe_recall_goals,
    make_table,
    write_no_dev,
)
from scripts.experiments.recovery import write_recovery
from scripts.experiments.results import Row
from tests.scripts.test_corrected_scores import score_row


def row(variant: str, f1: float, scheme: str = "random", seed: int = 0) -> dict:
    return {
        "dataset": "youku",
        "scheme": scheme,
        "ratio": 0.2,
        "variant": variant,
        "seed": seed,
        "encoder": "small",
        "test": {"f": f1},
    }


def recall_row(scheme: str, recall: float, is_identifiable: bool = True) -> dict:
    return {
        "dataset": "youku",
        "scheme": scheme,
        "ratio": 0.4,
        "texts": None,
        "seed": 0,
        "truth": 0.4,
        "recall": recall,
        "interval": [recall - 0.1, recall + 0.1],
        "is_identifiable": is_identifiable,
    }


def cell(table: str, scheme: str, column: str) -> str:
    header, _, *lines = [
        [each.strip() for each in line.strip("|").split("|")]
        for line in table.strip().splitlines()
    ]
    (line,) = (line for line in lines if line[1] == scheme)
    return line[header.index(column)]


def test_table_has_means_over_seeds_and_gaps() -> None:
    rows = [
        row("complete", 0.75),
        row("complete", 0.77, seed=1),
        row("50", 0.74),
        row("none", 0.5, "entity"),
        row("crf-on-50", 0.3),
    ]
    table = make_table(rows, ["complete", "50", "none"])
    assert cell(table, "random", "complete") == "76.00"
    assert cell(table, "random", "50") == "74.00 (1)"
    assert cell(table, "random", "none") == "–"
    assert cell(table, "entity", "none") == "50.00"
    assert cell(table, "random", "Encoder") == "small"
    assert cell(table, "random", "Seeds") == "0, 1"


def test_baseline_that_sees_no_training_data_stands_in_both_schemes() -> None:
    rows = [row("tuned-on-50", 0.6, "entity"), row("crf-on-50", 0.3)]
    table = make_table(rows, ["tuned-on-50", "crf-on-50"])
    assert cell(table, "entity", "crf-on-50") == "30.00"


def test_goals_are_met_or_missed_by_so_much() -> None:
    rows = [
        *(row("complete", 0.76, seed=seed) for seed in (0, 1)),
        row("50", 0.757),
        row("50", 0.759, seed=1),
        row("none", 0.74),
        row("complete", 0.70, "entity"),
        row("none", 0.695, "entity"),
    ]
    fifty, none = describe_goals(rows).split("No dev set")
    assert fifty.endswith("Met: Youku (random, ρ = 0.2) -0.20. ")
    # Seeds that one of them lacks are not compared.
    assert "Missed: Youku (random, ρ = 0.2) -2.00, 1 seed, 1.00 too low." in none
    assert "Met: Youku (entity, ρ = 0.2) -0.50, 1 seed." in none


def test_goals_that_were_not_measured_are_said_to_be() -> None:
    assert describe_goals([row("complete", 0.7)]).count("It was not measured.") == 2


def test_last_weights_are_told_where_they_were_scored() -> None:
    rows = [row("complete", 0.7), {**row("none", 0.7), "last": {"f": 0.71}}]
    assert "none +1.00 (1 training)" in describe_last_weights(rows)
    assert describe_last_weights(rows[:1]) == ""


@pytest.mark.parametrize(
    ("scheme", "recall", "is_identifiable", "told"),
    [
        ("random", 0.43, True, "1 of 1"),
        ("random", 0.47, True, "0 of 1 estimates"),
        ("random", 0.47, False, "Youku, ρ = 0.4 (0.020 too far)"),
        ("entity", 0.48, True, "1 of 1"),
        ("entity", 0.9, True, "Youku, ρ = 0.4 (0.400 too far)"),
        ("entity", 0.9, False, "1 of 1"),
    ],
)
def test_recalls_are_near_the_truth_or_flagged(
    scheme: str, recall: float, is_identifiable: bool, told: str
) -> None:
    told_of = describe_recall_goals([recall_row(scheme, recall, is_identifiable)])
    (sentence,) = (s for s in told_of.split("In the ") if s.startswith(scheme))
    assert told in sentence


def test_section_has_all_there_is(tmp_path: Path, result: Callable[..., Row]) -> None:
    assert write_no_dev(tmp_path) == ""
    coverage = {
        "method": "forms",
        "ratio": 0.4,
        "mean": 0.41,
        "width": 0.1,
        "covered": 0.945,
        "draws": 200,
    }
    for name, rows in {
        "results": [row("complete", 0.7), row("learnt-50", 0.71)],
        "recall": [recall_row("random", 0.41)],
        "coverage": [coverage],
        "scores": [score_row(0.79)],
    }.items():
        srsly.write_jsonl(tmp_path / f"{name}.jsonl", rows)
    text = write_no_dev(tmp_path)
    full = result(Cell("youku", "cpu", *FULL, 0), 0.8, 0.8)
    assert "### Recall of the annotators" in text
    assert "94.5 %" in text
    assert "### Scores on incomplete test sets" in text
    assert "trained with MissingLoss" in text
    assert "learnt-50" in text
    assert "## No complete dev set" in write_recovery([full], no_dev=text)
    assert "No complete dev set" not in write_recovery([full])
