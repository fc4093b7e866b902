import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_adak.data.agreement import agree, annotator_name, find_annotator
from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin
from spacy_adak.data.origins import annotators_of
from spacy_adak.data.summary import Summary

Write = Callable[[str, str], Path]
TEXT = "Ann met Bob Lee in Rome"
ANN, BOB, BOB_LEE, ROME = (0, 3, "PER"), (8, 11, "PER"), (8, 15, "PER"), (19, 23, "LOC")


def marked(nlp: Language, **spans: list[tuple[int, int, str]]) -> dict[str, list[Span]]:
    doc = nlp.make_doc(TEXT)
    return {
        name: [doc.char_span(start, end, label=label) for start, end, label in group]
        for name, group in spans.items()
    }


@pytest.mark.parametrize(
    ("rule", "entities", "disputed"),
    [
        ("union", ["Ann", "Rome"], ["Bob", "Bob Lee"]),
        ("intersection", ["Ann"], ["Bob", "Bob Lee", "Rome"]),
        ("majority", ["Ann", "Bob Lee"], ["Bob", "Rome"]),
    ],
)
def test_rules(
    rule: str, entities: list[str], disputed: list[str], nlp: Language
) -> None:
    said = marked(nlp, a=[ANN, BOB], b=[ANN, BOB_LEE, ROME], c=[BOB_LEE, ANN])
    agreement = agree(said, rule)
    assert [span.text for span in agreement.entities] == entities
    assert [span.text for span in agreement.disputed] == disputed


def test_half_is_no_majority(nlp: Language) -> None:
    assert not agree(marked(nlp, a=[ANN], b=[]), "majority").entities


def test_one_place_with_two_labels_is_a_contradiction(nlp: Language) -> None:
    agreement = agree(marked(nlp, a=[ANN], b=[(0, 3, "ORG")]), "union")
    assert not agreement.entities
    assert [span.label_ for span in agreement.disputed] == ["ORG", "PER"]


def test_what_one_has_settled_holds(nlp: Language) -> None:
    agreement = agree(marked(nlp, a=[ANN], b=[ROME]), "union", settled_by="b")
    assert [span.text for span in agreement.entities] == ["Rome"]
    assert not agreement.disputed


def test_annotator_is_found_by_name_or_by_that_of_a_session() -> None:
    assert find_annotator(["news-ann", "ann"], "ann") == "ann"
    assert find_annotator(["news-ann"], "ann") == "news-ann"
    assert find_annotator(["news-joann"], "ann") is None


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (7, "7"),
        ("ann", "ann"),
        ({"id": 7}, "7"),
        ({}, None),
        (" ", None),
        (None, None),
        (True, None),
        ([7], None),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_name_of_an_annotator(value: Any, name: str | None) -> None:
    assert annotator_name(value) == name


def region(start: int, end: int, label: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "labels": [label]}
    return {"type": "labels", "value": value}


def label_studio(**annotators: list[tuple[int, int, str]]) -> str:
    annotations = [
        {"completed_by": name, "result": [region(*span) for span in spans]}
        for name, spans in annotators.items()
    ]
    return json.dumps([{"id": 1, "data": {"text": TEXT}, "annotations": annotations}])


def prodigy(key: str = "_session_id", **annotators: list[tuple[int, int, str]]) -> str:
    return "\n".join(
        json.dumps(
            {
                "text": TEXT,
                "spans": [{"start": s, "end": e, "label": k} for s, e, k in spans],
                "answer": "accept",
                "_view_id": "ner_manual",
                key: f"news-{name}",
            }
        )
        for name, spans in annotators.items()
    )


def read(write: Write, name: str, text: str, rule: str) -> tuple[Doc, Summary]:
    path = write(name, text)
    output = path.with_name("out.spacy")
    summary = convert(path, output, unlabelled="outside", annotators=rule)
    (doc,) = read_docbin(output, spacy.blank("en").vocab)
    return doc, summary


@pytest.mark.parametrize(
    ("rule", "entities", "iob", "disputed"),
    [
        ("union", ["Ann", "Rome"], [3, 2, 0, 0, 2, 3], 2),
        ("intersection", ["Ann"], [3, 2, 0, 0, 2, 0], 3),
        ("majority", ["Ann"], [3, 2, 0, 0, 2, 0], 3),
        ("b", ["Ann", "Bob Lee", "Rome"], [3, 2, 3, 1, 2, 3], 0),
    ],
)
@pytest.mark.parametrize("tool", ["label-studio", "prodigy", "prodigy annotator id"])
def test_annotators_are_joined_and_disputed_tokens_are_unknown(
    tool: str,
    rule: str,
    entities: list[str],
    iob: list[int],
    disputed: int,
    write: Write,
) -> None:
    said = {"a": [ANN, BOB], "b": [ANN, BOB_LEE, ROME]}
    if tool == "label-studio":
        doc, summary = read(write, "a.json", label_studio(**said), rule)
    else:
        key = "_session_id" if tool == "prodigy" else "_annotator_id"
        doc, summary = read(write, "a.jsonl", prodigy(key, **said), rule)
    assert [ent.text for ent in doc.ents] == entities
    assert [token.ent_iob for token in doc] == iob
    prefix = "" if tool == "label-studio" else "news-"
    assert {
        name.removeprefix(prefix): sorted(span.text for span in spans)
        for name, spans in annotators_of(doc).items()
    } == {"a": ["Ann", "Bob"], "b": ["Ann", "Bob Lee", "Rome"]}
    assert summary.disputed == disputed
    assert summary.by_several == 1
    assert set(summary.annotators.values()) == {1}
    assert not summary.problems


def test_annotator_who_marked_nothing_is_kept(write: Write) -> None:
    doc, _ = read(write, "a.json", label_studio(a=[ANN], b=[]), "union")
    assert {n: len(spans) for n, spans in annotators_of(doc).items()} == {
        "a": 1,
        "b": 0,
    }


def test_spans_trimmed_alike_agree(write: Write) -> None:
    text = label_studio(a=[ANN], b=[(0, 4, "PER")])
    doc, summary = read(write, "a.json", text, "intersection")
    assert [ent.text for ent in doc.ents] == ["Ann"]
    assert [p.message[1:5] for p in summary.problems] == ["W312"]


def test_text_that_one_annotator_saw_twice_stays_two_texts(write: Write) -> None:
    lines = [prodigy(a=[ANN]), prodigy(b=[ROME]), prodigy(a=[])]
    path = write("a.jsonl", "\n".join(lines))
    convert(path, path.with_name("a.spacy"), unlabelled="outside")
    docs = list(read_docbin(path.with_name("a.spacy"), spacy.blank("en").vocab))
    assert [sorted(annotators_of(doc)) for doc in docs] == [
        ["news-a", "news-b"],
        ["news-a"],
    ]


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_name_of_nobody_is_an_error_that_lists_the_names(
    name: str, write: Write
) -> None:
    text = label_studio(a=[ANN]) if name == "a.json" else prodigy(a=[ANN])
    with pytest.raises(ValueError, match=r"A317.*'zoe'.*(news-)?a\."):
        read(write, name, text, "zoe")


@pytest.mark.filterwarnings("ignore:.W329")
def test_texts_that_the_one_annotator_has_not_seen_are_set_aside(write: Write) -> None:
    other = prodigy(b=[ROME]).replace(TEXT, "Cy met Bob Lee in Bonn")
    path = write("a.jsonl", f"{prodigy(a=[ANN])}\n{other}")
    summary = convert(
        path, path.with_name("a.spacy"), unlabelled="outside", annotators="a"
    )
    assert (summary.documents, summary.set_aside) == (1, 1)


def decision(answer: str, session: str) -> str:
    span = {"start": 0, "end": 3, "label": "PER"}
    record = {"text": TEXT, "spans": [span], "answer": answer, "_view_id": "ner"}
    return json.dumps({**record, "_session_id": session})


@pytest.mark.filterwarnings("ignore:.W329")
@pytest.mark.parametrize(
    ("rule", "answers", "entities", "ruled_out", "disputed"),
    [
        ("union", "accept accept", 1, 0, 0),
        ("union", "reject reject", 0, 1, 0),
        ("union", "accept reject", 0, 0, 1),
        ("intersection", "accept accept reject", 0, 0, 1),
        ("majority", "accept accept reject", 1, 0, 0),
        ("majority", "reject accept reject", 0, 1, 0),
        ("majority", "reject accept", 0, 0, 1),
        ("s1", "accept reject", 0, 1, 0),
    ],
)
def test_decisions_of_several_sessions(
    rule: str,
    answers: str,
    entities: int,
    ruled_out: int,
    disputed: int,
    write: Write,
) -> None:
    lines = [decision(a, f"news-s{i}") for i, a in enumerate(answers.split())]
    doc, summary = read(write, "a.jsonl", "\n".join(lines), rule)
    assert len(doc.ents) == entities
    assert len(doc.spans.get("incorrect_spans", ())) == ruled_out
    assert summary.disputed == disputed
    assert not summary.problems


def test_decisions_of_one_annotator_join_what_he_annotated(write: Write) -> None:
    lines = [prodigy(b=[ROME]), decision("accept", "news-a")]
    path = write("a.jsonl", "\n".join(lines))
    convert(path, path.with_name("a.spacy"), unlabelled="outside", annotators="a")
    (doc,) = read_docbin(path.with_name("a.spacy"), spacy.blank("en").vocab)
    assert [token.ent_iob for token in doc] == [3, 0, 0, 0, 0, 0]


def test_only_what_follows_a_text_is_read_again_for_it(write: Write) -> None:
    filler = "\n".join(
        json.dumps({"text": f"Text {i}", "answer": "accept", "_view_id": "ner_manual"})
        for i in range(50)
    )
    path = write("a.jsonl", f"{prodigy(a=[ANN])}\r\n{filler}\r{prodigy(b=[ROME])}")
    convert(path, path.with_name("a.spacy"), unlabelled="outside")
    docs = list(read_docbin(path.with_name("a.spacy"), spacy.blank("en").vocab))
    assert len(docs) == 51
    assert [ent.text for ent in docs[0].ents] == ["Ann", "Rome"]
