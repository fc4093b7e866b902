"""The records of a JSON or JSONL file, in whichever of the two shapes it has."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import Errors, Warnings
from .files import JSON_DECODER, read_json_lines, read_lines
from .json_array import read_json_array
from .summary import Place, Summary


def read_records(path: Path, summary: Summary) -> Iterator[tuple[Place, Any]]:
    """Read the elements of a JSON array, the lines of a JSONL file, or a single JSON
    object. A file named .jsonl has a record a line.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, Any]): Where the record is, and the record.
    """
    first_line = next((line for line in read_lines(path) if line.strip()), "")
    is_jsonl = path.suffix.lower() == ".jsonl"
    if not is_jsonl and first_line.lstrip().startswith("["):
        yield from read_json_array(path, "record")
    elif is_jsonl or _is_json(first_line):
        yield from read_json_lines(path, summary)
    else:
        yield Place(path, 1), _read_json(path)


def read_objects(
    path: Path, summary: Summary
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Read the records that are JSON objects; others are noted and skipped.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, dict]): Where the object is, and the object.
    """
    for place, record in read_records(path, summary):
        if isinstance(record, dict):
            yield place, record
        else:
            note_wrong_type(record, place, summary)


def note_wrong_type(record: Any, place: Place, summary: Summary) -> None:
    """Note that a record is left out because it is of the wrong JSON type."""
    message = Warnings.W306.format(type=type(record).__name__)
    summary.add_problem(place, "skipped", message)


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json(path: Path) -> Any:
    try:
        return JSON_DECODER.decode("\n".join(read_lines(path)))
    except (ValueError, RecursionError) as error:  # it has limits to size and depth
        line = getattr(error, "lineno", 1)
        why = getattr(error, "msg", error)
        message = Errors.A307.format(path=path, line=line, error=why)
        raise ValueError(message) from error
