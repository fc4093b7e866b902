import gc
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_adak.crf.calibration import IDENTITY, Calibration
from spacy_adak.data.complete_types import state_complete
from spacy_adak.data.convert import convert
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.origins import (
    CANDIDATES_KEY,
    ESTIMATED_KEY,
    complete,
    estimates_of,
    set_scored_spans,
)
from spacy_adak.data.suggestions import Suggestion, read_suggestions
from spacy_adak.data.summary import Summary
from spacy_adak.review.form_counts import FormCounts
from spacy_adak.review.suggest import Suggestions, suggest
from tests.made_texts import TEXTS, get_ner, make_doc, trained_nlp


@pytest.fixture(scope="module")
def nlp() -> Language:
    return trained_nlp()


class Workbench:
    def __init__(self, nlp: Language, folder: Path) -> None:
        self.nlp = nlp
        self.folder = folder
        # Nothing is annotated but one Berlin.
        self.docs = [make_doc(nlp.vocab, text, default="missing") for text, _ in TEXTS]
        self.docs[1].set_ents([Span(self.docs[1], 4, 5, "LOC")], default="missing")

    def suggest(self, name: str = "out.jsonl", **options: Any) -> Suggestions:
        write_docbin(self.folder / "data.spacy", self.docs)
        return suggest(
            self.nlp, self.folder / "data.spacy", self.folder / name, **options
        )

    def rows(self, **options: Any) -> list[Suggestion]:
        self.suggest(**options)
        summary = Summary()
        rows = list(read_suggestions(self.folder / "out.jsonl", summary))
        assert not summary.problems
        return rows


@pytest.fixture
def bench(nlp: Language, tmp_path: Path) -> Workbench:
    return Workbench(nlp, tmp_path)


def test_what_nobody_annotated_is_suggested(bench: Workbench) -> None:
    rows = bench.rows(threshold=0.5)
    found = {(row.line, row.form, row.label) for row in rows}
    assert found == {
        (0, "Shaka Khan", "PERSON"),
        (1, "London", "LOC"),
        (2, "Ann Lee", "PERSON"),
        (2, "New York", "LOC"),
    }
    london = next(row for row in rows if row.form == "London")
    assert [span.label for span in london.annotated] == ["LOC"]
    assert london.text[london.start : london.end] == "London"


def test_types_that_a_text_is_complete_for_are_not_suggested(
    bench: Workbench,
) -> None:
    state_complete(bench.docs[2], ["PERSON"])
    state_complete(bench.docs[1], ["LOC"])
    found = {(row.line, row.label) for row in bench.rows(threshold=0.5, doubt=0.05)}
    assert {(0, "PERSON"), (2, "LOC")} <= found
    assert not found & {(1, "LOC"), (2, "PERSON")}


def test_probability_is_that_of_the_component(bench: Workbench) -> None:
    bench.docs[1].set_ents([], default="missing")
    rows = {(row.line, row.start): row.score for row in bench.rows(threshold=0.5)}
    for line, (text, _) in enumerate(TEXTS):
        doc = bench.nlp(text)
        group = doc.spans["adak_ner"]
        for span, score in zip(group, group.attrs["scores"], strict=True):
            assert rows[line, span.start_char] == pytest.approx(score, abs=1e-4)


def test_entities_below_the_best_path_count(bench: Workbench) -> None:
    rows = bench.rows(threshold=1e-6)
    best = {
        (i, ent.start_char, ent.label_)
        for i, (text, _) in enumerate(TEXTS)
        for ent in bench.nlp(text).ents
    }
    assert any((row.line, row.start, row.label) not in best for row in rows)
    assert all(0 <= row.score <= 1 for row in rows)


def test_forms_are_counted_over_all_data(bench: Workbench) -> None:
    vocab = bench.nlp.vocab
    bench.docs += [
        make_doc(vocab, "I like Berlin .", [(2, 3, "LOC")], "missing"),
        make_doc(vocab, "I like London and Berlin .", [(2, 3, "LOC")], "missing"),
        make_doc(vocab, "I like London .", default="outside"),
    ]
    rows = bench.rows(threshold=0.5)
    (berlin,) = (row for row in rows if row.form == "Berlin")
    (london,) = (row for row in rows if row.form == "London")
    assert (berlin.found, berlin.marked, berlin.outside) == (1, 2, 0)
    assert (london.found, london.marked, london.outside) == (1, 1, 1)


def test_what_the_model_contradicts_is_doubtful(bench: Workbench) -> None:
    doc = bench.docs[3]
    doc.set_ents([Span(doc, 1, 2, "LOC")], default="missing")
    doubtful = [row for row in bench.rows(doubt=0.5) if row.kind == "doubtful"]
    assert [(row.form, row.label) for row in doubtful] == [("rained", "LOC")]
    assert doubtful[0].score <= 0.5
    assert doubtful[0].alternatives[0].spans == []


def test_fold_models_are_asked_where_they_have_been(bench: Workbench) -> None:
    doc = bench.docs[0]
    complete(doc, [Span(doc, 2, 4, "PERSON")], [0.8])
    spans = [Span(doc, 2, 4, "PERSON"), Span(doc, 3, 4, "LOC"), Span(doc, 0, 1, "LOC")]
    set_scored_spans(doc, CANDIDATES_KEY, spans, [0.8, 0.15, 0.01])
    doc.spans["incorrect_spans"] = []
    rows = [row for row in bench.rows() if row.line == 0]
    assert [(row.form, row.score) for row in rows] == [
        ("Shaka Khan", 0.8),
        ("Khan", 0.15),
    ]
    assert bench.suggest().by_fold_models == 1


def test_decided_places_are_not_asked_again(bench: Workbench) -> None:
    doc = bench.docs[0]
    set_scored_spans(doc, CANDIDATES_KEY, [Span(doc, 2, 4, "PERSON")], [0.8])
    doc.spans["incorrect_spans"] = [Span(doc, 2, 4, "PERSON")]
    bench.docs[1].spans["incorrect_spans"] = [Span(bench.docs[1], 2, 3, "LOC")]
    assert {row.line for row in bench.rows(threshold=0.5)} == {2}


def test_processes_and_batches_do_not_change_suggestions(bench: Workbench) -> None:
    bench.suggest()
    expected = (bench.folder / "out.jsonl").read_text()
    assert expected
    for options in ({"n_process": 2}, {"batch_size": 1}):
        bench.suggest("again.jsonl", **options)
        lines = (bench.folder / "again.jsonl").read_text().splitlines()
        for line, other in zip(lines, expected.splitlines(), strict=True):
            row, expected_row = json.loads(line), json.loads(other)
            assert row["score"] == pytest.approx(expected_row["score"], abs=2e-4)
            assert row["form"] == expected_row["form"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.spacy"])
def test_few_texts_are_in_memory_at_a_time(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    texts = [text for text, _ in TEXTS] * 150
    most = 0

    def read(*args: Any, **options: Any) -> Iterator[Doc]:
        nonlocal most
        before = count_docs()
        for i, text in enumerate(texts):
            if i % 100 == 0:
                most = max(most, count_docs() - before)
            yield make_doc(bench.nlp.vocab, text, default="missing")

    monkeypatch.setattr("spacy_adak.review.suggest.read_annotations", read)
    monkeypatch.setattr("spacy_adak.data.packed_docs._BATCH", 20)
    bench.suggest(name, batch_size=20)
    assert len(texts) > 500
    assert 0 < most < 100


def count_docs() -> int:
    return sum(type(thing) is Doc for thing in gc.get_objects())


def test_pipeline_is_left_as_it_was(bench: Workbench) -> None:
    before = bench.nlp.pipe_names
    bench.suggest()
    assert bench.nlp.pipe_names == before
    assert bench.nlp(TEXTS[0][0]).ents


def test_calibration_of_the_pipeline_is_used(bench: Workbench) -> None:
    sure = {row.form: row.score for row in bench.rows(threshold=0.5)}
    get_ner(bench.nlp).calibration = Calibration(0.3, 0.3)
    try:
        unsure = {row.form: row.score for row in bench.rows(threshold=0.05)}
    finally:
        get_ner(bench.nlp).calibration = IDENTITY
    assert all(unsure[form] < score for form, score in sure.items())


def test_forms_are_ranked_by_uncertainty_and_frequency() -> None:
    def value(found: int, mean: float) -> float:
        counts = FormCounts(found=found, expected=found * mean, unknown=found)
        return counts.value("missed")

    assert value(20, 0.5) > value(10, 0.5)
    assert value(10, 0.6) > value(10, 0.99)
    assert value(10, 0.6) > value(10, 0.05)
    # Where it comes up without being found says something as well.
    rarely = FormCounts(found=10, expected=9.9, unknown=40)
    assert rarely.value("missed") > value(10, 0.99)
    assert value(10, 1.0) == 0


def test_doubtful_form_is_worth_what_is_expected_to_be_wrong() -> None:
    counts = FormCounts(found=4, expected=0.5, marked=10)
    assert counts.value("doubtful") == 3.5


@pytest.mark.parametrize(
    ("name", "to"),
    [
        ("out.spacy", None),
        ("spans.jsonl", "spans"),
        ("prodigy.jsonl", "prodigy"),
        ("tasks.json", "label-studio"),
    ],
)
def test_exports_keep_suggestions_apart_from_facts(
    bench: Workbench, name: str, to: str | None
) -> None:
    rows = bench.rows(threshold=0.5)
    bench.suggest(name, to=to, threshold=0.5)
    convert(
        bench.folder / name,
        bench.folder / "back.spacy",
        converter=to,
        unlabelled=None if name.endswith(".spacy") else "missing",
    )
    found: dict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for doc in read_docbin(bench.folder / "back.spacy", bench.nlp.vocab):
        assert [ent.text for ent in doc.ents] == ["Berlin"] * ("Berlin" in doc.text)
        for span, origin, score in estimates_of(doc):
            assert origin == "estimated"
            found[doc.text].append((span.start_char, span.label_, score))
    expected: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        expected[row.text].append((row.start, row.label, pytest.approx(row.score)))
    assert {text: f for text, f in found.items() if f} == expected


def test_doccano_shows_suggestions_beside_the_text(bench: Workbench) -> None:
    bench.suggest("doccano.jsonl", to="doccano", threshold=0.5)
    records = list(srsly.read_jsonl(bench.folder / "doccano.jsonl"))
    london = next(r for r in records if "London" in r["text"])
    assert london["label"] == [[18, 24, "LOC"]]
    assert [s["text"] for s in london["suggested"]] == ["London"]


def test_tools_get_spans_that_do_not_overlap(bench: Workbench) -> None:
    doc = bench.docs[0]
    spans = [Span(doc, 2, 4, "PERSON"), Span(doc, 3, 4, "LOC"), Span(doc, 0, 1, "LOC")]
    set_scored_spans(doc, CANDIDATES_KEY, spans, [0.3, 0.6, 0.5])
    bench.docs = [doc]
    bench.suggest("prodigy.jsonl", to="prodigy")
    (task,) = srsly.read_jsonl(bench.folder / "prodigy.jsonl")
    found = [(span["start"], round(span["score"], 3)) for span in task["spans"]]
    assert found == [(0, 0.5), (13, 0.6)]
    bench.suggest("all.spacy")
    (doc,) = read_docbin(bench.folder / "all.spacy", bench.nlp.vocab)
    assert len(doc.spans[ESTIMATED_KEY]) == 3


def test_empty_texts_and_no_suggestions_are_fine(bench: Workbench) -> None:
    bench.docs = [Doc(bench.nlp.vocab), *bench.docs[3:]]
    result = bench.suggest(threshold=0.9)
    assert (result.documents, result.forms) == (2, [])
    assert (bench.folder / "out.jsonl").read_text() == ""


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"threshold": 0.0}, "A450"),
        ({"doubt": 1.5}, "A450"),
        ({"to": "conll"}, "A310"),
        ({"name": "data.spacy"}, "A315"),
    ],
)
def test_wrong_options_are_refused(
    bench: Workbench, options: dict[str, Any], code: str
) -> None:
    with pytest.raises(ValueError, match=code):
        bench.suggest(**options)


def test_pipeline_without_the_component_is_refused(tmp_path: Path) -> None:
    bench = Workbench(spacy.blank("en"), tmp_path)
    with pytest.raises(ValueError, match="A452"):
        bench.suggest()


def test_no_texts_are_an_error(bench: Workbench) -> None:
    bench.docs = []
    with pytest.raises(ValueError, match="A451"):
        bench.suggest()
    assert not (bench.folder / "out.jsonl").exists()


@pytest.mark.parametrize("forms", [[], ["Berlin"]])
def test_candidates_of_somebody_else_are_not_those_of_fold_models(
    bench: Workbench, forms: list[str]
) -> None:
    expected = bench.rows(threshold=0.5)
    doc = bench.docs[1]
    doc.spans[CANDIDATES_KEY] = [doc[2:3]] if forms else []
    assert bench.suggest(threshold=0.5).by_fold_models == 0
    assert bench.rows(threshold=0.5) == expected
