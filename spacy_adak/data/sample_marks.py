"""Texts that `adak sample` has drawn to be annotated completely, and how to know them
again when they come back from an annotation tool."""

from math import inf
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from .records import read_records
from .summary import Summary

# The key of the mark in a record, and in `Doc.user_data`.
SAMPLE_KEY = "adak_sample"
_WHERE = ("data", "meta")


def sampled_texts(path: Path, text_key: str) -> dict[str, dict[str, Any]]:
    """Find the texts of a JSON or JSONL file that were drawn, and that somebody has
    annotated since.

    path (Path): The file.
    text_key (str): The key of the text.
    RETURNS (dict[str, dict]): The mark of each such text.
    """
    with path.open("rb") as file:
        if not any(SAMPLE_KEY.encode() in line for line in file):
            return {}
    marks: dict[str, dict[str, Any]] = {}
    # Problems are noted by the reader of the format.
    for _, record in read_records(path, Summary()):
        if isinstance(record, dict):
            blocks = [record, *(record.get(key) for key in _WHERE)]
            found = [block for block in blocks if isinstance(block, dict)]
            mark: Any = next((b[SAMPLE_KEY] for b in found if SAMPLE_KEY in b), None)
            text = next((b[text_key] for b in found if text_key in b), None)
            if isinstance(text, str) and _is_annotated(record, mark):
                marks[text] = mark
    return marks


def sample_weight(doc: Doc) -> float | None:
    """RETURNS (float | None): By which weight a text counts that was drawn."""
    mark = doc.user_data.get(SAMPLE_KEY)
    return (
        float(mark["weight"]) if isinstance(mark, dict) and "weight" in mark else None
    )


def _is_weight(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value < inf


def _is_annotated(record: dict[str, Any], mark: Any) -> bool:
    """Whether a record was annotated, according to its tool."""
    if not isinstance(mark, dict) or not _is_weight(mark.get("weight", 1)):
        return False
    tool = mark.get("tool")
    if tool == "prodigy":
        return record.get("answer") == "accept"
    if tool == "label-studio":
        return bool(record.get("annotations")) or "annotator" in record
    # doccano numbers what it exports. The span format says nothing.
    return tool != "doccano" or "id" in record
