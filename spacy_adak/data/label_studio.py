"""Label Studio's JSON: an array of tasks, in its two shapes, JSON and JSON-MIN:

{"data": {"text": "Acme hired Ann."}, "annotations": [{"result": [{"type": "labels",
    "value": {"start": 0, "end": 4, "text": "Acme", "labels": ["ORG"]}}]}]}
{"text": "Acme hired Ann.", "label": [{"start": 0, "end": 4, "labels": ["ORG"]}]}

What a model says is in the "predictions" of a task, whose results are like those of
annotations, with a "score" for each region.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from spacy.tokens import Doc

from ..errors import Warnings
from .agreement import annotator_name
from .annotated_text import AnnotatedText, CharSpan, to_char_span
from .complete_marks import marks_of
from .json_array import read_json_array
from .origins import SpanOrigin, estimates_of, without_estimates
from .spans_jsonl import as_list, get_text
from .summary import Place, Summary
from .unread import note_silence


def read_label_studio(
    path: Path, text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """Read an export of Label Studio.

    path (Path): The file.
    text_key (str): The key of the text in the data of a task.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The tasks that somebody annotated, or a model.
    """
    tasks = _read_tasks(path, summary)
    read: set[int | str] = set()
    # JSON-MIN repeats a task for each of its annotations.
    for number, group in groupby(tasks, key=lambda found: _min_id(*found)):
        if number is None:
            for place, task in group:
                yield from _read_task(task, text_key, place, summary)
        else:
            copies = list(group)
            if number in read:
                summary.add_problem(copies[0][0], "repaired", Warnings.W362)
            read.add(number)
            yield from _read_min_tasks(copies, text_key, summary)


def _read_tasks(path: Path, summary: Summary) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The tasks of a file. A message calls them by their ids, if they have some."""
    for place, task in read_json_array(path, "element"):
        if isinstance(task, dict):
            number = task.get("id")
            name = f"task {number}" if isinstance(number, int | str) else place.name
            yield place._replace(name=name), task
        else:
            message = Warnings.W306.format(type=type(task).__name__)
            summary.add_problem(place, "skipped", message)


def _min_id(place: Place, task: dict[str, Any]) -> int | str | None:
    """The id of a task of JSON-MIN, if it is one and has any."""
    number = task.get("id")
    is_min = not isinstance(task.get("data"), dict)
    return number if is_min and isinstance(number, int | str) else None


def _read_min_tasks(
    tasks: list[tuple[Place, dict[str, Any]]], text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """The annotations of a task, each in a copy of it."""
    place, task = tasks[0]
    if len(tasks) == 1 or any(t.get(text_key) != task.get(text_key) for _, t in tasks):
        for place, task in tasks:
            yield from _read_task(task, text_key, place, summary)
        return
    text = get_text(task, text_key, place, summary)
    if text is not None:
        annotations = [
            {"completed_by": t.get("annotator"), "result": _get_min_regions(t)}
            for _, t in tasks
        ]
        yield _merge(text, annotations, place, summary)


def _read_task(
    task: dict[str, Any], text_key: str, place: Place, summary: Summary
) -> Iterator[AnnotatedText]:
    is_min = not isinstance(task.get("data"), dict)
    text = get_text(task if is_min else task["data"], text_key, place, summary)
    if text is None:
        return
    if is_min and "data" not in task:
        annotator, regions = task.get("annotator"), _get_min_regions(task)
        annotation = {"completed_by": annotator, "result": regions}
        yield _merge(text, [annotation], place, summary)
        return
    if not is_min:
        task = _about_one_text(task, text_key, text, place, summary)
    predictions = _get_predictions(task, place, summary)
    if predictions is not None and not _get_annotations(task):
        record = AnnotatedText(place, text, unlabelled="missing")
    else:
        finished = _get_finished_annotations(task, place, summary)
        if not finished:
            return
        record = _merge(text, finished, place, summary)
        # How long it took is known of what somebody did, not of what was imported.
        record.reviewed = any(a.get("lead_time") is not None for a in finished)
    for origin, span in predictions or ():
        (record.estimated if origin == "estimated" else record.guessed).append(span)
    yield record


def _about_one_text(
    task: dict[str, Any], text_key: str, text: str, place: Place, summary: Summary
) -> dict[str, Any]:
    """A task without the regions of its other texts, whose offsets mean nothing in this
    one. A tag is usually named after the text it shows."""
    others = task["data"].keys() - {text_key}
    left_out: Counter[str] = Counter()

    def is_of_this_text(region: Any) -> bool:
        name = region.get("to_name") if isinstance(region, dict) else None
        if not isinstance(name, str) or name not in others:
            return True
        if not isinstance(task["data"][name], str):
            return True
        value = region.get("value")
        stated = value.get("text") if isinstance(value, dict) else None
        if isinstance(stated, str):
            start, end = to_char_span(value)[:2]
            is_sound = type(start) is int and type(end) is int
            if is_sound and text[start:end] == stated:
                return True
        left_out[name] += 1
        return False

    def filtered(said: Any) -> Any:
        if not isinstance(said, dict) or not isinstance(said.get("result"), list):
            return said
        return {**said, "result": [r for r in said["result"] if is_of_this_text(r)]}

    said_of_text: dict[str, Any] = {
        key: [filtered(said) for said in as_list(task[key])]
        for key in ("annotations", "completions", "predictions")
        if key in task
    }
    for name, count in left_out.items():
        message = Warnings.W361.format(count=count, name=name, key=text_key)
        summary.add_problem(place, "repaired", message)
    return {**task, **said_of_text}


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


def _get_finished_annotations(
    task: dict[str, Any], place: Place, summary: Summary
) -> list[dict[str, Any]]:
    """The annotations of a task; none, and a note, if it has none."""
    annotations = _get_annotations(task)
    for annotation in annotations:
        if not isinstance(annotation, dict):
            message = Warnings.W306.format(type=type(annotation).__name__)
            summary.add_problem(place, "skipped", message)
            return []
    finished = [a for a in annotations if not a.get("was_cancelled")]
    summary.set_aside += not finished
    return finished


def _get_annotations(task: dict[str, Any]) -> list[Any]:
    return as_list(task.get("annotations") or task.get("completions"))


def _merge(
    text: str, annotations: list[dict[str, Any]], place: Place, summary: Summary
) -> AnnotatedText:
    """A text with the annotations of each annotator. An annotator who is not named has
    a number, unless nobody else has annotated the text."""
    record = AnnotatedText(place, text)
    counts: Counter[str] = Counter()
    for number, annotation in enumerate(annotations, start=1):
        spans = _to_spans(as_list(annotation.get("result")), record, summary)
        if annotation.get("result") is None:
            note_silence(record, "result", summary)
        name = annotator_name(annotation.get("completed_by"))
        if name is None and len(annotations) == 1:
            record.entities = spans
        else:
            name = name or f"unnamed {number}"
            counts[name] += 1
            record.annotations[name] = spans
            if annotation.get("ground_truth"):
                record.settled_by = name
    for name, count in counts.items():
        if count > 1:
            message = Warnings.W323.format(count=count, name=name)
            summary.add_problem(place, "repaired", message)
    return record


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


def _to_spans(
    regions: list[Any], record: AnnotatedText, summary: Summary
) -> list[CharSpan]:
    """The spans of the regions of a text. What is no marked text, such as a relation,
    says nothing about entities."""
    spans = []
    for region in regions:
        kind = region.get("type") if isinstance(region, dict) else None
        # What does not say what it is may well be an entity.
        if not isinstance(kind, str) or kind == "labels":
            spans.append(_to_char_span(region, record.place, summary))
        elif kind.endswith("labels"):
            record.unlabelled = "missing"
            message = Warnings.W324.format(type=kind)
            summary.add_problem(record.place, "repaired", message)
    return spans


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


def label_studio_pieces(docs: Iterable[Doc], text_key: str) -> Iterator[str]:
    """Write documents for import into Label Studio, as tasks annotated by a labels
    tag "label" on a text tag "text". Whether the rest is missing or outside, and which
    spans are ruled out, is not written. Estimated and guessed spans are predictions; a
    text of which nothing else is known has no annotation.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text in the data of a task.
    YIELDS (str): The content of the file, task by task.
    """
    separator = "[\n  "
    for doc in docs:
        task = json.dumps(_to_task(doc, text_key), ensure_ascii=False, indent=2)
        # Line ends within strings are escaped.
        yield separator + task.replace("\n", "\n  ")
        separator = ",\n  "
    yield "\n]\n"


def _to_task(doc: Doc, text_key: str) -> dict[str, Any]:
    doc = without_estimates(doc)
    task: dict[str, Any] = {"data": {text_key: doc.text, **marks_of(doc)}}
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
