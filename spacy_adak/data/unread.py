"""Records without annotation in the place where their format has it. They are not texts
without entities: the annotation may be elsewhere, or nobody has looked for entities."""

from collections.abc import Collection
from typing import Any

from ..errors import Warnings
from .annotated_text import AnnotatedText
from .summary import Summary

# Where tools have the annotations of a text.
_KEYS = ("spans", "label", "labels", "entities", "annotations", "completions")


def check_other_keys(
    found: AnnotatedText,
    record: dict[str, Any],
    own_keys: Collection[str],
    summary: Summary,
) -> None:
    """Take a text as unknown, and note that, if its record has annotations under the
    keys of other formats and none under its own.

    found (AnnotatedText): What was read of the record.
    record (dict[str, Any]): The record.
    own_keys (Collection[str]): The keys under which its format has annotations.
    summary (Summary): Where problems are noted.
    """
    if any(record.get(key) for key in own_keys):
        return
    others = [key for key in _KEYS if key not in own_keys and _has_any(record.get(key))]
    if others:
        found.unlabelled = "missing"
        message = Warnings.W345.format(keys=", ".join(others), own=", ".join(own_keys))
        summary.add_problem(found.place, "repaired", message)


def note_silence(found: AnnotatedText, key: str, summary: Summary) -> None:
    """Take a text as unknown, and note that, because its record says nothing about
    entities.

    found (AnnotatedText): What was read of the record.
    key (str): The key that is not there.
    summary (Summary): Where problems are noted.
    """
    found.unlabelled = "missing"
    summary.add_problem(found.place, "repaired", Warnings.W346.format(key=key))


def _has_any(value: Any) -> bool:
    """Whether a value holds something that may be spans: labels of a whole text are
    strings."""
    return isinstance(value, list) and any(isinstance(v, list | dict) for v in value)
