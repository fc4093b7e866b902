import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_adak.data import json_array
from spacy_adak.data.json_array import read_json_array

Write = Callable[[str, str], Path]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=150)
@given(
    values=st.lists(VALUES, max_size=5),
    chunk=st.integers(1, 7),
    indent=st.sampled_from([None, 1]),
    ascii_=st.booleans(),
)
def test_elements_are_those_of_the_whole_however_it_is_cut(
    values: list[object],
    chunk: int,
    indent: int | None,
    ascii_: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("json") / "a.json"
    text = json.dumps(values, indent=indent, ensure_ascii=ascii_)
    path.write_bytes(text.encode("utf8", "surrogatepass"))
    try:
        path.read_text(encoding="utf8")
    except UnicodeDecodeError:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_array, "_CHUNK", chunk)
        assert [value for _, value in read_json_array(path, "x")] == values


@pytest.mark.parametrize("chunk", [1, 5, 2**20])
def test_lines_are_those_of_the_file_however_it_is_cut(
    chunk: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_array, "_CHUNK", chunk)
    path = write("a.json", '[\r\n1,\n\n{"a":\n2}, "b"\n,\r3]')
    assert [(place.line, place.name) for place, _ in read_json_array(path, "x")] == [
        (2, "x 1"),
        (4, "x 2"),
        (5, "x 3"),
        (7, "x 4"),
    ]


@pytest.mark.parametrize("chunk", [1, 5, 2**20])
@pytest.mark.parametrize(
    ("text", "line"),
    [("[1,\n\n2,\n}", 4), ("[1,\n2", 2), ('[1,\n"a\n', 2), ("[1,\n", 2)],
)
def test_error_names_the_line_however_the_file_is_cut(
    text: str, line: int, chunk: int, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_array, "_CHUNK", chunk)
    with pytest.raises(ValueError, match=rf"A307.*line {line}:"):
        list(read_json_array(write("a.json", text), "x"))


def test_invalid_utf8_is_named_by_line(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b'[1,\n"\xfc"]')
    with pytest.raises(ValueError, match=r"A301.*a\.json, line 2: byte 0xfc"):
        list(read_json_array(tmp_path / "a.json", "x"))


def test_object_with_two_values_for_a_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1},\n{"b": [1], "b": []}]')
    with pytest.raises(ValueError, match=r"A307.*line 2.*'b' is there more than once"):
        list(read_json_array(path, "record"))
