"""Texts to be annotated completely, in the formats of annotation tools."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..atomic import write_bytes
from ..errors import Errors
from .files import to_jsonl
from .sample_marks import SAMPLE_KEY


class Task(NamedTuple):
    """A text to annotate.

    text (str): The text.
    spans (Sequence[dict[str, Any]]): What is suggested, by character offsets.
    mark (dict[str, Any]): The stratum that the text is from, and its weight.
    """

    text: str
    spans: Sequence[dict[str, Any]]
    mark: dict[str, Any]


def write_tasks(tasks: Sequence[Task], path: Path, to: str) -> None:
    """Write texts for an annotation tool.

    tasks (Sequence[Task]): The texts.
    path (Path): The file.
    to (str): "prodigy", "label-studio", "doccano" or "spans".
    """
    if to not in _WRITERS:
        choices = ", ".join(_WRITERS)
        raise ValueError(Errors.A310.format(name="--to", value=to, choices=choices))
    records = [_WRITERS[to](t._replace(mark={"tool": to, **t.mark})) for t in tasks]
    if to == "label-studio":
        text = json.dumps(records, ensure_ascii=False, indent=2) + "\n"
    else:
        text = to_jsonl(records)
    write_bytes(path, text.encode())


def _to_prodigy(task: Task) -> dict[str, Any]:
    record: dict[str, Any] = {"text": task.text, SAMPLE_KEY: task.mark}
    if task.spans:
        record["spans"] = list(task.spans)
    return record


def _to_spans(task: Task) -> dict[str, Any]:
    return {"text": task.text, "spans": list(task.spans), SAMPLE_KEY: task.mark}


def _to_doccano(task: Task) -> dict[str, Any]:
    label = [[span["start"], span["end"], span["label"]] for span in task.spans]
    return {"text": task.text, "label": label, SAMPLE_KEY: task.mark}


def _to_label_studio(task: Task) -> dict[str, Any]:
    record: dict[str, Any] = {"data": {"text": task.text, SAMPLE_KEY: task.mark}}
    if task.spans:
        result = [
            {
                "from_name": "label",
                "to_name": "text",
                "type": "labels",
                "value": {
                    "start": span["start"],
                    "end": span["end"],
                    "text": task.text[span["start"] : span["end"]],
                    "labels": [span["label"]],
                },
            }
            for span in task.spans
        ]
        record["predictions"] = [{"model_version": "adak sample", "result": result}]
    return record


_WRITERS: dict[str, Callable[[Task], dict[str, Any]]] = {
    "prodigy": _to_prodigy,
    "label-studio": _to_label_studio,
    "doccano": _to_doccano,
    "spans": _to_spans,
}
