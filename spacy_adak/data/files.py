"""The lines and records of text files: encodings, line numbers, what is broken."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import Errors, Warnings
from .summary import Place, Summary

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")


def _object_of_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make the dict of a JSON object. Python would take the last of several values of a
    key, and drop the others without a word.

    pairs (list[tuple[str, Any]]): Its keys and values.
    RETURNS (dict[str, Any]): The dict.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} is there more than once")
    return found


# For all JSON that users give.
JSON_DECODER = json.JSONDecoder(object_pairs_hook=_object_of_pairs)


class _Line(NamedTuple):
    """A line without its end, its number from 1, and where it starts in the file."""

    text: str
    number: int
    offset: int


def read_lines(path: Path) -> Iterator[str]:
    """Read the lines of a UTF-8 file with any line ends, with or without BOM.

    path (Path): The file.
    YIELDS (str): Its lines, without line ends.
    """
    for line in _read_lines(path):
        yield line.text


def _read_lines(path: Path) -> Iterator[_Line]:
    number = offset = 0
    with path.open("rb") as file:
        for raw in file:
            skipped = len(_BOM) if not offset and raw.startswith(_BOM) else 0
            # Few files have line ends of other kinds within what is a line to Python,
            # and `str.splitlines` would split at characters that are part of tokens.
            raw_lines = [raw[skipped:].removesuffix(b"\n")]
            if b"\r" in raw:
                raw_lines = _LINE_END.split(raw[skipped:])
                if raw.endswith((b"\n", b"\r")):
                    raw_lines.pop()
            start = offset + skipped
            for raw_line in raw_lines:
                number += 1
                yield _Line(_decode(raw_line, path, number), number, start)
                start += len(raw_line) + 1
            offset += len(raw)


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf8")
    except UnicodeDecodeError as error:
        message = Errors.A301.format(path=path, line=line, byte=raw[error.start])
        raise ValueError(message) from error


def read_jsonl(path: Path, summary: Summary) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Read the objects of a JSONL file; lines that hold none are noted and skipped.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, dict]): Where the object is, and the object.
    """
    for place, _, record in read_jsonl_with_offsets(path, summary):
        yield place, record


def read_jsonl_with_offsets(
    path: Path, summary: Summary | None
) -> Iterator[tuple[Place, int, dict[str, Any]]]:
    """Read the objects of a JSONL file, and where `read_json_at` finds them again.

    path (Path): The file.
    summary (Summary | None): Where problems are noted, unless this was done before.
    YIELDS (tuple[Place, int, dict]): The place, the offset and the object.
    """
    for place, offset, record in _read_json_lines(path, summary):
        if isinstance(record, dict):
            yield place, offset, record
        elif summary is not None:
            message = Warnings.W306.format(type=type(record).__name__)
            summary.add_problem(place, "skipped", message)


def read_json_lines(path: Path, summary: Summary) -> Iterator[tuple[Place, Any]]:
    """Read the values of a JSONL file; lines that hold none are noted and skipped.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, Any]): Where the value is, and the value.
    """
    for place, _, record in _read_json_lines(path, summary):
        yield place, record


def _read_json_lines(
    path: Path, summary: Summary | None
) -> Iterator[tuple[Place, int, Any]]:
    for text, number, offset in _read_lines(path):
        if not text or text.isspace():
            continue
        place = Place(path, number)
        try:
            record = JSON_DECODER.decode(text)
        except (ValueError, RecursionError) as error:  # it has limits to size and depth
            if summary is not None:
                message = Warnings.W305.format(error=error)
                summary.add_problem(place, "skipped", message)
        else:
            yield place, offset, record


def read_json_at(path: Path, offset: int) -> Any:
    """RETURNS (Any): The JSON value on the line that starts at an offset."""
    with path.open("rb") as file:
        file.seek(offset)
        return json.loads(_LINE_END.split(file.readline())[0])


def to_jsonl(records: Iterable[dict[str, Any]]) -> str:
    """RETURNS (str): One JSON object a line."""
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
