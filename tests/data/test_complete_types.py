import numpy
import pytest
import spacy
from spacy.tokens import Doc, DocBin, Span

from spacy_adak.data.complete_types import (
    COMPLETE_KEY,
    complete_tokens,
    corpus_types,
    is_complete_for,
    state_complete,
    types_complete_in,
    with_outside_stated,
)
from spacy_adak.data.packed_docs import write_packed
from spacy_adak.data.stored_docs import read_stored

VOCAB = spacy.blank("en").vocab


def make_doc(**stretches: tuple[int, int]) -> Doc:
    """A text with one PER, complete for types in stretches."""
    doc = Doc(VOCAB, words=["Ann", "Lee", "is", "at", "Acme"])
    doc.set_ents([Span(doc, 0, 2, label="PER")], default="missing")
    if stretches:
        doc.spans[COMPLETE_KEY] = [
            Span(doc, *stretch, label=label) for label, stretch in stretches.items()
        ]
    return doc


def as_tuples(doc: Doc) -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in doc.spans[COMPLETE_KEY]]


def test_a_whole_text_is_stated_once() -> None:
    doc = make_doc(ORG=(1, 3), PER=(0, 5))
    state_complete(doc, ["ORG", "PER", "ORG"])
    assert as_tuples(doc) == [(0, 5, "PER"), (0, 5, "ORG")]
    assert types_complete_in(doc) == {"ORG", "PER"}


def test_text_without_tokens_or_types_states_nothing() -> None:
    for doc, types in ((Doc(VOCAB), ["PER"]), (make_doc(), [])):
        state_complete(doc, types)
        assert COMPLETE_KEY not in doc.spans


def test_stretches_of_a_type_add_up() -> None:
    doc = make_doc()
    doc.spans[COMPLETE_KEY] = [
        Span(doc, start, end, label="ORG") for start, end in ((0, 2), (1, 3), (4, 5))
    ]
    tokens = complete_tokens(doc)
    assert list(tokens) == ["ORG"]
    assert tokens["ORG"].tolist() == [True, True, True, False, True]


def test_a_span_is_decided_if_one_of_its_tokens_is() -> None:
    doc = make_doc(PER=(1, 2), ORG=(2, 5))
    assert is_complete_for(doc.ents[0])
    assert not is_complete_for(Span(doc, 2, 4, label="PER"))
    assert not is_complete_for(Span(doc, 0, 2, label="ORG"))


def test_all_types_make_a_token_outside() -> None:
    doc = make_doc(PER=(0, 4), ORG=(1, 5))
    stated = with_outside_stated(doc, ["ORG", "PER"])
    assert [token.ent_iob_ for token in stated] == ["B", "I", "O", "O", ""]
    assert as_tuples(stated) == as_tuples(doc)
    # The document itself is left as it is.
    assert doc[2].ent_iob_ == ""


@pytest.mark.parametrize("types", [[], ["ORG", "PER", "LOC"]])
def test_a_type_that_is_complete_nowhere_leaves_all_open(types: list[str]) -> None:
    doc = make_doc(PER=(0, 5), ORG=(0, 5))
    assert with_outside_stated(doc, types) is doc


def test_types_are_those_of_entities_and_statements() -> None:
    assert corpus_types([make_doc(ORG=(0, 5)), make_doc()]) == {"PER", "ORG"}


def test_docbin_and_copies_keep_the_statement(tmp_path) -> None:
    doc = make_doc(PER=(0, 4), NEW=(2, 5))
    (read,) = DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(VOCAB)
    write_packed([doc], tmp_path / "a.spacy")
    (stored,) = read_stored(tmp_path / "a.spacy", spacy.blank("en").vocab)
    for other in (read, stored, doc.copy()):
        assert as_tuples(other) == as_tuples(doc)
        assert numpy.array_equal(other.to_array("ENT_IOB"), doc.to_array("ENT_IOB"))
