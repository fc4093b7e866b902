import pytest
import spacy
from spacy.tokens import Doc

from spacy_adak.annotation.completeness import (
    entity_share,
    is_complete,
    is_meant_to_be_complete,
)
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
