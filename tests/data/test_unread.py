"""A record without annotation where its format has it is no text without entities."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin

Write = Callable[[str, str], Path]
SPANS = [{"start": 0, "end": 3, "label": "PER"}]
TRIPLES = [[0, 3, "PER"]]
REGION = {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}


def records_of(source_format: str, other: Any) -> list[Any]:
    """A record of a format that has an entity, and another one."""
    first: Any = {
        "spans": {"text": "Ann met", "spans": SPANS},
        "prodigy": {"text": "Ann met", "spans": SPANS, "answer": "accept"},
        "doccano": {"text": "Ann met", "label": TRIPLES},
        "spacy-v2": ["Ann met", {"entities": TRIPLES}],
        "label-studio": {
            "data": {"text": "Ann met"},
            "annotations": [{"result": [REGION]}],
        },
    }[source_format]
    return [first, other]


def convert_second(
    write: Write, source_format: str, other: Any
) -> tuple[set[int], list[str]]:
    """What is known of the tokens of the other record, if all entities are annotated,
    and the codes of problems."""
    records = records_of(source_format, other)
    path = write("in.json", json.dumps(records))
    if source_format in ("spans", "prodigy", "doccano"):
        path = write("in.jsonl", "\n".join(json.dumps(r) for r in records))
    output = path.with_suffix(".spacy")
    summary = convert(path, output, converter=source_format, unlabelled="outside")
    first, second = read_docbin(output, spacy.blank("en").vocab)
    assert [ent.text for ent in first.ents] == ["Ann"]
    states = {token.ent_iob for token in second}
    return states, [problem.message[1:5] for problem in summary.problems]


@pytest.mark.parametrize(
    ("source_format", "other"),
    [
        ("spans", {"text": "Bob ran", "label": TRIPLES}),
        ("spans", {"text": "Bob ran", "spans": [], "entities": SPANS}),
        ("spans", {"text": "Bob ran", "annotations": [{"result": [REGION]}]}),
        ("doccano", {"text": "Bob ran", "spans": SPANS}),
        ("prodigy", {"text": "Bob ran", "label": TRIPLES, "answer": "accept"}),
    ],
)
def test_annotation_under_the_key_of_another_format_is_noted(
    source_format: str, other: Any, write: Write
) -> None:
    assert convert_second(write, source_format, other) == ({0}, ["W345"])


@pytest.mark.parametrize(
    ("source_format", "other"),
    [
        ("spacy-v2", ["Bob ran", {"cats": {"SPORT": 1.0}}]),
        ("spacy-v2", ["Bob ran", {"entities": None}]),
        (
            "prodigy",
            {
                "text": "Bob ran",
                "label": "SPORT",
                "answer": "accept",
                "_view_id": "classification",
            },
        ),
        ("label-studio", {"data": {"text": "Bob ran"}, "annotations": [{"id": 3}]}),
    ],
)
def test_record_that_says_nothing_about_entities_is_unknown_and_noted(
    source_format: str, other: Any, write: Write
) -> None:
    assert convert_second(write, source_format, other) == ({0}, ["W346"])


@pytest.mark.parametrize(
    ("source_format", "other"),
    [
        ("spans", {"text": "Bob ran", "spans": []}),
        ("spans", {"text": "Bob ran", "label": "SPORT"}),
        ("doccano", {"text": "Bob ran", "label": [], "spans": []}),
        ("prodigy", {"text": "Bob ran", "answer": "accept", "_view_id": "ner_manual"}),
        ("spacy-v2", ["Bob ran", {"entities": []}]),
        ("label-studio", {"data": {"text": "Bob"}, "annotations": [{"result": []}]}),
    ],
)
def test_record_without_entities_states_that_there_are_none(
    source_format: str, other: Any, write: Write
) -> None:
    assert convert_second(write, source_format, other) == ({2}, [])
