import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_adak.data.origins import (
    annotated_entities,
    complete,
    estimates_of,
    set_scored_spans,
    without_estimates,
)


def make_doc(nlp: Language) -> Doc:
    """Ann is annotated, "met" is stated to be outside, the rest is unknown."""
    doc = nlp.make_doc("Ann met Bob in Rome")
    ann = Span(doc, 0, 1, label="PER", kb_id="Q1", span_id="a")
    doc.set_ents([ann], outside=[doc[1:2]], default="missing")
    return doc


def states(doc: Doc) -> list[tuple[str, str]]:
    return [(token.ent_iob_, token.ent_type_) for token in doc]


def described(doc: Doc) -> list[tuple[str, str, str, float | None]]:
    return [
        *((ent.text, ent.label_, "annotated", None) for ent in annotated_entities(doc)),
        *((s.text, s.label_, origin, score) for s, origin, score in estimates_of(doc)),
    ]


def test_every_span_of_a_completed_document_has_its_origin(nlp: Language) -> None:
    doc = make_doc(nlp)
    set_scored_spans(doc, "guessed", [Span(doc, 4, 5, label="LOC")], [None])
    complete(doc, [Span(doc, 2, 3, label="PER")], [0.25])
    assert [ent.text for ent in doc.ents] == ["Ann", "Bob"]
    assert described(doc) == [
        ("Ann", "PER", "annotated", None),
        ("Bob", "PER", "estimated", 0.25),
        ("Rome", "LOC", "guessed", None),
    ]


def test_what_was_known_before_completion_is_found_again(nlp: Language) -> None:
    doc = make_doc(nlp)
    before = states(doc)
    complete(doc, [Span(doc, 2, 3, label="PER")], [0.25])
    assert {iob for iob, _ in states(doc)} == {"B", "O"}
    facts = without_estimates(doc)
    assert states(facts) == before
    assert [(ent.kb_id_, ent.id_) for ent in facts.ents] == [("Q1", "a")]
    assert [(e.span.text, e.score) for e in estimates_of(facts)] == [("Bob", 0.25)]
    assert [ent.text for ent in doc.ents] == ["Ann", "Bob"]


def test_completion_without_an_estimate_states_nothing(nlp: Language) -> None:
    doc = nlp.make_doc("Nothing here")
    complete(doc, [], [])
    assert states(doc) == [("O", ""), ("O", "")]
    assert states(without_estimates(doc)) == [("", ""), ("", "")]


def test_what_is_outside_of_estimates_is_unknown_if_nothing_else_is_said(
    nlp: Language,
) -> None:
    doc = make_doc(nlp)
    bob = Span(doc, 2, 3, label="PER")
    doc.set_ents([*doc.ents, bob], default="outside")
    set_scored_spans(doc, "estimated", [bob], [0.25])
    assert [iob for iob, _ in states(without_estimates(doc))] == ["B", "", "", "", ""]


def test_document_of_facts_is_not_copied(nlp: Language) -> None:
    doc = make_doc(nlp)
    set_scored_spans(doc, "estimated", [Span(doc, 2, 3, label="PER")], [0.25])
    assert without_estimates(doc) is doc


def test_annotated_entity_that_is_also_guessed_is_a_fact(nlp: Language) -> None:
    doc = make_doc(nlp)
    set_scored_spans(doc, "guessed", list(doc.ents), [0.9])
    assert [origin for _, _, origin, _ in described(doc)] == ["annotated", "guessed"]


def test_group_without_scores_has_unknown_scores(nlp: Language) -> None:
    doc = make_doc(nlp)
    doc.spans["guessed"] = [Span(doc, 2, 3, label="PER")]
    assert [e.score for e in estimates_of(doc)] == [None]


def test_origins_are_kept_on_disk(nlp: Language) -> None:
    doc = make_doc(nlp)
    complete(doc, [Span(doc, 2, 3, label="PER")], [0.25])
    data = spacy.tokens.DocBin(docs=[doc]).to_bytes()
    (again,) = spacy.tokens.DocBin().from_bytes(data).get_docs(spacy.blank("en").vocab)
    assert described(again) == described(doc)
    assert states(without_estimates(again)) == states(without_estimates(doc))
