"""Label Studio's JSON: an array of tasks, in its two shapes, JSON and JSON-MIN:

{"data": {"text": "Acme hired Ann."}, "annotations": [{"result": [{"type": "labels",
    "value": {"start": 0, "end": 4, "text": "Acme", "labels": ["ORG"]}}]}]}
{"text": "Acme hired Ann.", "label": [{"start": 0, "end": 4, "labels": ["ORG"]}]}

What a model says is in the "predictions" of a task, whose results are like those of
annotations, with a "score" for each region.
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
from .origins import SpanOrigin, estimates_of, without_estimates
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
        predictions = _get_predictions(task, place, summary)
        if predictions is not None and not _get_annotations(task):
            record = AnnotatedText(place, text, unlabelled="missing")
        else:
            annotation = _get_annotation(task, place, summary)
            if annotation is None:
                continue
            regions = as_list(annotation.get("result"))
            record = _to_annotated_text(text, regions, place, summary)
            # How long it took is known of what somebody did, not of what was imported.
            record.reviewed = annotation.get("lead_time") is not None
        for origin, span in predictions or ():
            (record.estimated if origin == "estimated" else record.guessed).append(span)
        yield record


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
    annotations = _get_annotations(task)
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


def _get_annotations(task: dict[str, Any]) -> list[Any]:
    return as_list(task.get("annotations") or task.get("completions"))


def _get_predictions(
    task: dict[str, Any], place: Place, summary: Summary
) -> list[tuple[str | None, CharSpan]] | None:
    """The regions that models have predicted, and what ours say where they are from.
    None if no model has looked for any."""
    found = []
    looked = False
    for prediction in as_list(task.get("predictions")):
        # An export may have no more than the numbers of predictions.
        result = prediction.get("result") if isinstance(prediction, dict) else None
        looked |= result == []
        for region in as_list(result):
            if isinstance(region, dict) and region.get("type", "labels") == "labels":
                meta = region.get("meta")
                origin = meta.get("origin") if isinstance(meta, dict) else None
                span = _to_char_span(region, place, summary)
                found.append((origin, span))
    return found if found or looked else None


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
    return to_char_span({**value, "label": label, "score": region.get("score")})


def to_label_studio(docs: Iterable[Doc], text_key: str) -> str:
    """Write documents for import into Label Studio, as tasks annotated by a labels
    tag "label" on a text tag "text". Whether the rest is missing or outside, and which
    spans are ruled out, is not written. Estimated and guessed spans are predictions; a
    text of which nothing else is known has no annotation.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text in the data of a task.
    RETURNS (str): The content of the file.
    """
    tasks = [_to_task(doc, text_key) for doc in docs]
    return json.dumps(tasks, ensure_ascii=False, indent=2) + "\n"


def _to_task(doc: Doc, text_key: str) -> dict[str, Any]:
    doc = without_estimates(doc)
    task: dict[str, Any] = {"data": {text_key: doc.text}}
    estimates = estimates_of(doc)
    is_annotated = doc.to_array("ENT_IOB").any()
    if is_annotated:
        regions = [_to_region(SpanOrigin(ent, "annotated")) for ent in doc.ents]
        task["annotations"] = [{"result": regions}]
    if estimates or not is_annotated:
        prediction: dict[str, Any] = {"model_version": "spacy-adak"}
        scores = [e.score for e in estimates if e.score is not None]
        if scores:  # Label Studio can show tasks in the order of this
            prediction["score"] = min(scores)
        prediction["result"] = [_to_region(estimate) for estimate in estimates]
        task["predictions"] = [prediction]
    return task


def _to_region(known: SpanOrigin) -> dict[str, Any]:
    span, origin, score = known
    region: dict[str, Any] = {
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": {
            "start": span.start_char,
            "end": span.end_char,
            "text": span.text,
            "labels": [span.label_],
        },
    }
    if score is not None:
        region["score"] = score
    if origin != "annotated":
        region["meta"] = {"origin": origin}
    return region
