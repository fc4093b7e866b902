"""Guesses of other models, as span groups."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.guesses import Guess, guesses_of, set_guesses
from spacy_adak.data.origins import estimates_of

GUESSES = [Guess(0, 1, "PER", 0.9), Guess(2, 4, "ORG", None)]


@pytest.fixture
def doc() -> Doc:
    doc = Doc(Vocab(), words=["Ann", "of", "Beta", "Bank"])
    doc.set_ents([], default="missing")
    return doc


def test_guessers_are_told_apart(doc: Doc) -> None:
    set_guesses(doc, "llm", GUESSES)
    set_guesses(doc, "guessed", GUESSES[:1])
    set_guesses(doc, "ruler", [])
    assert list(doc.spans) == ["guessed:llm", "guessed", "guessed:ruler"]
    assert guesses_of(doc) == {"llm": GUESSES, "guessed": GUESSES[:1], "ruler": []}


def test_group_without_a_name_is_what_converters_read(doc: Doc) -> None:
    set_guesses(doc, "guessed", GUESSES)
    assert [(e.span.start, e.score) for e in estimates_of(doc)] == [(0, 0.9), (2, None)]


def test_group_may_lack_scores_and_say_things_twice(doc: Doc) -> None:
    spans = [Span(doc, 2, 4, "ORG"), Span(doc, 0, 1, "PER"), Span(doc, 2, 4, "ORG")]
    doc.spans["guessed:llm"] = spans
    assert guesses_of(doc) == {"llm": [Guess(0, 1, "PER"), Guess(2, 4, "ORG")]}


def test_conversion_keeps_all_groups(doc: Doc, tmp_path: Path) -> None:
    set_guesses(doc, "llm", GUESSES)
    set_guesses(doc, "guessed", GUESSES[:1])
    DocBin(docs=[doc]).to_disk(tmp_path / "in.spacy")
    convert(tmp_path / "in.spacy", tmp_path / "out.spacy", lang="xx")
    (read,) = (
        DocBin().from_disk(tmp_path / "out.spacy").get_docs(spacy.blank("xx").vocab)
    )
    assert guesses_of(read) == guesses_of(doc)


RECORD = {
    "text": "Ann of Beta Bank",
    "spans": [{"start": 0, "end": 3, "label": "PER"}],
    "guesses": {
        "llm": [{"start": 7, "end": 16, "label": "ORG", "score": 0.5}, [0, 3, "PER"]],
        "ruler": [],
    },
}


def convert_records(folder: Path, *records: object, unlabelled: str) -> list[Doc]:
    path = folder / "a.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), "utf8")
    summary = convert(path, folder / "a.spacy", unlabelled=unlabelled)
    assert not summary.problems
    return list(read_docbin(folder / "a.spacy", spacy.blank("en").vocab))


@pytest.mark.parametrize("unlabelled", ["missing", "outside"])
def test_jsonl_has_guesses_by_the_name_of_the_guesser(
    unlabelled: str, tmp_path: Path
) -> None:
    (read,) = convert_records(tmp_path, RECORD, unlabelled=unlabelled)
    expected = {"llm": [Guess(0, 1, "PER"), Guess(2, 4, "ORG", 0.5)], "ruler": []}
    assert guesses_of(read) == expected
    # What a model guesses changes nothing of what is annotated.
    assert [token.ent_iob_ for token in read] == ["B"] + 3 * [
        "O" if unlabelled == "outside" else ""
    ]


def test_text_with_nothing_but_guesses_is_unknown(tmp_path: Path) -> None:
    record = {key: RECORD[key] for key in ("text", "guesses")}
    (read,) = convert_records(tmp_path, record, unlabelled="outside")
    assert not read.has_annotation("ENT_IOB")


def test_guesses_come_back_from_jsonl(doc: Doc, tmp_path: Path) -> None:
    set_guesses(doc, "llm", GUESSES)
    set_guesses(doc, "ruler", [])
    write_docbin(tmp_path / "a.spacy", [doc])
    convert(tmp_path / "a.spacy", tmp_path / "b.jsonl")
    convert(tmp_path / "b.jsonl", tmp_path / "c.spacy", unlabelled="missing")
    (read,) = read_docbin(tmp_path / "c.spacy", Vocab())
    assert guesses_of(read) == guesses_of(doc)


@pytest.mark.parametrize("to", ["conll", "prodigy", "doccano", "label-studio"])
def test_formats_without_a_place_for_guessers_are_warned_of(
    to: str, doc: Doc, tmp_path: Path
) -> None:
    doc.set_ents([Span(doc, 0, 1, label="PER")], default="missing")
    set_guesses(doc, "llm", GUESSES)
    write_docbin(tmp_path / "a.spacy", [doc])
    with pytest.warns(UserWarning, match=f"W348.*llm.*{to}"):
        convert(tmp_path / "a.spacy", tmp_path / "other", to=to)


@pytest.mark.parametrize("guesses", [[[0, 3, "PER"]], "llm", {"": []}])
def test_guesses_of_nobody_are_left_out(guesses: object, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({**RECORD, "guesses": guesses}), "utf8")
    summary = convert(path, tmp_path / "a.spacy", unlabelled="missing")
    assert [problem.message[1:5] for problem in summary.problems] == ["W347"]
    (read,) = read_docbin(tmp_path / "a.spacy", Vocab())
    assert guesses_of(read) == {}
