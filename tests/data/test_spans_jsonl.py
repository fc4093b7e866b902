from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_adak.data.alignment import AnnotatedText, CharSpan
from spacy_adak.data.spans_jsonl import read_spans_jsonl, to_spans_jsonl
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
ReadStrictly = Callable[[AnnotatedText, Summary], Doc]


@pytest.mark.parametrize(
    "span", ['{"start": 0, "end": 3, "label": "PER"}', '[0, 3, "PER"]']
)
def test_spans_are_objects_or_triples(span: str, write: Write) -> None:
    path = write("a.jsonl", f'{{"text": "Ann met", "spans": [{span}]}}')
    (record,) = read_spans_jsonl(path, "text", Summary())
    assert record.entities == [CharSpan(0, 3, "PER", line=1)]


def test_record_without_spans_has_none(write: Write) -> None:
    path = write("a.jsonl", '{"text": "Ann"}\n{"text": "Bob", "spans": null}')
    records = list(read_spans_jsonl(path, "text", Summary()))
    assert [record.entities for record in records] == [[], []]


@pytest.mark.parametrize("record", ['{"body": "Ann"}', '{"text": 3}', '{"text": " "}'])
def test_record_without_text_is_skipped(record: str, write: Write) -> None:
    summary = Summary()
    assert not list(read_spans_jsonl(write("a.jsonl", record), "text", summary))
    assert [p.outcome for p in summary.problems] == ["skipped"]
    assert "--text-key" in summary.problems[0].message


def test_text_key_names_another_key(write: Write) -> None:
    path = write("a.jsonl", '{"body": "Ann"}')
    assert [r.text for r in read_spans_jsonl(path, "body", Summary())] == ["Ann"]


@pytest.mark.parametrize("spans", ['"none"', '["PER"]', "7", "{}"])
def test_spans_that_are_none_make_the_text_unknown(
    spans: str, read_strictly: ReadStrictly, write: Write
) -> None:
    path = write("a.jsonl", f'{{"text": "Ann met", "spans": {spans}}}')
    (record,) = read_spans_jsonl(path, "text", Summary())
    summary = Summary()
    doc = read_strictly(record, summary)
    assert [t.ent_iob_ for t in doc] == ["", ""]
    assert [p.message[1:5] for p in summary.problems] == ["W308"]


@pytest.mark.parametrize(
    "stretches", ["[[0, 99]]", '[["a", 2]]', "[[3, 1]]", '"all"', "[0, 3]"]
)
def test_unsound_missing_stretch_makes_the_text_unknown(
    stretches: str, write: Write
) -> None:
    summary = Summary()
    path = write("a.jsonl", f'{{"text": "Ann met", "missing": {stretches}}}')
    (record,) = read_spans_jsonl(path, "text", summary)
    assert record.missing == [CharSpan(0, 7, None)]
    assert [p.message[1:5] for p in summary.problems] == ["W319"]


def test_round_trip_keeps_what_is_known(
    mixed_doc: Doc,
    read_strictly: ReadStrictly,
    write: Write,
    known: Callable[[Doc], list[str]],
) -> None:
    path = write("a.jsonl", to_spans_jsonl([mixed_doc], "text", "incorrect_spans"))
    (record,) = read_spans_jsonl(path, "text", Summary())
    doc = read_strictly(record, Summary(strict=True))
    assert doc.text == mixed_doc.text
    assert known(doc) == known(mixed_doc)
    assert [(s.start, s.end, s.label_) for s in doc.spans["incorrect_spans"]] == [
        (s.start, s.end, s.label_) for s in mixed_doc.spans["incorrect_spans"]
    ]
