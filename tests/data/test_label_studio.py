import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from spacy.tokens import Doc

from spacy_adak.data.alignment import AnnotatedText
from spacy_adak.data.label_studio import label_studio_pieces, read_label_studio
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
ReadStrictly = Callable[[AnnotatedText, Summary], Doc]


def region(start: int, end: int, *labels: str, kind: str = "labels") -> dict[str, Any]:
    return {"type": kind, "value": {"start": start, "end": end, "labels": labels}}


def task(*annotations: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"text": "Ann met Bob"}, "annotations": annotations}


def read(write: Write, tasks: list[Any]) -> tuple[list[AnnotatedText], Summary]:
    summary = Summary()
    path = write("a.json", json.dumps(tasks, indent=1))
    return list(read_label_studio(path, "text", summary)), summary


def spans(record: AnnotatedText) -> list[tuple[int, int, str]]:
    return [span[:3] for span in record.entities]


def test_regions_of_an_annotation_are_entities(write: Write) -> None:
    (record,), _ = read(write, [task({"result": [region(0, 3, "PER")]})])
    assert record.text == "Ann met Bob"
    assert spans(record) == [(0, 3, "PER")]


def test_json_min_is_read(write: Write) -> None:
    value = {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}
    (record,), _ = read(write, [{"id": 1, "text": "Ann met Bob", "ner": [value]}])
    assert spans(record) == [(0, 3, "PER")]


def test_regions_of_another_text_are_left_out(write: Write) -> None:
    titled = {"title": "News of Bob", "score": 1, "text": "Ann met Bob"}
    in_title = region(8, 11, "PER") | {"to_name": "title"}
    in_text = region(0, 3, "PER") | {"to_name": "text"}
    predicted = [{"result": [in_title]}]
    tasks = [
        {
            "data": titled,
            "annotations": [{"result": [in_text, in_title]}],
            "predictions": predicted,
        }
    ]
    (record,), summary = read(write, tasks)
    assert spans(record) == [(0, 3, "PER")]
    assert not record.guessed
    (problem,) = summary.problems
    assert "[W361] 2 regions" in problem.message
    assert "--text-key title" in problem.message


def test_tag_with_the_name_of_another_text_may_show_this_one(write: Write) -> None:
    value = {"start": 8, "end": 11, "text": "Bob", "labels": ["PER"]}
    found = {"type": "labels", "to_name": "title", "value": value}
    data = {"title": "News", "text": "Ann met Bob"}
    tasks = [{"data": data, "annotations": [{"result": [found]}]}]
    (record,), summary = read(write, tasks)
    assert spans(record) == [(8, 11, "PER")]
    assert not summary.problems


def test_completions_of_old_versions_are_annotations(write: Write) -> None:
    old = {"data": {"text": "Ann"}, "completions": [{"result": [region(0, 3, "PER")]}]}
    (record,), _ = read(write, [old])
    assert spans(record) == [(0, 3, "PER")]


@pytest.mark.parametrize("annotations", [[], [{"was_cancelled": True, "result": []}]])
def test_task_that_nobody_annotated_is_set_aside(
    annotations: list[dict[str, Any]], write: Write
) -> None:
    records, summary = read(write, [task(*annotations)])
    assert not records
    assert summary.set_aside == 1
    assert not summary.problems


def test_annotation_without_regions_is_a_text_without_entities(write: Write) -> None:
    (record,), _ = read(write, [task({"result": []})])
    assert not record.entities


def test_ground_truth_is_taken_of_several_annotations(
    read_strictly: ReadStrictly, write: Write
) -> None:
    truth = {"ground_truth": True, "result": [region(0, 3, "PER")]}
    other = {"result": [region(8, 11, "PER")]}
    (record,), summary = read(write, [task(truth, other)])
    doc = read_strictly(record, summary)
    assert [ent.text for ent in doc.ents] == ["Ann"]
    assert [t.ent_iob_ for t in doc] == ["B", "O", "O"]
    assert not summary.problems


@pytest.mark.parametrize(
    "completed_by", [7, "ann@acme.org", {"id": 7, "email": "ann@acme.org"}]
)
def test_annotations_are_kept_by_annotator(completed_by: Any, write: Write) -> None:
    one = {"completed_by": completed_by, "result": [region(0, 3, "PER")]}
    (record,), _ = read(write, [task(one, {"result": []})])
    name = "7" if completed_by == 7 else "ann@acme.org"
    assert {n: len(s) for n, s in record.annotations.items()} == {
        name: 1,
        "unnamed 2": 0,
    }


def test_last_of_several_annotations_by_one_person_is_taken_and_noted(
    write: Write,
) -> None:
    first = {"completed_by": 7, "result": []}
    last = {"completed_by": 7, "result": [region(0, 3, "PER")]}
    (record,), summary = read(write, [task(first, last)])
    assert {n: len(s) for n, s in record.annotations.items()} == {"7": 1}
    assert [p.message[1:5] for p in summary.problems] == ["W323"]


def test_json_min_repeats_a_task_for_each_annotator(write: Write) -> None:
    value = {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]}
    base = {"id": 1, "text": "Ann met Bob"}
    both = [{**base, "annotator": 7, "ner": [value]}, {**base, "annotator": 8}]
    (record,), _ = read(write, both)
    assert {n: len(s) for n, s in record.annotations.items()} == {"7": 1, "8": 0}


def test_first_of_several_labels_is_kept_and_noted(write: Write) -> None:
    (record,), summary = read(write, [task({"result": [region(0, 3, "PER", "ORG")]})])
    assert spans(record) == [(0, 3, "PER")]
    assert [p.message[1:5] for p in summary.problems] == ["W325"]


def test_relations_and_choices_are_no_entities(write: Write) -> None:
    other = [{"type": "relation", "from_id": "a"}, {"type": "choices", "value": {}}]
    (record,), summary = read(write, [task({"result": other})])
    assert not record.entities
    assert not summary.problems


@pytest.mark.parametrize(
    "result",
    [
        3,
        {},
        [3],
        [[0, 3, "PER"]],
        [{"value": {"labels": ["PER"]}}],
        [{"type": None, "value": {}}],
        [{"type": "labels"}],
        [{"type": "labels", "value": [1, 2]}],
        [{"type": "labels", "value": {"start": 0, "end": 3, "labels": {"a": 1}}}],
        [{"type": "labels", "value": {"start": 0, "end": 3, "labels": []}}],
    ],
)
def test_region_of_the_wrong_make_is_unknown_and_noted(
    result: Any, read_strictly: ReadStrictly, write: Write
) -> None:
    (record,), summary = read(write, [task({"result": result})])
    doc = read_strictly(record, summary)
    assert doc is not None
    assert (doc[0].ent_iob_, doc.ents) == ("", ())
    assert [p.message[1:5] for p in summary.problems] == ["W308"]


@pytest.mark.parametrize("annotations", [3, "none", [3], [{"result": []}, None]])
def test_task_with_annotations_of_the_wrong_make_is_skipped(
    annotations: Any, write: Write
) -> None:
    records, summary = read(write, [{**task(), "annotations": annotations}])
    assert not records
    assert [(p.outcome, p.message[1:5]) for p in summary.problems] == [
        ("skipped", "W306")
    ]
    assert summary.set_aside == 0


def test_label_may_stand_without_a_list(write: Write) -> None:
    value = {"start": 0, "end": 3, "labels": "ORG"}
    (record,), summary = read(
        write, [task({"result": [{"type": "labels", "value": value}]})]
    )
    assert spans(record) == [(0, 3, "ORG")]
    assert not summary.problems


def test_region_without_plain_text_offsets_makes_the_text_unknown(
    write: Write,
) -> None:
    html = region(0, 3, "PER", kind="hypertextlabels")
    (record,), summary = read(write, [task({"result": [html]})])
    assert not record.entities
    assert record.unlabelled == "missing"
    assert [p.message[1:5] for p in summary.problems] == ["W324"]


def test_problem_names_the_id_of_the_task_where_lines_do_not_tell(
    tmp_path: Path,
) -> None:
    bad = [{"id": i, "data": {"text": "Ann"}, "annotations": [3]} for i in (17, 18)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps([*bad, {"data": {}}]))
    summary = Summary()
    list(read_label_studio(path, "text", summary))
    shown = [str(problem) for problem in summary.problems]
    assert "line 1, task 17: [W306]" in shown[0]
    assert "line 1, task 18: [W306]" in shown[1]
    assert "line 1, element 3: [W317]" in shown[2]
    assert summary.count_records("skipped") == 3


def test_array_may_be_empty(write: Write) -> None:
    assert read(write, [])[0] == []


def test_problem_names_the_line_of_the_task(write: Write) -> None:
    path = write("a.json", '[\n{"data": {"text": "Ann"}},\n\n{"data": {}}, 7\n]')
    summary = Summary()
    list(read_label_studio(path, "text", summary))
    assert [(p.line, p.message[1:5]) for p in summary.problems] == [
        (4, "W317"),
        (4, "W306"),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"data": {}}', "A306"),
        ("", "A306"),
        ('[\n{"data":\n', "A307.*line 3"),
        ("[\n{}\n{}]", "A307.*line 3.*',' or ']'"),
        ("[{},\n]", "A307.*line 2"),
        ("[{}\n", "A307.*line 2"),
        ("[{}]\n[{}]", "A307.*line 2.*Extra data"),
        (f"[{{}},\n{10**5 * '['}", "A307.*line 2.*recursion"),
        (f"[{{}},\n{10**5 * '1'}]", "A307.*line 2.*integer"),
    ],
)
def test_file_that_is_no_array_is_an_error(text: str, code: str, write: Write) -> None:
    with pytest.raises(ValueError, match=code):
        list(read_label_studio(write("a.json", text), "text", Summary()))


def test_round_trip_keeps_entities(mixed_doc: Doc, write: Write) -> None:
    path = write("a.json", "".join(label_studio_pieces([mixed_doc], "text")))
    (record,) = read_label_studio(path, "text", Summary())
    assert record.text == mixed_doc.text
    assert [(span[:3], span.text) for span in record.entities] == [
        ((ent.start_char, ent.end_char, ent.label_), ent.text) for ent in mixed_doc.ents
    ]


def test_copies_of_a_task_that_are_apart_are_reported(
    write: Write,
) -> None:
    tasks = [
        {"id": number, "text": text, "label": [], "annotator": annotator}
        for number, text, annotator in [
            (1, "Ann met Bob", 7),
            (2, "It rained", 7),
            (1, "Ann met Bob", 8),
        ]
    ]
    summary = Summary()
    path = write("a.json", json.dumps(tasks))
    assert len(list(read_label_studio(path, "text", summary))) == 3
    (problem,) = summary.problems
    assert "W362" in problem.message
    assert problem.record.name == "task 1"
