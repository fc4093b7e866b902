import json
from pathlib import Path
from typing import Any

import pytest

from spacy_adak.data.decisions import FormDecision, PlaceDecision, read_decisions
from spacy_adak.data.summary import Summary

FORM = {"scope": "form", "answer": "accept", "form": "Acme", "label": "ORG"}
PLACE = {**FORM, "scope": "place", "text": "Acme hired Ann.", "start": 0, "end": 4}


def read(tmp_path: Path, *rows: Any) -> tuple[list[Any], Summary]:
    path = tmp_path / "decisions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    summary = Summary()
    return read_decisions(path, summary), summary


def test_forms_and_places_in_their_order(tmp_path: Path) -> None:
    suggested = {"start": 0, "end": 10, "label": "PER"}
    rows = [{**PLACE, "suggested": suggested, "seconds": 1}, FORM]
    (place, form), summary = read(tmp_path, *rows)
    assert not summary.problems
    assert isinstance(place, PlaceDecision)
    assert isinstance(form, FormDecision)
    assert place.suggested is not None
    assert place.suggested.model_dump() == suggested
    assert form.kind == "missed"


@pytest.mark.parametrize(
    "row",
    [
        {**FORM, "answer": "yes"},
        {**FORM, "scope": "text"},
        {**FORM, "form": ""},
        {**FORM, "suggested": {"label": 3}},
        {**PLACE, "end": 16},
        {**PLACE, "start": 4},
        {**PLACE, "text": None},
        {**PLACE, "suggested": {"label": "PER"}},
        {**FORM, "seconds": -1},
    ],
    ids=str,
)
def test_what_is_no_decision_is_noted_with_its_line(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    decisions, summary = read(tmp_path, FORM, row)
    assert len(decisions) == 1
    assert [problem.line for problem in summary.problems] == [2]
