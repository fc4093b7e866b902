"""A component that sets entities before ours, and what can be done about it."""

import pickle
import warnings
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from tests.made_texts import (
    SMALL_MODEL,
    entities,
    get_ner,
    make_examples,
    make_nlp,
    scores,
    train,
)

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]
W102 = r"W102.*'adak_ner' comes after 'finds_ann'"


@Language.component("finds_ann", assigns=["doc.ents"])
def find_ann(doc: Doc) -> Doc:
    """Stands for a trained `ner`: it knows all about the tokens of a text."""
    doc.set_ents([Span(doc, 0, 1, label="PERSON")] if doc else [], default="outside")
    return doc


@pytest.fixture
def after(nlp: Language) -> Language:
    nlp.add_pipe("finds_ann", first=True)
    return nlp


def test_component_that_sets_entities_before_is_warned_of_once(after: Language) -> None:
    with pytest.warns(UserWarning, match=W102):
        doc = after(TEXT)
    assert (0, 1, "PERSON") in entities(doc)
    assert FOUND[0] not in entities(doc)
    after(TEXT)


def test_training_after_such_a_component_is_warned_of() -> None:
    nlp = make_nlp()
    nlp.add_pipe("finds_ann", first=True)
    examples = make_examples(nlp)
    with pytest.warns(UserWarning, match=W102):
        nlp.initialize(lambda: examples)
    nlp(TEXT)


def test_loaded_pipeline_warns_again(after: Language) -> None:
    data = after.to_bytes()
    loaded = make_nlp()
    loaded.add_pipe("finds_ann", first=True)
    loaded.from_bytes(data)
    with pytest.warns(UserWarning, match=W102):
        loaded(TEXT)


def test_nothing_is_said_of_a_component_that_comes_later(nlp: Language) -> None:
    nlp.add_pipe("finds_ann", last=True)
    nlp(TEXT)


def test_nothing_is_said_of_a_component_that_is_disabled(after: Language) -> None:
    with after.select_pipes(disable=["finds_ann"]):
        assert entities(after(TEXT)) == FOUND


@pytest.mark.parametrize("factory", ["entity_ruler", "span_ruler"])
def test_nothing_is_said_of_rules(nlp: Language, factory: str) -> None:
    config = {"annotate_ents": True} if factory == "span_ruler" else {}
    ruler = nlp.add_pipe(factory, first=True, config=config)
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ann"}])
    assert (0, 1, "PERSON") in entities(nlp(TEXT))


def test_nothing_is_said_of_what_people_have_set(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    doc.set_ents([Span(doc, 0, 1, label="LOC")], default="missing")
    nlp(doc)


def source(nlp: Language, *, after: str) -> Language:
    other = spacy.blank("en")
    other.add_pipe(after)
    with warnings.catch_warnings():
        # spaCy remarks that the string stores differ.
        warnings.filterwarnings("ignore", message=r"\[W113\]")
        other.add_pipe("adak_ner", source=nlp)
    return other


def test_component_of_another_pipeline_warns_of_its_own_labels(nlp: Language) -> None:
    other = source(nlp, after="finds_ann")
    with pytest.warns(UserWarning, match=r"W103.*such as 'Ann' \(PERSON\)"):
        other(TEXT)
    other(TEXT)


def test_component_of_another_pipeline_accepts_labels_not_its_own(
    nlp: Language,
) -> None:
    other = source(nlp, after="entity_ruler")
    other.get_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "flew"}])
    assert entities(other(TEXT)) == [(0, 2, "PERSON"), (2, 3, "X"), (4, 6, "LOC")]


def test_component_can_be_pickled_without_its_pipeline(nlp: Language) -> None:
    component = pickle.loads(pickle.dumps(get_ner(nlp)))
    doc = component(nlp.make_doc(TEXT))
    assert entities(doc) == FOUND


def spans_alone(**settings: Any) -> Language:
    nlp = make_nlp(annotate_ents=False, **settings)
    train(nlp, make_examples(nlp))
    return nlp


@pytest.fixture(scope="module")
def spans_alone_bytes() -> bytes:
    nlp = spans_alone()
    nlp.add_pipe("finds_ann", first=True)
    return nlp.to_bytes()


@pytest.fixture
def beside(spans_alone_bytes: bytes) -> Language:
    nlp = make_nlp(annotate_ents=False)
    nlp.add_pipe("finds_ann", first=True)
    return nlp.from_bytes(spans_alone_bytes)


def spans(doc: Doc) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in doc.spans["adak_ner"]]


def test_spans_alone_leave_the_entities_of_others(beside: Language) -> None:
    doc = beside(TEXT)
    assert entities(doc) == [(0, 1, "PERSON")]
    assert [token.ent_iob for token in doc] == [3, 2, 2, 2, 2, 2, 2]
    assert spans(doc) == FOUND
    assert scores(doc).min() > 0.5


def test_spans_alone_are_not_bound_by_the_entities_of_others(beside: Language) -> None:
    doc = beside(TEXT)
    (first, *_) = get_ner(beside).kbest(doc, 3)
    assert [(s.start, s.end, s.label_) for s in first] == FOUND


def test_spans_alone_respect_blocked_tokens(beside: Language) -> None:
    beside.remove_pipe("finds_ann")
    doc = beside.make_doc(TEXT)
    doc.set_ents([], blocked=[doc[0:2]], default="missing")
    doc = beside(doc)
    assert spans(doc) == [(4, 6, "LOC")]
    assert [token.ent_iob for token in doc] == [3, 3, 0, 0, 0, 0, 0]


def test_spans_alone_are_what_is_scored(beside: Language) -> None:
    assert beside.evaluate(make_examples(beside))["ents_f"] == 1.0


def test_spans_alone_are_replaced_when_found_again(beside: Language) -> None:
    doc = beside(beside(TEXT))
    assert spans(doc) == FOUND


def test_spans_alone_need_a_place() -> None:
    with pytest.raises(ValueError, match=r"A120.*'adak_ner'.*annotate_ents"):
        make_nlp(annotate_ents=False, spans_key=None)


def test_settings_of_a_component_tell_entities_from_spans() -> None:
    nlp = spacy.blank("en")
    config = {"model": SMALL_MODEL, "annotate_ents": False}
    nlp.add_pipe("adak_ner", config=config)
    assert nlp.config["components"]["adak_ner"]["annotate_ents"] is False
    doc = nlp.make_doc("")
    assert get_ner(nlp).score([Example(doc, doc)])["ents_f"] is None
