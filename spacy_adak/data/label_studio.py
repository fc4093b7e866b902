"""Label Studio's JSON: an array of tasks, in its two shapes, JSON and JSON-MIN:

{"data": {"text": "Acme hired Ann."}, "annotations": [{"result": [{"type": "labels",
    "value": {"start": 0, "end": 4, "text": "Acme", "labels": ["ORG"]}}]}]}
{"text": "Acme hired Ann.", "label": [{"start": 0, "end": 4, "labels": ["ORG"]}]}
"""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..errors import Errors, Warnings
from .alignment import AnnotatedText, CharSpan
from .files import read_lines
from .spans_jsonl import get_text
from .summary import Place, Summary

_SPACE = re.compile(r"\s*")


def read_label_studio(
    path: Path, text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """Read an export of Label Studio.

    path (Path): The file.
    text_key (str): The key of the text in the data of a task.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The tasks that somebody annotated.
    """
    for place, task in _read_tasks(path):
        if not isinstance(task, dict):
            message = Warnings.W306.format(type=type(task).__name__)
            summary.add_problem(place, "skipped", message)
            continue
        data = task["data"] if isinstance(task.get("data"), dict) else task
        text = get_text(data, text_key, place, summary)
        if text is None:
            continue
        regions = _get_regions(task, place, summary)
        if regions is None:
            summary.set_aside += 1
        else:
            yield _to_annotated_text(text, regions, place, summary)


def _read_tasks(path: Path) -> Iterator[tuple[Place, Any]]:
    """The elements of a JSON array, each with the line it starts on."""
    text = "\n".join(read_lines(path))
    decoder = json.JSONDecoder()
    position = _skip_space(text, 0)
    line, counted = 1, 0
    if text[position : position + 1] != "[":
        raise ValueError(Errors.A306.format(path=path))
    position = _skip_space(text, position + 1)
    while text[position : position + 1] != "]":
        line += text.count("\n", counted, position)
        counted = position
        try:
            task, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise ValueError(
                Errors.A307.format(path=path, line=error.lineno, error=error.msg)
            ) from error
        yield Place(path, line), task
        position = _skip_space(text, end)
        if text[position : position + 1] == ",":
            position = _skip_space(text, position + 1)


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _get_regions(
    task: dict[str, Any], place: Place, summary: Summary
) -> list[dict[str, Any]] | None:
    """The marked regions of a task, or None if nobody annotated it. Of several
    annotations the ground truth is taken, or else the last one."""
    if "data" not in task:  # JSON-MIN: regions stand under the name of their tag
        values = [value for value in task.values() if isinstance(value, list)]
        regions = [{"type": "labels", "value": v} for value in values for v in value]
        return [r for r in regions if isinstance(r["value"], dict)]
    annotations = [
        annotation
        for annotation in task.get("annotations") or task.get("completions") or []
        if isinstance(annotation, dict) and not annotation.get("was_cancelled")
    ]
    if not annotations:
        return None
    annotations.sort(key=lambda annotation: bool(annotation.get("ground_truth")))
    if len(annotations) > 1 and not annotations[-1].get("ground_truth"):
        message = Warnings.W323.format(count=len(annotations))
        summary.add_problem(place, "repaired", message)
    regions = annotations[-1].get("result") or []
    return [region for region in regions if isinstance(region, dict)]


def _to_annotated_text(
    text: str, regions: list[dict[str, Any]], place: Place, summary: Summary
) -> AnnotatedText:
    """A text with the spans of its regions. What is no marked text, such as a
    relation, says nothing about entities."""
    record = AnnotatedText(place, text)
    for region in regions:
        kind = str(region.get("type"))
        if kind == "labels":
            record.entities.append(_to_char_span(region, place, summary))
        elif kind.endswith("labels"):
            record.unlabelled = "missing"
            summary.add_problem(place, "repaired", Warnings.W324.format(type=kind))
    return record


def _to_char_span(region: dict[str, Any], place: Place, summary: Summary) -> CharSpan:
    value = region.get("value") or {}
    labels = value.get("labels") or [None]
    if len(labels) > 1:
        message = Warnings.W325.format(labels=labels, kept=labels[0])
        summary.add_problem(place, "repaired", message)
    return CharSpan(value.get("start"), value.get("end"), labels[0], value.get("text"))


def to_label_studio(docs: Iterable[Doc], text_key: str) -> str:
    """Write documents for import into Label Studio, as tasks annotated by a labels
    tag "label" on a text tag "text". It knows entities only: whether the rest is
    missing or outside, and which spans are ruled out, is not written.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text in the data of a task.
    RETURNS (str): The content of the file.
    """
    tasks = [
        {
            "data": {text_key: doc.text},
            "annotations": [
                {
                    "result": [
                        {
                            "from_name": "label",
                            "to_name": "text",
                            "type": "labels",
                            "value": {
                                "start": ent.start_char,
                                "end": ent.end_char,
                                "text": ent.text,
                                "labels": [ent.label_],
                            },
                        }
                        for ent in doc.ents
                    ]
                }
            ],
        }
        for doc in docs
    ]
    return json.dumps(tasks, ensure_ascii=False, indent=2) + "\n"
