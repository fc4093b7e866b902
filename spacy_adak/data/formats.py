"""Which format a file is in."""

import json
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import Errors
from .doccano import SPAN_KEYS
from .files import read_lines
from .prodigy import MARKS

Format = Literal["spacy", "conll", "spans", "prodigy", "doccano", "label-studio"]
_COLUMNS = ("conll", "iob", "iob2", "bio", "biluo", "bioes", "ner", "tsv", "txt")
# The first format with a suffix is the one it stands for, the first suffix of a format
# the one it is written with.
SUFFIXES: dict[Format, tuple[str, ...]] = {
    "spacy": (".spacy",),
    "conll": tuple(f".{name}" for name in _COLUMNS),
    "spans": (".jsonl",),
    "prodigy": (".jsonl",),
    "doccano": (".jsonl",),
    "label-studio": (".json",),
}


def format_of_suffix(path: Path, option: str) -> Format:
    """Tell the format of a file by its suffix.

    path (Path): The file, which need not exist.
    option (str): The option that would say it, for the error message.
    RETURNS (str): The format.
    """
    for name, suffixes in SUFFIXES.items():
        if path.suffix in suffixes:
            return name
    formats = ", ".join(get_args(Format))
    raise ValueError(Errors.A309.format(path=path, formats=formats, option=option))


def detect_format(path: Path) -> Format:
    """Tell the format of a file by its suffix, and JSONL by its first record.

    path (Path): The file.
    RETURNS (str): The format.
    """
    by_suffix = format_of_suffix(path, "--converter")
    if by_suffix != "spans":
        return by_suffix
    record = _first_record(path)
    if any(key in record for key in MARKS):
        return "prodigy"
    if "spans" not in record and any(key in record for key in SPAN_KEYS):
        return "doccano"
    return "spans"


def _first_record(path: Path) -> dict[str, Any]:
    for line in read_lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict):
            return record
    return {}
