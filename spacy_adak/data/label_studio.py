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
from .alignment import AnnotatedText, CharSpan, to_char_span
from .files import read_lines
from .spans_jsonl import as_list, get_text
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
        if "data" not in task:
            yield _to_annotated_text(text, _get_min_regions(task), place, summary)
            continue
        annotation = _get_annotation(task, place, summary)
        if annotation is not None:
            regions = as_list(annotation.get("result"))
            yield _to_annotated_text(text, regions, place, summary)


def _read_tasks(path: Path) -> Iterator[tuple[Place, Any]]:
    """The elements of a JSON array, each with the line it starts on."""
    text = "\n".join(read_lines(path))
    decoder = json.JSONDecoder()
    line, counted = 1, 0
    position = _skip_space(text, 0)
    if not text.startswith("[", position):
        raise ValueError(Errors.A306.format(path=path))
    position = _skip_space(text, position + 1)
    is_closed = text.startswith("]", position)
    try:
        while not is_closed:
            line += text.count("\n", counted, position)
            counted = position
            task, end = decoder.raw_decode(text, position)
            yield Place(path, line), task
            position = _skip_space(text, end)
            is_closed = text.startswith("]", position)
            if not is_closed:
                if not text.startswith(",", position):
                    raise json.JSONDecodeError("Expecting ',' or ']'", text, position)
                position = _skip_space(text, position + 1)
        position = _skip_space(text, position + 1)
        if position < len(text):
            raise json.JSONDecodeError("Extra data", text, position)
    except (ValueError, RecursionError) as error:  # Python reads no number of any size
        where = getattr(error, "lineno", line)
        why = getattr(error, "msg", error)
        raise ValueError(
            Errors.A307.format(path=path, line=where, error=why)
        ) from error


def _skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _get_min_regions(task: dict[str, Any]) -> list[dict[str, Any]]:
    """The marked regions of a task of JSON-MIN, where they stand under the name of
    their tag. A list of anything else is that of another tag."""
    return [
        {"type": "labels", "value": value}
        for values in task.values()
        if isinstance(values, list)
        for value in values
        if isinstance(value, dict)
    ]


def _get_annotation(
    task: dict[str, Any], place: Place, summary: Summary
) -> dict[str, Any] | None:
    """The annotation of a task, or None, and a note, if it has none. Of several the
    ground truth is taken, or else the last one."""
    annotations = as_list(task.get("annotations") or task.get("completions"))
    for annotation in annotations:
        if not isinstance(annotation, dict):
            message = Warnings.W306.format(type=type(annotation).__name__)
            summary.add_problem(place, "skipped", message)
            return None
    finished = [a for a in annotations if not a.get("was_cancelled")]
    if not finished:
        summary.set_aside += 1
        return None
    finished.sort(key=lambda annotation: bool(annotation.get("ground_truth")))
    if len(finished) > 1 and not finished[-1].get("ground_truth"):
        message = Warnings.W323.format(count=len(finished))
        summary.add_problem(place, "repaired", message)
    return finished[-1]


def _to_annotated_text(
    text: str, regions: list[Any], place: Place, summary: Summary
) -> AnnotatedText:
    """A text with the spans of its regions. What is no marked text, such as a
    relation, says nothing about entities."""
    record = AnnotatedText(place, text)
    for region in regions:
        kind = region.get("type") if isinstance(region, dict) else None
        # What does not say what it is may well be an entity.
        if not isinstance(kind, str) or kind == "labels":
            record.entities.append(_to_char_span(region, place, summary))
        elif kind.endswith("labels"):
            record.unlabelled = "missing"
            summary.add_problem(place, "repaired", Warnings.W324.format(type=kind))
    return record


def _to_char_span(region: Any, place: Place, summary: Summary) -> CharSpan:
    value = region.get("value") if isinstance(region, dict) else region
    if not isinstance(value, dict):
        return CharSpan(value, None, None)
    labels = as_list(value.get("labels"))
    if len(labels) > 1:
        message = Warnings.W325.format(labels=labels, kept=labels[0])
        summary.add_problem(place, "repaired", message)
    label = labels[0] if labels else None
    return to_char_span({**value, "label": label})


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
