import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import Doc

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin

Write = Callable[[str, str], Path]
NAMES = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG"]
TOKENS = ["Acme", "hired", "Ann", "Lee"]
NUMBERS = {"tokens": TOKENS, "ner_tags": [3, 0, 1, 2]}
STRINGS = {"tokens": TOKENS, "ner_tags": ["B-ORG", "O", "B-PER", "I-PER"]}
SEQUENCE = {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}
ENTITIES = [("Acme", "ORG"), ("Ann Lee", "PER")]


def read(path: Path, **options: Any) -> list[Doc]:
    output = path.with_name("out.spacy")
    convert(path, output, unlabelled="outside", **options)
    return list(read_docbin(output, spacy.blank("en").vocab))


def entities(doc: Doc) -> list[tuple[str, str]]:
    return [(ent.text, ent.label_) for ent in doc.ents]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "array.json"])
@pytest.mark.parametrize("row", [STRINGS, NUMBERS])
def test_rows_are_read_as_lines_and_as_an_array(
    name: str, row: dict[str, Any], write: Write
) -> None:
    rows = [row, row]
    is_array = name.startswith("array")
    text = json.dumps(rows) if is_array else "\n".join(map(json.dumps, rows))
    labels = ",".join(NAMES) if row is NUMBERS else None
    docs = read(write(name, text), labels=labels)
    assert [entities(doc) for doc in docs] == [ENTITIES, ENTITIES]
    assert [token.text for token in docs[0]] == TOKENS


@pytest.mark.parametrize("content", [json.dumps(NAMES), "\n".join(NAMES)])
def test_labels_may_be_in_a_file(content: str, write: Write) -> None:
    labels = write("labels.txt", content)
    (doc,) = read(write("a.jsonl", json.dumps(NUMBERS)), labels=str(labels))
    assert entities(doc) == ENTITIES


@pytest.mark.parametrize(
    ("name", "info"),
    [
        ("dataset_info.json", {"features": {"ner_tags": SEQUENCE}}),
        ("dataset_infos.json", {"default": {"features": {"ner_tags": [SEQUENCE]}}}),
    ],
)
def test_labels_are_found_beside_the_file(
    name: str, info: dict[str, Any], write: Write
) -> None:
    write(name, json.dumps(info))
    (doc,) = read(write("a.jsonl", json.dumps(NUMBERS)))
    assert entities(doc) == ENTITIES


def test_answer_of_the_datasets_server_has_its_labels(write: Write) -> None:
    answer = {
        "features": [{"name": "ner_tags", "type": SEQUENCE}],
        "rows": [{"row_idx": 0, "row": NUMBERS}],
    }
    (doc,) = read(write("a.json", json.dumps(answer, indent=1)))
    assert entities(doc) == ENTITIES


def test_parquet_has_its_labels(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    table = pyarrow.table({"id": ["1"], **{k: [v] for k, v in NUMBERS.items()}})
    info = {"info": {"features": {"ner_tags": SEQUENCE}}}
    table = table.replace_schema_metadata({"huggingface": json.dumps(info)})
    parquet.write_table(table, tmp_path / "a.parquet")
    (doc,) = read(tmp_path / "a.parquet")
    assert entities(doc) == ENTITIES


def test_parquet_without_pyarrow_is_an_error_with_the_remedy(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ValueError, match=r"A321.*pip install pyarrow"):
        read(write("a.parquet", ""))


def test_file_that_is_no_parquet_is_an_error(write: Write) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match=r"A322.*a\.parquet"):
        read(write("a.parquet", "no"))


def test_numbers_without_names_are_an_error_with_the_remedy(write: Write) -> None:
    with pytest.raises(ValueError, match=r"A318.*--labels O,B-PER"):
        read(write("a.jsonl", json.dumps(NUMBERS)))


@pytest.mark.parametrize("tag", [5, -1])
def test_number_beyond_the_names_is_an_error(tag: int, write: Write) -> None:
    row = {"tokens": ["Acme"], "ner_tags": [tag]}
    with pytest.raises(ValueError, match=rf"A319.*tag {tag} .*5 labels"):
        read(write("a.jsonl", json.dumps(row)), labels=",".join(NAMES))


def test_labels_of_the_wrong_make_are_an_error(write: Write) -> None:
    labels = write("labels.json", '{"O": 0}')
    with pytest.raises(ValueError, match=r"A320.*labels\.json"):
        read(write("a.jsonl", json.dumps(NUMBERS)), labels=str(labels))


def test_ignored_and_null_tags_are_missing(write: Write) -> None:
    row = {"tokens": ["Acme", "hired", "Ann"], "ner_tags": ["B-ORG", -100, None]}
    (doc,) = read(write("a.jsonl", json.dumps(row)))
    assert [token.ent_iob for token in doc] == [3, 0, 0]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"tokens": ["a"], "ner_tags": []}, "W336"),
        ({"tokens": [1], "ner_tags": ["O"]}, "W336"),
        ({"tokens": "a", "ner_tags": ["O"]}, "W335"),
        ({"text": "a"}, "W335"),
        (3, "W306"),
    ],
)
def test_row_of_the_wrong_make_is_left_out_and_noted(
    row: Any, code: str, write: Write
) -> None:
    path = write("a.jsonl", f"{json.dumps(STRINGS)}\n{json.dumps(row)}")
    summary = convert(path, path.with_name("a.spacy"), unlabelled="outside")
    assert summary.documents == 1
    assert [(p.line, p.message[1:5], p.outcome) for p in summary.problems] == [
        (2, code, "skipped")
    ]


def test_tag_that_is_none_makes_its_token_unknown(write: Write) -> None:
    row = {"tokens": ["a", "b", " "], "ner_tags": [{}, "O", "O"]}
    path = write("a.jsonl", json.dumps({**STRINGS}) + "\n" + json.dumps(row))
    summary = convert(path, path.with_name("a.spacy"), unlabelled="outside")
    assert [p.message[1:5] for p in summary.problems] == ["W304", "W301"]


def test_scheme_is_that_of_all_rows(write: Write) -> None:
    rows = [
        {"tokens": ["Ann", "Lee"], "ner_tags": ["I-PER", "I-PER"]},
        {"tokens": ["Ann", "Bob"], "ner_tags": ["I-PER", "B-PER"]},
    ]
    docs = read(write("a.jsonl", "\n".join(map(json.dumps, rows))))
    assert [len(doc.ents) for doc in docs] == [1, 2]
