"""No way out to a format and back turns what a model says into an annotation."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.origins import (
    complete,
    estimates_of,
    set_scored_spans,
    without_estimates,
)

Write = Callable[[str, str], Path]
WITH_ESTIMATES = ["spacy", "spans", "prodigy", "label-studio"]
WITHOUT_ESTIMATES = ["conll", "doccano"]
SHARED_LOSSES = pytest.mark.filterwarnings("ignore:.W32[67]", "ignore:.W334")


def completed_docs(stated: bool) -> list[Doc]:
    """What `adak train` would write: a text with all kinds of spans, one with nothing
    but an estimate, and one in which nothing was found.

    stated (bool): Whether some tokens were stated to be outside of entities.
    """
    nlp = spacy.blank("en")
    docs = [nlp("Ann met Bob in Rome"), nlp("Acme grew"), nlp("It did")]
    outside = [docs[0][1:2]] if stated else []
    ann = Span(docs[0], 0, 1, label="PER")
    docs[0].set_ents([ann], outside=outside, default="missing")
    set_scored_spans(docs[0], "guessed", [Span(docs[0], 4, 5, label="LOC")], [None])
    complete(docs[0], [Span(docs[0], 2, 3, label="PER")], [0.03])
    complete(docs[1], [Span(docs[1], 0, 1, label="ORG")], [0.875])
    complete(docs[2], [], [])
    return docs


def there_and_back(
    docs: list[Doc], to: str, folder: Path, unlabelled: str
) -> list[Doc]:
    write_docbin(folder / "train-completed.spacy", docs)
    convert(folder / "train-completed.spacy", folder / "other", to=to)
    (written,) = (folder / "other").iterdir()
    convert(
        written,
        folder / "again.spacy",
        converter=to,
        unlabelled=None if to == "spacy" else unlabelled,
    )
    vocab = spacy.blank("en").vocab
    return [without_estimates(d) for d in read_docbin(folder / "again.spacy", vocab)]


def described(doc: Doc) -> list[tuple[str, str, str, float | None]]:
    return [(e.span.text, e.span.label_, e.origin, e.score) for e in estimates_of(doc)]


@SHARED_LOSSES
@pytest.mark.parametrize("unlabelled", ["missing", "outside"])
@pytest.mark.parametrize("to", WITH_ESTIMATES)
def test_estimates_come_back_with_origin_and_score(
    to: str, unlabelled: str, tmp_path: Path
) -> None:
    docs = there_and_back(completed_docs(stated=False), to, tmp_path, unlabelled)
    assert [[ent.text for ent in doc.ents] for doc in docs] == [["Ann"], [], []]
    assert [described(doc) for doc in docs] == [
        [("Bob", "PER", "estimated", 0.03), ("Rome", "LOC", "guessed", None)],
        [("Acme", "ORG", "estimated", 0.875)],
        [],
    ]
    assert {t.ent_iob for t in docs[1]} == {t.ent_iob for t in docs[2]} == {0}
    assert all(e.span[0].ent_iob == 0 for doc in docs for e in estimates_of(doc))


@SHARED_LOSSES
@pytest.mark.parametrize("to", WITHOUT_ESTIMATES)
def test_estimates_are_left_out_where_they_could_not_be_told(
    to: str, tmp_path: Path
) -> None:
    docs = there_and_back(completed_docs(stated=False), to, tmp_path, "missing")
    assert [[ent.text for ent in doc.ents] for doc in docs] == [["Ann"], [], []]
    assert [t.ent_iob for t in docs[0]] == [3, 0, 0, 0, 0]
    assert [described(doc) for doc in docs] == [[], [], []]


@pytest.mark.parametrize("to", ["conll", "doccano"])
def test_estimates_left_out_are_counted(to: str, tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", completed_docs(stated=False))
    with pytest.warns(UserWarning, match="W334.*3 estimated or guessed"):
        convert(tmp_path / "a.spacy", tmp_path / "out", to=to)


@pytest.mark.parametrize("to", ["spacy", "conll", "spans"])
@pytest.mark.filterwarnings("ignore:.W334")
def test_what_was_stated_before_completion_comes_back(to: str, tmp_path: Path) -> None:
    docs = there_and_back(completed_docs(stated=True), to, tmp_path, "outside")
    assert [t.ent_iob for t in docs[0]] == [3, 2, 0, 0, 0]


@SHARED_LOSSES
def test_prodigy_task_with_estimates_has_no_answer(tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", completed_docs(stated=False))
    convert(tmp_path / "a.spacy", tmp_path / "a.jsonl", to="prodigy")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    both, only_estimated, nothing = map(json.loads, lines)
    assert "answer" not in both
    assert "answer" not in only_estimated
    assert [(s["origin"], s.get("score")) for s in both["spans"]] == [
        ("annotated", None),
        ("estimated", 0.03),
        ("guessed", None),
    ]
    assert both["meta"] == {"estimated": 1, "guessed": 1, "lowest score": 0.03}
    assert (nothing["spans"], nothing["_is_binary"]) == ([], True)


@SHARED_LOSSES
def test_label_studio_has_estimates_as_predictions(tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", completed_docs(stated=False))
    convert(tmp_path / "a.spacy", tmp_path / "a.json")
    both, only_estimated, nothing = json.loads((tmp_path / "a.json").read_text())
    (annotation,), (prediction,) = both["annotations"], both["predictions"]
    assert [r["value"]["text"] for r in annotation["result"]] == ["Ann"]
    assert prediction["score"] == 0.03
    assert [(r["value"]["text"], r.get("score")) for r in prediction["result"]] == [
        ("Bob", 0.03),
        ("Rome", None),
    ]
    assert "annotations" not in only_estimated
    assert "annotations" not in nothing


SHOWN = {"start": 8, "end": 11, "label": "PER", "origin": "estimated", "score": 0.03}


def read_one(write: Write, name: str, record: Any, unlabelled: str) -> Doc:
    path = write(name, json.dumps(record))
    convert(path, path.with_name("out.spacy"), unlabelled=unlabelled)
    (doc,) = read_docbin(path.with_name("out.spacy"), spacy.blank("en").vocab)
    return doc


@pytest.mark.parametrize("by_a_person", [True, False])
def test_estimate_in_prodigy_becomes_an_entity_by_a_person_alone(
    by_a_person: bool, write: Write
) -> None:
    task = {"text": "Ann met Bob", "spans": [SHOWN], "answer": "accept"}
    # `prodigy db-in` gives the answer, but no session.
    marks = {"_session_id": "news-ann", "_view_id": "ner_manual"} if by_a_person else {}
    doc = read_one(write, "a.jsonl", {**task, **marks, "_task_hash": 1}, "outside")
    assert [ent.text for ent in doc.ents] == (["Bob"] if by_a_person else [])
    assert len(estimates_of(doc)) == (0 if by_a_person else 1)
    assert doc[2].ent_iob == (3 if by_a_person else 0)


@pytest.mark.parametrize(("lead_time", "state"), [(None, 0), (4.5, 2)])
def test_prediction_of_label_studio_is_denied_by_a_person_alone(
    lead_time: float | None, state: int, write: Write
) -> None:
    value = {"start": 8, "end": 11, "labels": ["PER"]}
    task = {
        "data": {"text": "Ann met Bob"},
        "annotations": [{"result": [], "lead_time": lead_time}],
        "predictions": [{"result": [{"type": "labels", "value": value, "score": 0.7}]}],
    }
    doc = read_one(write, "a.json", [task], "outside")
    assert [(e.origin, e.score) for e in estimates_of(doc)] == [("guessed", 0.7)]
    assert (doc[0].ent_iob, doc[2].ent_iob) == (2, state)


@pytest.mark.parametrize(
    "predictions", [[7], [{"result": [{"type": "choices"}]}], [{"result": None}]]
)
def test_predictions_without_regions_leave_a_task_nobody_annotated(
    predictions: list[Any], write: Write
) -> None:
    task = {"data": {"text": "Ann met Bob"}, "predictions": predictions}
    path = write("a.json", json.dumps([task]))
    with pytest.raises(ValueError, match=r"A311.*1 set aside"):
        convert(path, path.with_name("out.spacy"), unlabelled="missing")


def test_origin_of_no_known_kind_is_a_guess_and_noted(
    write: Write, tmp_path: Path
) -> None:
    record = {"text": "Ann met Bob", "spans": [SHOWN | {"origin": "gpt"}]}
    path = write("a.jsonl", json.dumps(record))
    summary = convert(path, tmp_path / "a.spacy", unlabelled="outside")
    assert [p.message[1:5] for p in summary.problems] == ["W333"]
    assert (summary.estimated, summary.guessed, summary.entities) == (0, 1, {})


@pytest.mark.parametrize(
    "score", ['"high"', "true", "NaN", "Infinity", f"1{'0' * 400}"]
)
def test_score_that_is_no_number_is_unknown(score: str, write: Write) -> None:
    span = (
        f'{{"start": 0, "end": 3, "label": "A", "origin": "guessed", "score": {score}}}'
    )
    path = write("a.jsonl", f'{{"text": "Ann", "spans": [{span}]}}')
    convert(path, path.with_name("a.spacy"), unlabelled="missing")
    (doc,) = read_docbin(path.with_name("a.spacy"), spacy.blank("en").vocab)
    assert [e.score for e in estimates_of(doc)] == [None]


@pytest.mark.filterwarnings("ignore:.W329")
def test_guess_whose_place_cannot_be_told_makes_the_text_unknown(write: Write) -> None:
    bad = {"start": "a", "end": 3, "label": "PER", "origin": "guessed"}
    record = {"text": "Ann met Bob", "spans": [bad]}
    doc = read_one(write, "a.jsonl", record, "outside")
    assert [t.ent_iob for t in doc] == [0, 0, 0]


def test_summary_counts_entities_that_are_facts(tmp_path: Path) -> None:
    write_docbin(tmp_path / "a.spacy", completed_docs(stated=False))
    summary = convert(tmp_path / "a.spacy", tmp_path / "b.spacy")
    assert summary.entities == {"PER": 1}
    assert (summary.estimated, summary.guessed) == (2, 1)
    assert summary.unknown_tokens == 8
