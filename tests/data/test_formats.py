from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_adak.data.formats import detect_format


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", "a O", "conll"),
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
    ],
)
def test_format_is_told_by_suffix_and_content(
    name: str, text: str, expected: str, write: Callable[[str, str], Path]
) -> None:
    assert detect_format(write(name, text)) == expected


def test_unknown_suffix_is_an_error_that_names_the_option() -> None:
    with pytest.raises(ValueError, match=r"A309.*a\.csv.*--converter"):
        detect_format(Path("a.csv"))
