import json
from pathlib import Path
from typing import Any

import pytest

from spacy_adak.data.suggestions import read_suggestions
from spacy_adak.data.summary import Summary

ACME = {
    "text": "Acme hired Ann.",
    "line": 0,
    "start": 0,
    "end": 4,
    "label": "ORG",
    "form": "Acme",
    "kind": "missed",
    "score": 0.5,
}


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return path


def test_all_that_is_said_is_read(tmp_path: Path) -> None:
    row = {
        **ACME,
        "alternatives": [
            {"probability": 0.3, "spans": []},
            {"probability": 0.1, "spans": [{"start": 0, "end": 10, "label": "PER"}]},
        ],
        "annotated": [{"start": 11, "end": 14, "label": "PER"}],
        "found": 12,
        "marked": 0,
        "outside": 3,
        "value": 4,
        "draw": {"stratum": "ORG, 0.5 to 0.8", "size": 12, "weight": 2.4},
    }
    summary = Summary()
    (suggestion,) = read_suggestions(write(tmp_path / "s.jsonl", row), summary)
    assert not summary.problems
    assert suggestion.model_dump() == row


def test_half_a_character_is_kept(tmp_path: Path) -> None:
    row = {**ACME, "text": "Acm\ud800 hired Ann.", "form": "Acm\ud800"}
    (suggestion,) = read_suggestions(write(tmp_path / "s.jsonl", row), Summary())
    assert suggestion.form == "Acm\ud800"


@pytest.mark.parametrize(
    "change",
    [
        {"start": "0"},
        {"start": True},
        {"start": -1},
        {"end": 0},
        {"end": 16},
        {"label": ""},
        {"kind": "other"},
        {"score": 1.5},
        {"score": float("nan")},
        {"text": None},
        {"annotated": [{"start": 11, "end": 16, "label": "PER"}]},
        {"alternatives": [{"probability": 0.1}, {"probability": 2}]},
        {"value": float("inf")},
    ],
    ids=str,
)
def test_what_is_no_suggestion_is_noted_with_its_line(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    summary = Summary()
    path = write(tmp_path / "s.jsonl", ACME, {**ACME, "start": 1, "end": 4, **change})
    assert len(list(read_suggestions(path, summary))) == 1
    assert [problem.line for problem in summary.problems] == [2]
    assert "[W350]" in str(summary.problems[0])


def test_second_suggestion_of_a_place_is_noted(tmp_path: Path) -> None:
    summary = Summary()
    path = write(tmp_path / "s.jsonl", ACME, {**ACME, "kind": "doubtful"}, ACME)
    assert len(list(read_suggestions(path, summary))) == 2
    assert "line 3: [W351] the same suggestion as in line 1" in str(summary.problems[0])


def test_equal_texts_share_their_suggestions(tmp_path: Path) -> None:
    summary = Summary()
    path = write(tmp_path / "s.jsonl", ACME, {**ACME, "line": ACME["line"] + 1})
    assert len(list(read_suggestions(path, summary))) == 1
    assert not summary.problems
