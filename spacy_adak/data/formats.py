"""Which format a file is in."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import Errors
from .brat import ANNOTATIONS, TEXT
from .doccano import SPAN_KEYS
from .huggingface import tokens_and_tags
from .prodigy import MARKS
from .records import read_records
from .spacy_v2 import is_text_with_entities
from .spans_jsonl import as_list
from .summary import Summary

Target = Literal["spacy", "conll", "spans", "prodigy", "doccano", "label-studio"]
Format = Literal[
    "spacy",
    "conll",
    "spans",
    "prodigy",
    "doccano",
    "label-studio",
    "huggingface",
    "spacy-v2",
    "brat",
]
_COLUMNS = ("conll", "iob", "iob2", "bio", "biluo", "bioes", "ner", "tsv", "txt")
# The first format with a suffix is the one it stands for, the first suffix of a format
# the one it is written with.
SUFFIXES: dict[Format, tuple[str, ...]] = {
    "spacy": (".spacy",),
    "conll": tuple(f".{name}" for name in _COLUMNS),
    "spans": (".jsonl", ".json"),
    "prodigy": (".jsonl",),
    "label-studio": (".json",),
    "doccano": (".jsonl", ".json"),
    "huggingface": (".parquet", ".jsonl", ".json"),
    "spacy-v2": (".json", ".jsonl"),
    "brat": (ANNOTATIONS,),
}
_BY_SUFFIX: dict[str, Format] = {
    **{suffix: name for name in reversed(SUFFIXES) for suffix in SUFFIXES[name]},
    ".json": "label-studio",
}
# How many records are looked at for one that tells the format.
_LOOKED_AT = 100
_LABEL_STUDIO_KEYS = ("annotations", "completions", "predictions")
_JSON_MIN_KEYS = ("annotator", "annotation_id", "lead_time")


def format_of_suffix(path: Path, option: str, choices: Any = Format) -> Format:
    """Detect the format of a file from its suffix.

    path (Path): The file, which need not exist.
    option (str): The option that would say it, for the error message.
    choices (Any): The formats there are.
    RETURNS (str): The format.
    """
    found = _BY_SUFFIX.get(path.suffix.lower())
    if found is not None and found in get_args(choices):
        return found
    formats = ", ".join(get_args(choices))
    raise ValueError(Errors.A309.format(path=path, formats=formats, option=option))


def detect_format(path: Path) -> Format:
    """Detect the format of a file from its suffix, and of JSON and JSONL from the
    content.

    path (Path): The file.
    RETURNS (str): The format.
    """
    by_suffix = format_of_suffix(path, "--converter")
    suffix = path.suffix.lower()
    if suffix == TEXT and path.with_suffix(ANNOTATIONS).is_file():
        return "brat"
    if suffix not in (".json", ".jsonl"):
        return by_suffix
    for record in _first_records(path):
        found = _format_of_record(record)
        if found is not None:
            return found
    return by_suffix


def _first_records(path: Path) -> Iterator[Any]:
    try:
        for _, record in islice(read_records(path, Summary()), _LOOKED_AT):
            yield record
    except ValueError:  # the reader of the format says what is wrong
        return


def _format_of_record(record: Any) -> Format | None:
    """The format that a record can only be of, if there is one."""
    if is_text_with_entities(record):
        return "spacy-v2"
    if not isinstance(record, dict):
        return None
    annotations = [a for a in as_list(record.get("annotations")) if a is not None]
    if "paragraphs" in record or is_text_with_entities(next(iter(annotations), None)):
        return "spacy-v2"
    if tokens_and_tags(record) or isinstance(record.get("rows"), list):
        return "huggingface"
    if any(key in record for key in MARKS):
        return "prodigy"
    if isinstance(record.get("data"), dict) or _is_json_min(record):
        return "label-studio"
    if any(key in record for key in _LABEL_STUDIO_KEYS):
        return "label-studio"
    if "spans" in record:
        return "spans"
    return "doccano" if any(key in record for key in SPAN_KEYS) else None


def _is_json_min(record: dict[str, Any]) -> bool:
    """Whether a record is a task of Label Studio's JSON-MIN."""
    regions = [
        value
        for values in record.values()
        for value in (values if isinstance(values, list) else [])
        if isinstance(value, dict) and "labels" in value
    ]
    return bool(regions) or any(key in record for key in _JSON_MIN_KEYS)
