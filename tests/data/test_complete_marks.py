"""For which types texts are complete, from and to files of every format."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import COMPLETE_KEY, complete_spans
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import drop_entities
from spacy_adak.data.docbin import read_docbin, write_docbin

PER = {"start": 0, "end": 3, "label": "PER"}
TEXT = "Ann met Bob"


def read(path: Path) -> list[Doc]:
    return list(read_docbin(path, spacy.blank("en").vocab))


def stated(doc: Doc) -> list[tuple[str, str]]:
    return [(span.text, span.label_) for span in complete_spans(doc)]


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf8")
    return path


SOURCES = {
    "a.conll": "Ann\tB-PER\nmet\tO\nBob\tO\n\n",
    "a.spans.jsonl": json.dumps({"text": TEXT, "spans": [PER]}),
    "a.doccano.jsonl": json.dumps({"text": TEXT, "label": [[0, 3, "PER"]]}),
    "a.prodigy.jsonl": json.dumps(
        {"text": TEXT, "spans": [PER], "answer": "accept", "_view_id": "ner_manual"}
    ),
    "a.huggingface.jsonl": json.dumps(
        {"tokens": TEXT.split(), "ner_tags": ["B-PER", "O", "O"]}
    ),
    "a.spacy-v2.json": json.dumps([[TEXT, {"entities": [[0, 3, "PER"]]}]]),
    "a.label-studio.json": json.dumps(
        [
            {
                "data": {"text": TEXT},
                "annotations": [
                    {
                        "result": [
                            {
                                "type": "labels",
                                "value": {"start": 0, "end": 3, "labels": ["PER"]},
                            }
                        ]
                    }
                ],
            }
        ]
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_types_of_a_file_of_every_format(name: str, tmp_path: Path) -> None:
    source, target = tmp_path / name, tmp_path / "b.spacy"
    source.write_text(SOURCES[name] + "\n", "utf8")
    summary = convert(source, target, complete_types=["PER"])
    (doc,) = read(target)
    assert stated(doc) == [(TEXT, "PER")]
    assert [token.ent_iob_ for token in doc] == ["B", "", ""]
    assert summary.complete == {"PER": 1}


def test_types_of_brat(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT, "utf8")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAnn\n", "utf8")
    convert(tmp_path / "a.ann", tmp_path / "b.spacy", complete_types=["PER"])
    (doc,) = read(tmp_path / "b.spacy")
    assert stated(doc) == [(TEXT, "PER")]


def test_types_of_a_spacy_file_are_added(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [PER]})
    first, second = tmp_path / "b.spacy", tmp_path / "c.spacy"
    convert(source, first, complete_types=["PER"])
    with pytest.warns(UserWarning, match="W342.*ORG"):
        convert(first, second, complete_types=["ORG"])
    (doc,) = read(second)
    assert stated(doc) == [(TEXT, "PER"), (TEXT, "ORG")]


def test_what_a_file_leaves_unknown_is_complete_for_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.conll"
    source.write_text("Ann\tB-PER\nmet\t-\nBob\tO\n\n", "utf8")
    convert(source, tmp_path / "b.spacy", complete_types=["PER"])
    (doc,) = read(tmp_path / "b.spacy")
    assert stated(doc) == [("Ann", "PER"), ("Bob", "PER")]


def test_a_span_within_a_token_leaves_it_open(tmp_path: Path) -> None:
    source = write(
        tmp_path / "a.jsonl",
        {"text": "Ann met Bobby", "spans": [PER, [8, 11, "PER"]]},
    )
    convert(source, tmp_path / "b.spacy", complete_types=["PER"])
    (doc,) = read(tmp_path / "b.spacy")
    assert stated(doc) == [("Ann met", "PER")]


def test_types_and_outside_contradict_each_other(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [PER]})
    with pytest.raises(ValueError, match="A326"):
        convert(
            source,
            tmp_path / "b.spacy",
            unlabelled="outside",
            complete_types=["PER"],
        )


@pytest.mark.parametrize("to", ["spacy", "spans", "prodigy", "doccano", "label-studio"])
def test_round_trip(to: str, tmp_path: Path) -> None:
    source = write(
        tmp_path / "a.jsonl",
        {"text": TEXT, "spans": [PER]},
        {"text": "It rained", "spans": []},
    )
    convert(source, tmp_path / "b.spacy", complete_types=["PER"])
    docs = read(tmp_path / "b.spacy")
    docs[0].spans[COMPLETE_KEY] = [Span(docs[0], 1, 3, label="PER")]
    write_docbin(tmp_path / "b.spacy", docs)
    convert(tmp_path / "b.spacy", tmp_path / "other", to=to)
    (written,) = (tmp_path / "other").iterdir()
    convert(written, tmp_path / "c.spacy", converter=to, unlabelled="missing")
    again = read(tmp_path / "c.spacy")
    assert list(map(stated, again)) == list(map(stated, docs))
    assert [t.ent_iob_ for d in again for t in d] == ["B", "", "", "", ""]


def test_column_files_have_no_place_for_it(tmp_path: Path) -> None:
    source = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [PER]})
    with pytest.warns(UserWarning, match="W343"):
        convert(source, tmp_path / "b.conll", complete_types=["PER"])


@pytest.mark.parametrize(
    "mark", [{"start": 0, "end": 99, "label": "PER"}, "PER", [0, 3, ""], [3, 4, "PER"]]
)
def test_what_cannot_be_read_is_named_by_file_and_line(
    mark: object, tmp_path: Path
) -> None:
    good = {"start": 0, "end": 7, "label": "PER"}
    source = write(
        tmp_path / "a.jsonl",
        {"text": TEXT, "spans": [PER], COMPLETE_KEY: [mark, good]},
    )
    summary = convert(source, tmp_path / "b.spacy", unlabelled="missing")
    (problem,) = summary.problems
    assert "a.jsonl, line 1" in str(problem)
    assert "W340" in str(problem)
    assert stated(read(tmp_path / "b.spacy")[0]) == [("Ann met", "PER")]


def test_a_record_that_cannot_be_read_is_not_complete(tmp_path: Path) -> None:
    source = write(
        tmp_path / "a.jsonl",
        {"text": TEXT, "spans": [PER, [8, 10, "PER"]], COMPLETE_KEY: [[0, 11, "PER"]]},
    )
    summary = convert(source, tmp_path / "b.spacy", unlabelled="missing")
    assert "W341" in str(summary.problems[-1])
    assert stated(read(tmp_path / "b.spacy")[0]) == []


def test_records_of_one_text_that_differ_state_what_they_share(tmp_path: Path) -> None:
    marks = [[0, 11, "PER"]], [[0, 11, "ORG"], [0, 11, "PER"]]
    source = write(
        tmp_path / "a.jsonl",
        *({"text": TEXT, "spans": [PER], COMPLETE_KEY: mark} for mark in marks),
    )
    convert(source, tmp_path / "b.spacy", unlabelled="missing")
    assert list(map(stated, read(tmp_path / "b.spacy"))) == [[(TEXT, "PER")]] * 2


@pytest.mark.parametrize(("ratio", "kept"), [(1.0, [(TEXT, "PER")]), (0.9, [])])
def test_nothing_is_complete_when_entities_are_dropped(
    ratio: float, kept: list[tuple[str, str]], tmp_path: Path
) -> None:
    source = write(tmp_path / "a.jsonl", {"text": TEXT, "spans": [PER]})
    convert(source, tmp_path / "b.spacy", complete_types=["PER"])
    (doc,) = drop_entities(read(tmp_path / "b.spacy"), ratio)
    assert stated(doc) == kept
