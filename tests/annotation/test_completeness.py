import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_adak.annotation.completeness import (
    entity_share,
    entity_share_by_type,
    is_complete,
    is_meant_to_be_complete,
)
from spacy_adak.data.complete_types import COMPLETE_KEY
from tests.made_texts import make_doc

VOCAB = spacy.blank("en").vocab
TEXT = "Ann Lee flew to New York ."
PERSON, PLACE = (0, 2, "PERSON"), (4, 6, "LOC")
COMPLETE = make_doc(VOCAB, TEXT, [PERSON, PLACE])
INCOMPLETE = make_doc(VOCAB, TEXT, [PERSON], default="missing")
WITHOUT_ENTITY = make_doc(VOCAB, "It rained .")
ALL_ENTITY = make_doc(VOCAB, "New York", [(0, 2, "LOC")], default="missing")


def with_a_line_break() -> Doc:
    """Whitespace is never annotated where the rest is missing."""
    doc = Doc(VOCAB, words=["York", "\n\n"])
    doc.set_ents([doc.char_span(0, 4, label="LOC")], default="missing")
    return doc


@pytest.mark.parametrize(
    ("doc", "complete"),
    [
        (COMPLETE, True),
        (WITHOUT_ENTITY, True),
        (ALL_ENTITY, True),
        (with_a_line_break(), True),
        (INCOMPLETE, False),
        (Doc(VOCAB, words=["It", "rained"]), False),
    ],
)
def test_document_without_a_missing_word_is_complete(doc: Doc, complete: bool) -> None:
    assert is_complete(doc) == complete


@pytest.mark.parametrize(
    ("doc", "meant"), [(COMPLETE, True), (ALL_ENTITY, False), (INCOMPLETE, False)]
)
def test_complete_document_is_meant_to_be_if_it_states_outside(
    doc: Doc, meant: bool
) -> None:
    assert is_meant_to_be_complete(doc) == meant


def test_entity_share_is_that_of_all_tokens() -> None:
    assert entity_share(iter([COMPLETE, WITHOUT_ENTITY])) == 0.4


@pytest.mark.parametrize("docs", [[], [WITHOUT_ENTITY]])
def test_entity_share_is_not_told_without_an_entity(docs: list[Doc]) -> None:
    assert entity_share(docs) is None


def with_complete(doc: Doc, *stretches: tuple[int, int, str]) -> Doc:
    spans = [Span(doc, start, end, label=label) for start, end, label in stretches]
    doc.spans[COMPLETE_KEY] = spans
    return doc


def test_entity_share_adds_up_types_each_where_it_is_complete() -> None:
    both = make_doc(VOCAB, TEXT, [PERSON, PLACE], default="missing")
    # Two of six tokens where PERSON is complete, and one of two where LOC is.
    with_complete(both, (0, 6, "PERSON"), (3, 5, "LOC"))
    # An entity outside of what is complete is not counted.
    rest = make_doc(VOCAB, TEXT, [PERSON, PLACE], default="missing")
    with_complete(rest, (2, 6, "PERSON"))
    expected = 2 / 10 + 1 / 2
    assert entity_share_by_type(iter([both, rest])) == pytest.approx(expected)


def test_entity_share_is_not_told_if_a_type_is_complete_nowhere() -> None:
    doc = make_doc(VOCAB, TEXT, [PERSON, PLACE], default="missing")
    assert entity_share_by_type([with_complete(doc, (0, 6, "PERSON"))]) is None
    assert entity_share_by_type([]) is None
