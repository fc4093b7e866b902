from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_adak.data.files import read_jsonl, read_lines
from spacy_adak.data.summary import Place, Summary

Write = Callable[[str, str], Path]


def test_only_line_ends_part_lines(write: Write) -> None:
    path = write("a.txt", "a\u2028b\r\nc\x85d\re\n")
    assert list(read_lines(path)) == ["a\u2028b", "c\x85d", "e"]


def test_invalid_utf8_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("gut\nMünchen".encode("latin-1"))
    with pytest.raises(ValueError, match=r"A301.*a\.txt, line 2: byte 0xfc"):
        list(read_lines(path))


def test_bad_json_lines_are_skipped_and_named_by_line(write: Write) -> None:
    path = write("a.jsonl", '{"a": 1}\n\n{"a": \n[1]\n{"a": 2}\n')
    summary = Summary()
    records = list(read_jsonl(path, summary))
    assert records == [(Place(path, 1), {"a": 1}), (Place(path, 5), {"a": 2})]
    assert [(p.line, p.message[1:5], p.outcome) for p in summary.problems] == [
        (3, "W305", "skipped"),
        (4, "W306", "skipped"),
    ]


@pytest.mark.parametrize("value", [10**5 * "[", 10**5 * "1"])
def test_json_beyond_the_limits_of_python_is_skipped(value: str, write: Write) -> None:
    path = write("a.jsonl", f'{{"a": {value}\n{{"a": 2}}')
    summary = Summary()
    assert list(read_jsonl(path, summary)) == [(Place(path, 2), {"a": 2})]
    assert [p.message[1:5] for p in summary.problems] == ["W305"]


def test_object_with_two_values_for_a_key_is_skipped(write: Write) -> None:
    path = write("a.jsonl", '{"a": {"b": [1], "b": []}}\n{"a": 2}\n')
    summary = Summary()
    assert list(read_jsonl(path, summary)) == [(Place(path, 2), {"a": 2})]
    assert "W305" in summary.problems[0].message
    assert "'b' is there more than once" in summary.problems[0].message
