"""The oracle that decides about suggestions, and the table of what it gains."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, Span

from scripts.experiments.loop import Oracle, rank_forms, rank_places
from scripts.experiments.loop_report import describe_goals, make_summary, make_table
from scripts.experiments.results import Row
from spacy_adak.data.docbin import write_docbin
from spacy_adak.data.suggestions import Suggestion

NLP = spacy.blank("en")


def make_doc(text: str, entities: list[tuple[int, int, str]], default: str) -> Doc:
    doc = NLP(text)
    spans = [Span(doc, *entity) for entity in entities]
    doc.set_ents(spans, default=default)
    return doc


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    texts: list[tuple[str, list[tuple[int, int, str]]]] = [
        ("Ann met May", [(0, 1, "PER")]),
        ("May met Ann", [(0, 1, "PER"), (2, 3, "PER")]),
        ("New York in May", [(0, 2, "LOC")]),
    ]
    complete = [make_doc(text, entities, "outside") for text, entities in texts]
    incomplete = [make_doc(text, [], "missing") for text, _ in texts]
    write_docbin(tmp_path / "complete.spacy", complete)
    write_docbin(tmp_path / "incomplete.spacy", incomplete)
    return Oracle(tmp_path / "complete.spacy", tmp_path / "incomplete.spacy")


@pytest.mark.parametrize(
    ("form", "label", "answer", "decided"),
    [
        ("Ann", "PER", "accept", "PER"),
        ("Ann", "LOC", "accept", "PER"),
        ("met", "PER", "reject", "PER"),
        ("York", "LOC", "reject", "LOC"),
        ("May", "PER", "ignore", "PER"),
    ],
)
def test_oracle_decides_about_forms(
    oracle: Oracle, form: str, label: str, answer: str, decided: str
) -> None:
    decision = oracle.decide_form(form, label)
    assert (decision["answer"], decision["label"]) == (answer, decided)
    assert ("suggested" in decision) == (decided != label)


def suggestion(**values: Any) -> Suggestion:
    text = {"text": "New York in May", "line": 2, "kind": "missed", "score": 0.5}
    return Suggestion.model_validate({**text, **values})


def test_oracle_corrects_bounds_of_a_place(oracle: Oracle) -> None:
    row = suggestion(start=4, end=8, label="LOC", form="York")
    decision = oracle.decide_place(row)
    assert (decision["answer"], decision["start"], decision["end"]) == ("accept", 0, 8)
    assert decision["suggested"] == {"start": 4, "end": 8, "label": "LOC"}
    other = suggestion(start=12, end=15, label="PER", form="May")
    assert oracle.decide_place(other)["answer"] == "reject"


def test_forms_are_asked_by_value_and_places_by_doubt() -> None:
    rows = [
        suggestion(start=4, end=8, label="LOC", form="York", value=2.0, score=0.9),
        suggestion(start=12, end=15, label="PER", form="May", value=1.0, score=0.5),
    ]
    assert rank_forms(rows) == [("York", "LOC"), ("May", "PER")]
    assert [row.form for row in rank_places(rows)] == ["May", "York"]


FULL = {
    "dataset": "youku",
    "config": "frozen",
    "encoder": "e",
    "seed": 0,
    "scheme": "full",
    "ratio": 1.0,
    "model": "crf",
    "test": {"f": 0.8},
}


def result(unit: str, count: int, f: float, **changes: Any) -> Row:
    cell = {"cell": "youku_entity", "scheme": "entity", "ratio": 0.2, "entities": 20}
    test = {"p": 0.7, "r": 0.5, "f": f}
    return {**FULL, **cell, "unit": unit, "count": count, "test": test, **changes}


def test_recovery_is_relative_to_all_annotations() -> None:
    row = result("form", 10, 0.6, answers={"accept": 7, "reject": 3})
    assert "| by form | 10 | 7 / 3 / 0 | 20 | 70.00 | 50.00 | 60.00 | 75.0 |" in (
        make_table([row], [FULL])
    )


def test_summary_has_a_column_for_what_any_cell_has() -> None:
    other = {"cell": "youku_random", "scheme": "random"}
    rows = [result("none", 0, 0.64), result("form", 100, 0.72)]
    rows += [result("none", 0, 0.7, **other), result("random", 100, 0.76, **other)]
    header, _, *body = make_summary(rows, [FULL]).splitlines()
    assert header.split(" | ")[3:6] == [
        "nothing decided",
        "100 by form",
        "100 annotated at random",
    ]
    assert body == [
        "| Youku | entity | 0.2 | 80.0 | 90.0 | – | 92.0 |",
        "| Youku | random | 0.2 | 87.5 | – | 95.0 | 94.3 |",
    ]


@pytest.mark.parametrize(
    ("by_form", "at_random", "said"),
    [
        (0.72, 0.672, "**met**, +10.0 against +4.0 points."),
        (0.72, 0.688, "**missed**, +10.0 against +6.0 points."),
        (0.644, 0.636, "**missed**, +0.5 against −0.5 points, less than the"),
    ],
)
def test_gain_of_decisions_is_compared_with_that_of_annotations_at_random(
    by_form: float, at_random: float, said: str
) -> None:
    rows = [result("none", 0, 0.64), result("form", 100, by_form)]
    assert "ρ = 0.2: not measured." in describe_goals(rows, [FULL])
    rows.append(result("random", 100, at_random))
    goals = describe_goals(rows, [FULL])
    assert f"Youku, entity-based, ρ = 0.2: {said}" in goals
    assert "Taobao, random-based: not measured." in goals


@pytest.mark.parametrize(
    ("count", "f", "said"),
    [
        (30, 0.74, "**met**, 92.5 % after 30; the paper has 92.0."),
        (100, 0.72, "**missed**, 90.0 % after 100; the paper has 92.0."),
        (300, 0.76, "not measured."),
    ],
)
def test_paper_is_to_be_reached_by_100_decisions(
    count: int, f: float, said: str
) -> None:
    rows = [result("none", 0, 0.64), result("form", count, f)]
    assert f"decisions about forms: {said}" in describe_goals(rows, [FULL])
