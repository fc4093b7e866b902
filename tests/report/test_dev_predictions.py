from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span, SpanGroup

from spacy_adak.report.dev_predictions import predict_dev, score_pairs
from spacy_adak.report.reliability import Pair
from spacy_adak.shards.recall_file import KnownRecall
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
    assert found is not None
    assert found.f1.value == pytest.approx(best.f1)
    assert found.f1.low <= found.f1.value <= found.f1.high
    assert found.texts == found.of_texts == 12
    n_right = sum(pair.is_right for pair in found.pairs)
    assert n_right == pytest.approx((best.precision or 0.0) * len(found.pairs))


def test_texts_that_are_not_complete_are_left_out(tmp_path: Path) -> None:
    complete, other = make_doc(WORDS, (0, 1, "PER")), make_doc(WORDS)
    other.set_ents([], default="missing")
    nlp = spacy.blank("xx")
    DocBin(docs=[complete, other]).to_disk(tmp_path / "dev.spacy")
    found = predict_dev(nlp, tmp_path / "dev.spacy")
    assert found is not None
    assert (found.of_texts, found.f1.value) == (1, 0.0)
    DocBin(docs=[other]).to_disk(tmp_path / "dev.spacy")
    assert predict_dev(nlp, tmp_path / "dev.spacy") is None


def test_f1_on_incomplete_texts_is_corrected(tmp_path: Path) -> None:
    half = [make_doc(WORDS, (0, 1, "PER")) for _ in range(30)]
    for doc in half:
        doc.set_ents(list(doc.ents), default="missing")
    DocBin(docs=half).to_disk(tmp_path / "dev.spacy")
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "PER", "pattern": name} for name in ("Ann", "Bob Lee", "met")]
    )
    known = KnownRecall(0.5, 0.5, 0.5, None, True, "half of them")
    found = predict_dev(nlp, tmp_path / "dev.spacy", known)
    assert found is not None
    # Two thirds of what is found are right, and all that is annotated is found.
    assert found.f1.value == pytest.approx(2 * (2 / 3) / (1 + 2 / 3))
    assert (found.of_texts, found.pairs) == (30, [])
