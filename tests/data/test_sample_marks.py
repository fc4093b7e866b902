import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.sample_marks import SAMPLE_KEY, sampled_texts
from spacy_adak.data.sample_tasks import Task, write_tasks

TASK = Task("Acme hired Ann.", [], {"stratum": "any", "weight": 1.25})
SPAN = {"start": 11, "end": 14, "label": "PER"}


def answer_in_prodigy(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "spans": [SPAN], "answer": "accept", "_view_id": "ner_manual"}


def answer_in_doccano(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "id": 7, "label": [[11, 14, "PER"]]}


def answer_in_label_studio(record: dict[str, Any]) -> dict[str, Any]:
    value = {"start": 11, "end": 14, "text": "Ann", "labels": ["PER"]}
    result = [{"type": "labels", "value": value}]
    return {**record, "annotations": [{"result": result}]}


def answer_in_spans(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "spans": [SPAN]}


ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "prodigy": answer_in_prodigy,
    "doccano": answer_in_doccano,
    "label-studio": answer_in_label_studio,
    "spans": answer_in_spans,
}


def write_and_answer(folder: Path, tool: str, *, is_answered: bool = True) -> Path:
    """A drawn text, and one that was not drawn, as they come back from a tool."""
    path = folder / ("tasks.json" if tool == "label-studio" else "tasks.jsonl")
    write_tasks([TASK], path, tool)
    text = path.read_text()
    (record,) = json.loads(text) if tool == "label-studio" else [json.loads(text)]
    if is_answered:
        record = ANSWERS[tool](record)
        other = json.loads(json.dumps(record).replace("hired", "fired"))
        (other.get("data") or other).pop(SAMPLE_KEY, None)
        other.pop(SAMPLE_KEY, None)
        records = [record, other]
    else:
        records = [record]
    lines = [json.dumps(r) for r in records]
    joined = f"[{','.join(lines)}]" if tool == "label-studio" else "\n".join(lines)
    path.write_text(joined)
    return path


@pytest.mark.parametrize("tool", ANSWERS)
def test_what_comes_back_is_complete(tmp_path: Path, tool: str) -> None:
    path = write_and_answer(tmp_path, tool)
    output = tmp_path / "dev.spacy"
    convert(path, output, converter=tool, unlabelled="missing")
    drawn, other = read_docbin(output, spacy.blank("en").vocab)
    assert [ent.text for ent in drawn.ents] == ["Ann"]
    assert all(token.ent_iob != 0 for token in drawn)
    assert drawn.user_data[SAMPLE_KEY] == {"tool": tool, **TASK.mark}
    # Only what was drawn is known to be complete.
    assert any(token.ent_iob == 0 for token in other)
    assert SAMPLE_KEY not in other.user_data


@pytest.mark.parametrize("tool", ["prodigy", "doccano", "label-studio"])
def test_what_nobody_has_annotated_is_not_complete(tmp_path: Path, tool: str) -> None:
    path = write_and_answer(tmp_path, tool, is_answered=False)
    assert sampled_texts(path, "text") == {}


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        # A decision on one span, and a region that can't be read.
        ("prodigy", {"spans": [SPAN], "answer": "accept", "_view_id": "ner"}),
        (
            "label-studio",
            {"annotations": [{"result": [{"type": "hypertextlabels", "value": {}}]}]},
        ),
    ],
)
def test_what_is_no_annotation_of_the_whole_text_is_not_complete(
    tmp_path: Path, tool: str, answer: dict[str, Any]
) -> None:
    path = write_and_answer(tmp_path, tool, is_answered=False)
    record = json.loads(path.read_text())
    if tool == "label-studio":
        path.write_text(json.dumps([{**record[0], **answer}]))
    else:
        path.write_text(json.dumps({**record, **answer}))
    output = tmp_path / "dev.spacy"
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\[W329\]")
        convert(path, output, converter=tool, unlabelled="missing")
    (drawn,) = read_docbin(output, spacy.blank("en").vocab)
    assert any(token.ent_iob == 0 for token in drawn)
    assert SAMPLE_KEY not in drawn.user_data


@pytest.mark.parametrize("weight", ["heavy", None, -1, float("nan"), float("inf")])
def test_mark_with_a_weight_that_is_none_counts_for_nothing(
    tmp_path: Path, weight: Any
) -> None:
    path = tmp_path / "tasks.jsonl"
    mark = {"tool": "spans", "stratum": "any", "weight": weight}
    path.write_text(json.dumps({"text": "Ann", "spans": [], SAMPLE_KEY: mark}))
    assert sampled_texts(path, "text") == {}


@pytest.mark.parametrize("tool", ANSWERS)
def test_suggestions_are_shown(tmp_path: Path, tool: str) -> None:
    path = tmp_path / "tasks"
    write_tasks([TASK._replace(spans=[SPAN])], path, tool)
    assert "PER" in path.read_text()


def test_unknown_format_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"A310.*prodigy, label-studio"):
        write_tasks([TASK], tmp_path / "tasks", "spacy")
