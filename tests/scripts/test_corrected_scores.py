"""Scores on test sets that are made incomplete: what is compared, and what is said."""

from pathlib import Path

import pytest
import spacy
from spacy.training import Example

from scripts.experiments import corrected_scores
from scripts.experiments.corrected_scores import ScoreCell, annotate, compare
from scripts.experiments.corrected_scores_report import (
    describe_score_goal,
    make_scores_table,
)
from scripts.experiments.results import Row, read_results
from spacy_adak.annotation.completeness import is_complete
from spacy_adak.data.docbin import write_docbin
from tests.made_corpus import make_docs


def score_row(corrected: float | None, scheme: str = "random", seed: int = 0) -> Row:
    interval = corrected and [corrected, corrected - 0.03, corrected + 0.03]
    return {
        "dataset": "youku",
        "loss": "spacy-adak.MissingLoss.v1",
        "scheme": scheme,
        "ratio": 0.4,
        "complete": 50,
        "seed": seed,
        "truth": {"p": 0.8, "r": 0.8, "f": 0.8},
        "corrected": {"p": interval, "r": [0.8, 0.7, 0.9], "f": interval},
        "as_if_complete": 0.5,
    }


def test_some_texts_stay_complete() -> None:
    docs = make_docs(40)
    half = annotate(docs, ScoreCell("random", 0.5, 10, 0))
    assert [doc.text for doc in half] == [doc.text for doc in docs]
    assert sum(map(is_complete, half)) == 10
    others = annotate(docs, ScoreCell("random", 0.5, 10, 1))
    assert [d.to_bytes() for d in half] != [d.to_bytes() for d in others]


def test_corrected_scores_are_those_of_what_was_removed() -> None:
    docs = make_docs(200)
    nlp = spacy.blank("en")
    predicted = [Example(doc.copy(), doc) for doc in docs]
    (row,) = compare(nlp, predicted, [ScoreCell("random", 0.5, 50, 0)])
    assert row["truth"] == {"p": 1.0, "r": 1.0, "f": 1.0}
    p, low, high = row["corrected"]["p"]
    assert low <= p <= high
    assert p == pytest.approx(1.0, abs=0.1)
    assert row["corrected"]["r"][0] == 1.0
    assert row["annotation_recall"][0] == pytest.approx(0.5, abs=0.1)


def test_results_of_a_dataset_replace_its_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_docbin(tmp_path / "test.spacy", make_docs(60))
    nlp = spacy.blank("en")
    nlp.add_pipe("adak_ner").add_label("PERSON")
    nlp.initialize()
    nlp.to_disk(tmp_path / "model")
    monkeypatch.setattr(
        corrected_scores, "prepare_corpus", lambda *args, **kwargs: tmp_path
    )
    for dataset, seeds in (("youku", 2), ("taobao", 1), ("youku", 1)):
        arguments = ["corrected_scores", dataset, "model", "--seeds", str(seeds)]
        monkeypatch.setattr("sys.argv", arguments)
        corrected_scores.main()
    rows = read_results(Path("experiments/no_dev/scores.jsonl"))
    # Two schemes, with complete texts and without.
    assert [row["dataset"] for row in rows] == ["taobao"] * 4 + ["youku"] * 4
    assert rows[0]["loss"].startswith("spacy-adak.")


def test_table_has_errors_and_how_many_intervals_hold_the_truth() -> None:
    rows = [score_row(0.79), score_row(0.76, seed=1), score_row(None, "entity")]
    *_, of_random, of_entity = make_scores_table(rows).strip().splitlines()
    cells = [cell.strip() for cell in of_random.strip("|").split("|")]
    assert cells[4:] == ["80.0", "77.5", "50.0", "2.5", "4.0", "1", "2", "1", "2"]
    cells = [cell.strip() for cell in of_entity.strip("|").split("|")]
    assert cells[5:] == ["–", "50.0", "–", "–", "0", "1", "0", "1"]


def test_goal_is_told_for_its_scheme_only() -> None:
    rows = [score_row(0.79), score_row(0.76, seed=1), score_row(0.5, "entity")]
    told = describe_score_goal(rows)
    assert "Youku with 50 complete texts: 1 of 2 are, and 1 intervals do." in told
    assert told.count("Youku") == 1
