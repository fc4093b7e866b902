import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc

from spacy_adak.data.alignment import AnnotatedText
from spacy_adak.data.prodigy import read_prodigy, to_prodigy
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
ReadStrictly = Callable[[AnnotatedText, Summary], Doc]
ANN = {"start": 0, "end": 3, "label": "PER"}
BOB = {"start": 8, "end": 11, "label": "PER"}


def task(*spans: dict[str, Any], text: str = "Ann met Bob", **fields: Any) -> str:
    return json.dumps({"text": text, "spans": spans, **fields})


def read(write: Write, *tasks: str) -> tuple[list[AnnotatedText], Summary]:
    summary = Summary()
    path = write("a.jsonl", "\n".join(tasks))
    return list(read_prodigy(path, "text", summary)), summary


def spans(record: AnnotatedText) -> tuple[list[int], list[int]]:
    """The starts of entities and of ruled-out spans."""
    return [s.start for s in record.entities], [s.start for s in record.ruled_out]


def test_accepted_manual_annotation_states_its_entities(write: Write) -> None:
    (record,), _ = read(write, task(ANN, BOB, answer="accept", _view_id="ner_manual"))
    assert spans(record) == ([0, 8], [])
    assert record.unlabelled is None


def test_rejected_manual_annotation_is_set_aside(write: Write) -> None:
    records, summary = read(write, task(ANN, answer="reject", _view_id="ner_manual"))
    assert not records
    assert summary.set_aside == 1
    assert not summary.problems


@pytest.mark.parametrize("mark", [{"_view_id": "ner"}, {"_is_binary": True}])
def test_accepted_decision_leaves_the_rest_unknown(
    mark: dict[str, Any], write: Write
) -> None:
    (record,), _ = read(write, task(ANN, answer="accept", **mark))
    assert spans(record) == ([0], [])
    assert record.unlabelled == "missing"


def test_rejected_decision_rules_its_span_out(write: Write) -> None:
    (record,), _ = read(write, task(ANN, answer="reject", _view_id="ner"))
    assert spans(record) == ([], [0])
    assert record.unlabelled == "missing"


def test_rejection_of_one_span_without_view_is_a_decision(write: Write) -> None:
    (record,), _ = read(write, task(ANN, answer="reject"))
    assert spans(record) == ([], [0])


def test_rejected_decision_on_two_spans_is_skipped(write: Write) -> None:
    records, summary = read(write, task(ANN, BOB, answer="reject", _view_id="ner"))
    assert not records
    assert [p.message[1:5] for p in summary.problems] == ["W321"]


def test_ignored_records_are_set_aside(write: Write) -> None:
    records, summary = read(write, task(ANN, answer="ignore"))
    assert not records
    assert summary.set_aside == 1


def test_unknown_answer_is_skipped_and_named(write: Write) -> None:
    records, summary = read(write, task(ANN, answer="maybe"))
    assert not records
    assert "'maybe'" in summary.problems[0].message


def test_record_without_answer_counts_as_accepted(write: Write) -> None:
    (record,), _ = read(write, task(ANN))
    assert spans(record) == ([0], [])


def test_decisions_about_one_text_are_joined(write: Write) -> None:
    (record,), summary = read(
        write,
        task(ANN, answer="accept", _view_id="ner"),
        task(ANN, answer="accept", _view_id="ner"),
        task(BOB, answer="reject", _view_id="ner"),
    )
    assert spans(record) == ([0], [8])
    assert not summary.problems


def test_last_of_contradicting_decisions_holds(write: Write) -> None:
    (record,), summary = read(
        write,
        task(ANN, answer="accept", _view_id="ner"),
        task(ANN, answer="reject", _view_id="ner"),
    )
    assert spans(record) == ([], [0])
    assert [(p.line, p.message[1:5]) for p in summary.problems] == [(2, "W322")]


def test_decisions_join_the_manual_annotation_of_their_text(write: Write) -> None:
    (record,), _ = read(
        write,
        task(ANN, answer="accept", _view_id="ner"),
        task(ANN, answer="accept", _view_id="ner_manual"),
        task(BOB, answer="reject", _view_id="ner"),
    )
    assert spans(record) == ([0], [8])
    assert record.unlabelled is None


def test_decisions_join_a_manual_annotation_of_the_wrong_make(write: Write) -> None:
    (record,), _ = read(
        write,
        task({**ANN, "label": ["PER"]}, answer="accept", _view_id="ner_manual"),
        task(BOB, answer="accept", _view_id="ner"),
    )
    assert spans(record) == ([0, 8], [])


def test_texts_keep_their_order(write: Write) -> None:
    records, _ = read(
        write,
        task(text="one", answer="accept", _view_id="ner"),
        task(text="two", answer="accept", _view_id="ner_manual"),
        task(text="three", answer="accept", _view_id="ner"),
    )
    assert [record.text for record in records] == ["one", "two", "three"]


@pytest.mark.parametrize("default", ["missing", "outside"])
@pytest.mark.parametrize("labelled", [True, False])
def test_round_trip_keeps_what_is_known(
    default: str,
    labelled: bool,
    mixed_doc: Doc,
    read_strictly: ReadStrictly,
    write: Write,
    known: Callable[[Doc], list[str]],
) -> None:
    mixed_doc.set_ents(list(mixed_doc.ents) if labelled else [], default=default)
    path = write("a.jsonl", to_prodigy([mixed_doc], "text", "incorrect_spans"))
    (record,) = read_prodigy(path, "text", Summary(strict=True))
    doc = read_strictly(record, Summary(strict=True))
    assert known(doc) == known(mixed_doc)
    assert [(s.text, s.label_) for s in doc.spans["incorrect_spans"]] == [
        ("Bob", "ORG")
    ]
