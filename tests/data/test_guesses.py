"""Guesses of other models, as span groups."""

from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.vocab import Vocab

from spacy_adak.data.convert import convert
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
