"""The lines and records of text files: encodings, line numbers, what is broken."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import Errors, Warnings
from .summary import Place, Summary


def read_lines(path: Path) -> list[str]:
    """Read the lines of a UTF-8 file, whatever its line ends and with or without BOM.

    path (Path): The file.
    RETURNS (list[str]): Its lines, without line ends.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ValueError(
            Errors.A301.format(path=path, line=line, byte=data[error.start])
        ) from error
    # `str.splitlines` would also split at characters that may be part of a token.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read_jsonl(path: Path, summary: Summary) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Read the objects of a JSONL file; lines that hold none are noted and skipped.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, dict]): Where the object is, and the object.
    """
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        place = Place(path, number)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:  # it has limits to size and depth
            summary.add_problem(place, "skipped", Warnings.W305.format(error=error))
            continue
        if isinstance(record, dict):
            yield place, record
        else:
            summary.add_problem(
                place, "skipped", Warnings.W306.format(type=type(record).__name__)
            )


def to_jsonl(records: Iterable[dict[str, Any]]) -> str:
    """RETURNS (str): One JSON object a line."""
    return "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records)
