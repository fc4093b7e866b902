"""Other models as guessers."""

from collections.abc import Iterable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from spacy_adak.data.guesses import Guess
from spacy_adak.q.guessers import ask, make_guesser, make_pipeline_guesser

DOCS = [
    Doc(Vocab(), words=["Ann", "met", "Ben"], spaces=[True, True, False]),
    Doc(Vocab(), words=["It", "rained"], spaces=[True, False]),
]
PATTERNS = [{"label": "PERSON", "pattern": name} for name in ("Ann", "Ben")]


@pytest.mark.parametrize("ruler", ["entity_ruler", "span_ruler"])
def test_pipeline_guesses_by_what_it_finds(ruler: str, tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe(ruler).add_patterns(PATTERNS)  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path)
    key = "ruler" if ruler == "span_ruler" else None
    guesser = make_guesser(
        {
            "@misc": "spacy-adak.PipelineGuesser.v1",
            "pipeline": str(tmp_path),
            "spans_key": key,
            "labels": {"PERSON": "PER"},
        }
    )
    expected = [[Guess(0, 1, "PER"), Guess(2, 3, "PER")], []]
    assert list(ask("ruler", guesser, DOCS)) == expected
    assert len(guesser(DOCS[0])) == 2  # type: ignore[arg-type]


@Language.component("finds_names")
def find_names(doc: Doc) -> Doc:
    spans = [token for token in doc if token.text in ("Ann", "Ben")]
    doc.spans["found"] = SpanGroup(
        doc,
        spans=[Span(doc, token.i, token.i + 1, "PER") for token in spans],
        attrs={"scores": [0.5 + token.i / 10 for token in spans]},
    )
    return doc


def test_scores_of_a_pipeline_are_kept(tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("finds_names")
    nlp.to_disk(tmp_path)
    guesser = make_pipeline_guesser(str(tmp_path), spans_key="found")
    expected = [[Guess(0, 1, "PER", 0.5), Guess(2, 3, "PER", 0.7)], []]
    assert list(ask("model", guesser, DOCS)) == expected


def test_callable_sees_tokens_alone() -> None:
    doc = DOCS[0].copy()
    doc.set_ents([Span(doc, 0, 1, "PER")], default="outside")

    def guess(seen: Doc) -> Iterable[Span]:
        assert not seen.ents
        return SpanGroup(seen, spans=[Span(seen, 2, 3, "PER")], attrs={"scores": [0.7]})

    assert list(ask("mine", guess, [doc])) == [[Guess(2, 3, "PER", 0.7)]]


def test_spans_of_another_document_are_aligned() -> None:
    nlp = spacy.blank("en")

    def guess(seen: Doc) -> Iterable[Span]:
        other = nlp(seen.text)
        return [Span(other, len(other) - 1, len(other), "PER")]

    words, spaces = ["Ann", "met", "Ben!"], [True, True, False]
    doc = Doc(Vocab(), words=words, spaces=spaces)
    assert list(ask("mine", guess, [doc])) == [[Guess(2, 3, "PER")]]


def test_spans_of_another_text_are_refused() -> None:
    def guess(seen: Doc) -> Iterable[Span]:
        other = Doc(Vocab(), words=["Another", "text"])
        return [Span(other, 0, 1, "PER")]

    with pytest.raises(ValueError, match=r"\[A244\].*'mine'.*'Ann met Ben'"):
        list(ask("mine", guess, DOCS))
