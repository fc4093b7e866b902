from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup

from spacy_adak.report.dev_predictions import predict_dev, score_pairs
from spacy_adak.report.reliability import Pair
from tests.finished_run import FinishedRun

WORDS = ["Ann", "met", "Bob", "Lee"]


def make_doc(words: list[str], *spans: tuple[int, int, str]) -> Doc:
    doc = Doc(spacy.blank("xx").vocab, words=words)
    doc.set_ents([Span(doc, *span) for span in spans], default="outside")
    return doc


def test_pairs_are_right_if_bounds_and_type_are() -> None:
    gold = make_doc(WORDS, (0, 1, "PER"), (2, 4, "PER"))
    found = make_doc(WORDS)
    spans = [
        Span(found, 0, 1, "PER"),
        Span(found, 2, 3, "PER"),
        Span(found, 2, 4, "ORG"),
    ]
    found.spans["key"] = SpanGroup(
        found, spans=spans, attrs={"scores": [0.9, 0.5, 0.2]}
    )
    assert score_pairs(found, gold, "key") == [
        Pair(0.9, True, "PER"),
        Pair(0.5, False, "PER"),
        Pair(0.2, False, "ORG"),
    ]


def test_places_are_compared_by_characters() -> None:
    gold = make_doc(["Ann", "met"], (0, 1, "PER"))
    found = Doc(gold.vocab, words=["A", "nn", "met"], spaces=[False, True, False])
    span = Span(found, 0, 2, "PER")
    found.spans["key"] = SpanGroup(found, spans=[span], attrs={"scores": [0.9]})
    assert score_pairs(found, gold, "key") == [Pair(0.9, True, "PER")]


@pytest.mark.parametrize("key", [None, "other"])
def test_there_are_no_pairs_without_probabilities(key: str | None) -> None:
    doc = make_doc(WORDS, (0, 1, "PER"))
    assert score_pairs(doc, doc, key) == []


def test_f1_of_the_run_lies_in_the_interval(finished: FinishedRun) -> None:
    best = max(finished.history, key=lambda round_: round_.score)
    found = predict_dev(finished.nlp, finished.folder / "dev.spacy")
    low, high = found.f1_interval
    assert low <= (best.f1 or 0.0) <= high
    assert found.texts == found.of_texts == 12
    n_right = sum(pair.is_right for pair in found.pairs)
    assert n_right == pytest.approx((best.precision or 0.0) * len(found.pairs))


def test_interval_of_texts_without_entities(tmp_path: Path) -> None:
    docs = [make_doc(["no", "one"])]
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    nlp = spacy.blank("xx")
    assert predict_dev(nlp, tmp_path / "dev.spacy").f1_interval == (0.0, 0.0)
