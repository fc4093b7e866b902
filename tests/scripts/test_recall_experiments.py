"""Estimates of a recall that is known: what is asked, and what is written down."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.experiments import estimated_recall, simulated_recall
from scripts.experiments.estimated_recall import (
    RecallCell,
    read_recalls,
    recall_cells,
    run_cell,
)
from scripts.experiments.simulated_recall import simulate
from spacy_adak.data.docbin import write_docbin
from spacy_adak.recall.estimate import RecallEstimate
from spacy_adak.recall.intervals import Interval
from spacy_adak.shards.recall_file import KnownRecall
from tests.made_corpus import make_docs


def test_schemes_are_one_if_all_entities_are_kept() -> None:
    cells = list(recall_cells(["youku"], [0.4, 1.0], None, [0]))
    assert [(cell.scheme, cell.ratio) for cell in cells] == [
        ("random", 0.4),
        ("entity", 0.4),
        ("random", 1.0),
    ]


def test_run_is_stopped_when_it_knows_the_recall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_docbin(tmp_path / "train.spacy", make_docs(100))
    given: list[dict[str, Any]] = []

    def train(config: Path, output: Path, **settings: Any) -> None:
        given.append(settings["overrides"])
        output.mkdir(parents=True)
        settings["on_recall"](KnownRecall(0.38, 0.3, 0.45, 0.2, True, "it is so"))
        raise AssertionError("nothing else is wanted")

    monkeypatch.setattr(estimated_recall, "train", train)
    monkeypatch.setattr(
        estimated_recall, "prepare_corpus", lambda *args, **kwargs: tmp_path
    )
    cell = RecallCell("youku", "random", 0.4, None, 0)
    run_cell(tmp_path, cell, "folder/small", None)
    row = read_recalls(tmp_path)[cell]
    assert row["truth"] == pytest.approx(0.4, abs=0.01)
    assert (row["recall"], row["interval"]) == (0.38, [0.3, 0.45])
    assert (row["encoder"], row["is_identifiable"]) == ("small", True)
    assert given[0]["paths.dev"] is None
    assert not list((tmp_path / "training" / "no_dev").glob("recall-*"))


def test_share_of_intervals_that_hold_the_truth() -> None:
    def estimator(seed: int) -> RecallEstimate | None:
        if seed == 3:
            return None
        recall = Interval(0.4, 0.3, 0.5 - 0.1 * seed)
        return RecallEstimate("forms", recall, {}, "")

    found = simulate(estimator, 0.4, 4)
    assert found["covered"] == pytest.approx(2 / 3, abs=1e-4)
    assert (found["mean"], found["draws"]) == (0.4, 3)


def test_results_replace_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--no-models", "--texts", "120", "--ratios", "0.5", "--draws"]
    for draws in ("1", "2"):
        monkeypatch.setattr("sys.argv", ["simulated_recall", *options, draws])
        simulated_recall.main()
    lines = (tmp_path / "experiments" / "no_dev" / "coverage.jsonl").read_text()
    rows = [json.loads(line) for line in lines.splitlines()]
    assert sorted(row["method"] for row in rows) == [
        "complete texts",
        "forms",
        "two annotators",
    ]
    assert {row["draws"] for row in rows if row["method"] == "complete texts"} == {2}
