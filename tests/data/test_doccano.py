from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.tokens import Doc

from spacy_adak.data.alignment import CharSpan
from spacy_adak.data.doccano import read_doccano, to_doccano
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]


@pytest.mark.parametrize(
    "record",
    [
        '{"id": 1, "text": "Ann met", "label": [[0, 3, "PER"]]}',
        '{"id": 1, "data": "Ann met", "label": [[0, 3, "PER"]]}',
        '{"text": "Ann met", "labels": [[0, 3, "PER"]]}',
        '{"text": "Ann met", "relations": [], "entities": '
        '[{"id": 5, "label": "PER", "start_offset": 0, "end_offset": 3}]}',
    ],
)
def test_every_shape_is_read(record: str, write: Write) -> None:
    (found,) = read_doccano(write("a.jsonl", record), "text", Summary())
    assert found.text == "Ann met"
    assert found.entities == [CharSpan(0, 3, "PER", line=1)]


def test_round_trip_keeps_entities(mixed_doc: Doc, write: Write) -> None:
    path = write("a.jsonl", to_doccano([mixed_doc], "text"))
    (record,) = read_doccano(path, "text", Summary())
    assert record.text == mixed_doc.text
    assert [span[:3] for span in record.entities] == [
        (ent.start_char, ent.end_char, ent.label_) for ent in mixed_doc.ents
    ]
