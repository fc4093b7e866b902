from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_adak.data.formats import Target, detect_format, format_of_suffix


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", "a O", "conll"),
        ("A.CONLL", "a O", "conll"),
        ("A.JSONL", '{"text": "a", "answer": "accept"}', "prodigy"),
        ("a.iob", "a|O", "conll"),
        ("a.json", "[]", "label-studio"),
        ("a.spacy", "", "spacy"),
        ("a.jsonl", '\n{"text": "a", "spans": []}', "spans"),
        ("a.jsonl", '{"text": "a"}', "spans"),
        ("a.jsonl", '{"text": "a", "spans": [], "answer": "accept"}', "prodigy"),
        ("a.jsonl", '{"text": "a", "_input_hash": 1}', "prodigy"),
        ("a.jsonl", 'no json\n{"text": "a", "label": []}', "doccano"),
        ("a.jsonl", f'{10**5 * "["}\n{{"text": "a", "label": []}}', "doccano"),
        ("a.jsonl", '{"data": "a", "labels": []}', "doccano"),
        ("a.jsonl", '{"text": "a", "entities": []}', "doccano"),
        ("a.jsonl", "", "spans"),
        ("a.jsonl", '{"text": "a"}\n{"text": "a", "answer": "accept"}', "prodigy"),
        ("a.jsonl", '{"tokens": ["a"], "ner_tags": [0]}', "huggingface"),
        ("a.jsonl", '["a", {"entities": []}]', "spacy-v2"),
        ("a.parquet", "", "huggingface"),
        ("a.ann", "", "brat"),
        ("a.json", '[{"data": {"text": "a"}, "annotations": []}]', "label-studio"),
        ("a.json", '[{"text": "a", "label": [], "annotator": 1}]', "label-studio"),
        ("a.json", '[{"text": "a", "x": [{"labels": ["B"]}]}]', "label-studio"),
        ("a.json", '[{"text": "a", "label": [[0, 1, "B"]]}]', "doccano"),
        ("a.json", '[{"text": "a", "spans": []}]', "spans"),
        ("a.json", '{"text": "a", "spans": []}\n{"text": "b"}', "spans"),
        ("a.json", '[{"text": "a", "spans": [], "answer": "accept"}]', "prodigy"),
        ("a.json", '[{"tokens": ["a"], "ner_tags": ["O"]}]', "huggingface"),
        ("a.json", '{\n"features": [],\n"rows": []}', "huggingface"),
        ("a.json", '[\n["a",\n{"entities": []}]]', "spacy-v2"),
        ("a.json", '[{"id": 0, "paragraphs": []}]', "spacy-v2"),
        ("a.json", '{"annotations": [null, ["a", {}]]}', "spacy-v2"),
        ("a.json", "no json", "label-studio"),
    ],
)
def test_format_is_told_by_suffix_and_content(
    name: str, text: str, expected: str, write: Callable[[str, str], Path]
) -> None:
    assert detect_format(write(name, text)) == expected


def test_suffix_that_is_only_read_is_no_output() -> None:
    with pytest.raises(ValueError, match=r"A309.*a\.parquet.*--to"):
        format_of_suffix(Path("a.parquet"), "--to", Target)


def test_unknown_suffix_is_an_error_that_names_the_option() -> None:
    with pytest.raises(ValueError, match=r"A309.*a\.csv.*--converter"):
        detect_format(Path("a.csv"))
