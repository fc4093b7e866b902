import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
TUPLE = ["Acme hired Ann.", {"entities": [[0, 4, "ORG"], [11, 14, "PER"]]}]


def read(path: Path, unlabelled: str = "outside") -> tuple[list[Doc], Summary]:
    output = path.with_name("out.spacy")
    summary = convert(path, output, unlabelled=unlabelled)
    return list(read_docbin(output, spacy.blank("en").vocab)), summary


def sentence(**tags: Any) -> dict[str, Any]:
    return {"tokens": [{"orth": orth, "ner": tag} for orth, tag in tags.items()]}


def paragraphs(*sentences: dict[str, Any]) -> dict[str, Any]:
    return {"id": 0, "paragraphs": [{"raw": "x", "sentences": list(sentences)}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps([TUPLE], indent=1)),
        ("a.jsonl", json.dumps(TUPLE)),
        ("a.json", json.dumps({"classes": ["ORG"], "annotations": [None, TUPLE]})),
    ],
)
def test_texts_with_offsets_are_read(name: str, content: str, write: Write) -> None:
    (doc,), _ = read(write(name, content))
    assert [(ent.text, ent.label_) for ent in doc.ents] == [
        ("Acme", "ORG"),
        ("Ann", "PER"),
    ]


@pytest.mark.parametrize("indent", [None, 2])
def test_paragraphs_are_read(indent: int | None, write: Write) -> None:
    first = sentence(Acme="U-ORG", hired="O", Ann="B-PER", Lee="L-PER")
    data = [paragraphs(first, sentence(It="-", grew="O")), paragraphs(first)]
    docs, _ = read(write("a.json", json.dumps(data, indent=indent)))
    assert [[(e.text, e.label_) for e in doc.ents] for doc in docs] == [
        [("Acme", "ORG"), ("Ann Lee", "PER")]
    ] * 2
    assert [token.ent_iob for token in docs[0]] == [3, 2, 3, 1, 0, 2]
    assert [token.is_sent_start for token in docs[0]].count(True) == 2


def test_single_document_is_read(write: Write) -> None:
    data = json.dumps(paragraphs(sentence(Ann="U-PER")), indent=1)
    (doc,), _ = read(write("a.json", data))
    assert [ent.text for ent in doc.ents] == ["Ann"]


def test_token_without_a_tag_is_unknown(write: Write) -> None:
    data = [paragraphs({"tokens": [{"orth": "Ann", "ner": "U-PER"}, {"orth": "is"}]})]
    (doc,), _ = read(write("a.json", json.dumps(data)))
    assert [token.ent_iob for token in doc] == [3, 0]


@pytest.mark.parametrize("bad", [3, {"tokens": [3]}, {"tokens": [{"orth": " "}]}])
def test_sentence_of_the_wrong_make_is_left_out_and_noted(
    bad: Any, write: Write
) -> None:
    data = [paragraphs(bad, sentence(Ann="U-PER"))]
    (doc,), summary = read(write("a.json", json.dumps(data)))
    assert len(doc) == 1
    assert [p.message[1:5] for p in summary.problems] == ["W338"]


@pytest.mark.parametrize(
    ("bad", "code"), [([3], "W306"), (["Ann"], "W306"), ([" ", {}], "W337")]
)
def test_text_of_the_wrong_make_is_left_out_and_noted(
    bad: Any, code: str, write: Write
) -> None:
    docs, summary = read(write("a.json", json.dumps([TUPLE, bad])))
    assert len(docs) == 1
    assert [p.message[1:5] for p in summary.problems] == [code]
    assert "record 2" in str(summary.problems[0])
