"""Inputs that have broken a reader, or might: a fuzzer starts from these, and what it
finds is kept here. Every one gives documents that can be written, or a coded error."""

from pathlib import Path
from typing import get_args

import pytest
from spacy.language import Language

from scripts.fuzz_readers import SEEDS, convert_bytes
from spacy_adak.data.formats import Format

SMALL = [
    *(b"", b"\n", b"\t", b"\xef\xbb\xbf", b"\x00", b"\xff", b"a O", b"[", b"{"),
    *(b"null", b'"a"', b"[]", b"{}", b"[[]]", b"[{}]", b"[null]"),
    *(b"1" * 5000, b"[" * 5000),
]
PATHS = sorted(path for path in SEEDS.glob("*/*") if path.is_file())


def test_there_are_inputs_for_every_format() -> None:
    assert {path.parent.name for path in PATHS} == set(get_args(Format))


@pytest.mark.parametrize("path", PATHS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_nasty_input_is_read_or_refused_with_a_code(
    path: Path, nlp: Language, tmp_path: Path
) -> None:
    assert convert_bytes(path.read_bytes(), path.parent.name, tmp_path, nlp) >= -1


@pytest.mark.parametrize("source_format", get_args(Format))
@pytest.mark.parametrize("data", SMALL)
def test_small_input_is_read_or_refused_with_a_code(
    data: bytes, source_format: Format, nlp: Language, tmp_path: Path
) -> None:
    assert convert_bytes(data, source_format, tmp_path, nlp) >= -1
