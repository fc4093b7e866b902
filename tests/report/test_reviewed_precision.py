import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from spacy_adak.report.predictions import Prediction
from spacy_adak.report.reviewed_precision import ReviewedPrecision, estimate_precision
from spacy_adak.report.sample_predictions import by_stratum, draw_predictions
from tests.report.samples import write_jsonl

LABELS = ("ORG", "PER")


def make_predictions(rng: random.Random, texts: int) -> dict[Prediction, bool]:
    """Predictions with whether they are right. A pipeline is too sure of them, and the
    annotation decides some."""
    made = {}
    for text in range(texts):
        for start in range(rng.randint(0, 4)):
            score = rng.random() ** 0.3
            is_right = rng.random() < 0.8 * score
            known = is_right if rng.random() < 0.2 else None
            label = rng.choice(LABELS)
            where = (f"{text:04} abcd", start, start + 1, label)
            made[Prediction(text, where, score, known)] = is_right
    return made


def draw(
    predictions: Sequence[Prediction], n: int, seed: int
) -> list[dict[str, object]]:
    unknown = [p for p in predictions if p.is_right is None]
    return [
        {
            "text": p.where[0],
            "line": p.text,
            "start": p.where[1],
            "end": p.where[2],
            "label": p.where[3],
            "form": p.where[0][p.where[1] : p.where[2]],
            "kind": "missed",
            "score": 1.0 if p.score is None else p.score,
            "draw": mark,
        }
        for p, mark in draw_predictions(by_stratum(unknown), n, seed)
    ]


def decide(row: dict[str, object], answer: str, **changes: object) -> dict[str, object]:
    keys = ("text", "start", "end", "label", "form", "kind")
    return {
        "scope": "place",
        "answer": answer,
        **{key: row[key] for key in keys},
        **changes,
    }


def judge(
    tmp_path: Path, made: dict[Prediction, bool], n: int, seed: int
) -> ReviewedPrecision:
    predictions = list(made)
    truth = {p.where: is_right for p, is_right in made.items()}
    rows = draw(predictions, n, seed)
    decisions = [
        decide(row, "accept" if truth[where_of(row)] else "reject") for row in rows
    ]
    sample = write_jsonl(tmp_path / "sample.jsonl", rows)
    return estimate_precision(
        predictions, sample, write_jsonl(tmp_path / "decisions.jsonl", decisions)
    )


def where_of(row: dict[str, object]) -> tuple[str, int, int, str]:
    text, start, end, label = (row[key] for key in ("text", "start", "end", "label"))
    assert isinstance(text, str)
    assert isinstance(start, int)
    assert isinstance(end, int)
    assert isinstance(label, str)
    return text, start, end, label


def test_estimates_are_unbiased_and_intervals_cover_the_truth(tmp_path: Path) -> None:
    rng = random.Random(0)
    made = make_predictions(rng, 800)
    truth = sum(made.values()) / len(made)
    of_type = [right for p, right in made.items() if p.where[3] == "ORG"]
    truth_of_type = sum(of_type) / len(of_type)
    values, covered, covered_of_type = [], 0, 0
    for seed in range(40):
        result = judge(tmp_path, made, 100, seed)
        values.append(result.overall.value)
        covered += result.overall.low <= truth <= result.overall.high
        org = result.per_type["ORG"]
        covered_of_type += org.low <= truth_of_type <= org.high
    assert sum(values) / len(values) == pytest.approx(truth, abs=0.015)
    assert covered >= 36
    assert covered_of_type >= 36


def test_all_judged_is_the_truth(tmp_path: Path) -> None:
    made = make_predictions(random.Random(1), 60)
    result = judge(tmp_path, made, 100_000, 0)
    assert result.overall.value == pytest.approx(sum(made.values()) / len(made))
    assert result.covered == 1
    assert result.judged == result.drawn == len(made) - result.known


def test_uncertain_ones_do_not_count_for_more_than_they_are(tmp_path: Path) -> None:
    # 900 sure and right, 100 unsure and wrong: more of the latter are asked about.
    sure = [
        Prediction(i, (f"{i:04}", 0, 1, "PER"), 0.99, is_right=None) for i in range(900)
    ]
    unsure = [
        Prediction(i, (f"{i:04}", 0, 1, "PER"), 0.5, is_right=None)
        for i in range(900, 1000)
    ]
    made = dict.fromkeys(sure, True) | dict.fromkeys(unsure, False)
    result = judge(tmp_path, made, 60, 0)
    assert result.overall.value == pytest.approx(0.9)
    # Where all that was judged is right, others may be wrong.
    assert result.overall.high < 1
    assert result.overall.low < 0.86


def test_equal_texts_count_as_often_as_they_are_there(tmp_path: Path) -> None:
    made = {
        Prediction(i, ("0000" if i < 30 else f"{i:04}", 0, 1, "PER"), 0.9, None): i < 30
        for i in range(40)
    }
    result = judge(tmp_path, made, 1000, 0)
    assert result.overall.value == pytest.approx(0.75)
    assert result.drawn == 11


def test_decisions_that_change_a_prediction_find_it_wrong(tmp_path: Path) -> None:
    predictions = [
        Prediction(i, (f"{i:04}", 0, 1, "PER"), None, is_right=None) for i in range(8)
    ]
    rows = draw(predictions, 8, 0)
    was = {"start": 0, "end": 1, "label": "PER"}
    decisions = [
        decide(rows[0], "accept"),
        decide(rows[1], "accept", label="ORG", suggested=was),
        decide(rows[2], "accept", end=2, suggested=was),
        decide(rows[3], "reject"),
        # The last decision counts, and one about the place wins over one on the form.
        decide(rows[4], "reject"),
        decide(rows[4], "accept"),
        {"scope": "form", "answer": "reject", "form": "0", "label": "PER"},
        decide(rows[5], "ignore"),
        decide(rows[6], "accept"),
    ]
    sample = write_jsonl(tmp_path / "sample.jsonl", rows)
    made = write_jsonl(tmp_path / "decisions.jsonl", decisions)
    with pytest.warns(UserWarning, match=r"W400.*7 of the 8"):
        result = estimate_precision(predictions, sample, made)
    assert result.overall.value == pytest.approx(3 / 7)


def test_what_was_not_judged_at_all_is_told(tmp_path: Path) -> None:
    predictions = [
        Prediction(i, (f"{i:04}", 0, 1, label), None, is_right=None)
        for i, label in enumerate(["PER", "PER", "PER", "ORG"])
    ]
    rows = draw(predictions, 4, 0)
    decisions = [decide(row, "accept") for row in rows if row["label"] == "PER"]
    sample = write_jsonl(tmp_path / "sample.jsonl", rows)
    made = write_jsonl(tmp_path / "decisions.jsonl", decisions)
    with pytest.warns(UserWarning, match="W400"):
        result = estimate_precision(predictions, sample, made)
    assert list(result.per_type) == ["PER"]
    assert "75 % of all" in result.describe()


def test_suggestions_that_were_not_drawn_tell_nothing(tmp_path: Path) -> None:
    predictions = [Prediction(0, ("0000", 0, 1, "PER"), None, is_right=None)]
    rows = draw(predictions, 1, 0)
    for row in rows:
        del row["draw"]
    sample = write_jsonl(tmp_path / "suggestions.jsonl", rows)
    made = write_jsonl(tmp_path / "decisions.jsonl", [decide(rows[0], "accept")])
    with pytest.raises(ValueError, match=r"A415.*suggestions\.jsonl"):
        estimate_precision(predictions, sample, made)


def test_another_pipeline_is_refused(tmp_path: Path) -> None:
    predictions = [
        Prediction(i, (f"{i:04}", 0, 1, "PER"), None, is_right=None) for i in range(5)
    ]
    sample = write_jsonl(tmp_path / "sample.jsonl", draw(predictions, 5, 0))
    row = json.loads(sample.read_text().splitlines()[0])
    made = write_jsonl(tmp_path / "decisions.jsonl", [decide(row, "accept")])
    with (
        pytest.warns(UserWarning, match="W400"),
        pytest.raises(ValueError, match=r"A416.*PER had 5.*now makes 4"),
    ):
        estimate_precision(predictions[1:], sample, made)


def test_no_decision_about_what_was_drawn_is_an_error(tmp_path: Path) -> None:
    predictions = [Prediction(0, ("0000", 0, 1, "PER"), None, is_right=None)]
    rows = draw(predictions, 1, 0)
    sample = write_jsonl(tmp_path / "sample.jsonl", rows)
    made = write_jsonl(tmp_path / "decisions.jsonl", [decide(rows[0], "ignore")])
    with pytest.raises(ValueError, match=r"A417.*decisions\.jsonl"):
        estimate_precision(predictions, sample, made)
