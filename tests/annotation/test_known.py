import numpy
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_adak.annotation.known import (
    Known,
    allowed_tags,
    entity_starting_tags,
    known_from_example,
    preset_from_doc,
    shorten,
    tagged_spans,
)
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.data.complete_types import COMPLETE_KEY
from tests.made_texts import make_doc

VOCAB = spacy.blank("en").vocab
WORDS = st.sampled_from(["Ann", "Lee", "in", "York", " ", "\n\n"])


@st.composite
def annotated_docs(draw: st.DrawFn) -> Doc:
    """A document in which every token is missing, O, blocked or in an entity."""
    kinds = st.sampled_from(["missing", "outside", "blocked", "X", "Y"])
    pieces = draw(st.lists(st.tuples(kinds, st.integers(1, 3)), max_size=5))
    length = sum(size for _, size in pieces)
    doc = Doc(VOCAB, words=draw(st.lists(WORDS, min_size=length, max_size=length)))
    spans: dict[str, list[Span]] = {"missing": [], "outside": [], "blocked": []}
    entities, start = [], 0
    for kind, size in pieces:
        if kind in spans:
            spans[kind].append(doc[start : start + size])
        else:
            entities.append(Span(doc, start, start + size, label=kind))
        start += size
    if length:
        doc.set_ents(entities, **spans, default="missing")
    return doc


def blank(doc: Doc) -> Doc:
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, words=[token.text for token in doc], spaces=spaces)


def as_triples(entities: list[LabelledSpan]) -> list[tuple[int, int, str]]:
    return [tuple(span) for span in entities]


@given(annotated_docs())
def test_equal_tokens_give_what_spacy_aligns(reference: Doc) -> None:
    example = Example(blank(reference), reference)
    known = known_from_example(example, None)
    spans, tags = example.get_aligned_ents_and_ner()
    assert as_triples(known.entities) == [(s.start, s.end, s.label_) for s in spans]
    assert known.outside.tolist() == [tag == "O" for tag in tags]


@given(annotated_docs())
def test_known_agrees_with_the_tags_spacy_aligns(reference: Doc) -> None:
    """What is neither in an entity nor outside is unknown to spaCy, too."""
    example = Example(blank(reference), reference)
    known = known_from_example(example, None)
    unknown = ~known.outside
    for span in known.entities:
        unknown[span.start : span.end] = False
    assert unknown.tolist() == [tag is None for tag in example.get_aligned_ner()]


def test_tokens_split_otherwise_are_aligned() -> None:
    reference = Doc(VOCAB, words=["New York", "is", "big"])
    reference.set_ents([Span(reference, 0, 1, label="LOC")])
    predicted = Doc(VOCAB, words=["New", "York", "is", "big"])
    known = known_from_example(Example(predicted, reference), None)
    assert as_triples(known.entities) == [(0, 2, "LOC")]
    assert known.outside.tolist() == [False, False, True, True]


def test_entity_that_ends_within_a_token_is_unknown() -> None:
    reference = Doc(VOCAB, words=["New", "York", "-based"], spaces=[True, False, False])
    reference.set_ents([Span(reference, 0, 2, label="LOC")])
    predicted = Doc(VOCAB, words=["New", "York-based"])
    known = known_from_example(Example(predicted, reference), None)
    assert known.entities == []
    assert known.outside.tolist() == [False, False]


def test_text_without_annotation_is_unknown_with_its_whitespace() -> None:
    doc = Doc(VOCAB, words=["a", "\n\n", "b"])
    assert known_from_example(Example(blank(doc), doc), None).is_empty()


def test_empty_document_has_nothing_known() -> None:
    doc = Doc(VOCAB)
    assert known_from_example(Example(blank(doc), doc), None).is_empty()


def with_ruled_out(reference: Doc, start: int, end: int, label: str) -> Doc:
    reference.spans["wrong"] = [Span(reference, start, end, label=label)]
    return reference


def test_ruled_out_spans_are_aligned() -> None:
    reference = with_ruled_out(Doc(VOCAB, words=["New York", "ok"]), 0, 1, "LOC")
    predicted = Doc(VOCAB, words=["New", "York", "ok"])
    known = known_from_example(Example(predicted, reference), "wrong")
    assert as_triples(known.ruled_out) == [(0, 2, "LOC")]


def test_ruled_out_spans_of_another_key_are_not_read() -> None:
    reference = with_ruled_out(Doc(VOCAB, words=["a", "b"]), 0, 1, "LOC")
    for key in (None, "other"):
        example = Example(blank(reference), reference)
        assert known_from_example(example, key).ruled_out == []


def test_annotated_and_ruled_out_at_once_is_an_error() -> None:
    reference = make_doc(VOCAB, "in New York", [(1, 3, "LOC")])
    example = Example(blank(reference), with_ruled_out(reference, 1, 3, "LOC"))
    with pytest.raises(ValueError, match=r"A103.*'New York'.*'wrong'"):
        known_from_example(example, "wrong")


def test_annotated_with_one_label_may_be_ruled_out_as_another() -> None:
    reference = make_doc(VOCAB, "in New York", [(1, 3, "LOC")])
    example = Example(blank(reference), with_ruled_out(reference, 1, 3, "PERSON"))
    assert known_from_example(example, "wrong").ruled_out == [(1, 3, "PERSON")]


def test_preset_tells_our_labels_from_others_and_blocked_tokens() -> None:
    doc = Doc(VOCAB, words=["a", "b", "c", "\n", "d", "e"])
    doc.set_ents(
        [Span(doc, 0, 2, label="OURS"), Span(doc, 2, 3, label="OTHER")],
        blocked=[doc[4:5]],
        outside=[doc[5:6]],
        default="missing",
    )
    preset = preset_from_doc(doc, TagSet(["OURS"]), 10)
    assert preset.known.entities == [(0, 2, "OURS")]
    assert preset.known.outside.tolist() == [False, False, True, False, True, False]
    assert preset.space.tolist() == [False, False, False, True, False, False]
    assert preset.ends == [6]


@pytest.mark.parametrize("label", ["OURS", "OTHER"])
def test_preset_entities_are_not_cut(label: str) -> None:
    doc = make_doc(VOCAB, "a b c d e", [(1, 4, label)])
    ends = preset_from_doc(doc, TagSet(["OURS"]), 2).ends
    assert not {2, 3} & set(ends)


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_allowed_tags_fix_entities_with_their_bounds(scheme: str) -> None:
    """Among all legal paths these are exactly the ones that hold what is known."""
    tagset = TagSet(["X", "Y"], scheme)
    entities = [LabelledSpan(0, 2, "X"), LabelledSpan(2, 3, "X")]
    outside = numpy.array([False, False, False, False, True])
    allowed = allowed_tags(Known(entities, outside, []), tagset)
    for last_entity in [None, LabelledSpan(3, 4, "X"), LabelledSpan(3, 4, "Y")]:
        spans = entities + ([last_entity] if last_entity else [])
        tags = tagset.encode(spans, 5)
        assert all(allowed[range(5), tags])
    for wrong in ([LabelledSpan(0, 2, "X"), LabelledSpan(2, 4, "X")], [], entities[:1]):
        assert not all(allowed[range(5), tagset.encode(wrong, 5)])


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_entities_start_with_their_first_tag(scheme: str) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    firsts = {tagset.span_tags(t, n)[0] for t in tagset.types for n in (1, 2, 3)}
    assert set(entity_starting_tags(tagset)) == firsts


def test_tagged_span_says_where_an_entity_ends() -> None:
    tagset = TagSet(["X"], "BIO")
    (span,) = tagged_spans([(3, LabelledSpan(1, 3, "X"))], tagset)
    assert (span.sentence, span.start) == (3, 1)
    assert [tagset.tags[tag] for tag in span.tags] == ["B-X", "I-X"]
    assert span.not_before == tagset.index["I-X"]


def test_long_text_is_shortened_for_messages() -> None:
    doc = make_doc(VOCAB, "word " * 99 + "word")
    assert len(shorten(doc)) == 60
    assert shorten(doc).endswith("...")


def test_unknown_is_what_is_neither_in_an_entity_nor_outside_of_all() -> None:
    outside = numpy.array([True, False, False, False])
    known = Known([LabelledSpan(1, 3, "PER")], outside, [])
    assert known.unknown().tolist() == [False, False, False, True]


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_entity_may_end_with_the_text(scheme: str) -> None:
    tagset = TagSet(["PER"], scheme)
    known = Known([LabelledSpan(1, 3, "PER")], numpy.zeros(3, dtype=bool), [])
    allowed = allowed_tags(known, tagset)
    assert allowed.sum(1).tolist() == [len(tagset), 1, 1]


@pytest.mark.parametrize(("length", "shown"), [(60, 60), (61, 60)])
def test_text_of_sixty_characters_is_shown_in_full(length: int, shown: int) -> None:
    text = shorten(Doc(VOCAB, words=["a" * length], spaces=[False]))
    assert len(text) == shown
    assert text.endswith("...") == (length > 60)


def with_complete(reference: Doc, *stretches: tuple[int, int, str]) -> Doc:
    spans = [Span(reference, start, end, label=t) for start, end, t in stretches]
    reference.spans[COMPLETE_KEY] = spans
    return reference


def test_stretches_that_are_complete_for_a_type_are_read() -> None:
    doc = with_complete(Doc(VOCAB, words=["a", "b", "c"]), (0, 2, "X"), (1, 3, "Y"))
    known = known_from_example(Example(blank(doc), doc), None)
    assert as_triples(known.complete) == [(0, 2, "X"), (1, 3, "Y")]
    assert not known.is_empty()


def test_stretches_are_aligned_token_by_token() -> None:
    doc = Doc(VOCAB, words=["New York", "is", "big", "ger"], spaces=[1, 1, 0, 0])
    with_complete(doc, (0, 3, "LOC"))
    predicted = Doc(VOCAB, words=["New", "York", "is", "bigger"])
    known = known_from_example(Example(predicted, doc), None)
    # Of "bigger" one half is unknown.
    assert as_triples(known.complete) == [(0, 3, "LOC")]


def test_an_entity_that_is_not_aligned_is_not_denied() -> None:
    doc = Doc(VOCAB, words=["New", "York", "-based"], spaces=[True, False, False])
    doc.set_ents([Span(doc, 0, 2, label="LOC")], default="missing")
    with_complete(doc, (0, 3, "LOC"), (0, 3, "PER"))
    predicted = Doc(VOCAB, words=["New", "York-based"])
    known = known_from_example(Example(predicted, doc), None)
    assert known.entities == []
    assert as_triples(known.complete) == [(0, 2, "PER")]


def test_types_that_a_model_does_not_have_say_nothing() -> None:
    known = Known([], numpy.zeros(2, dtype=bool), [], [LabelledSpan(0, 2, "X")])
    assert known.about(["Y"]).is_empty()


def test_a_token_for_which_all_types_are_complete_is_outside() -> None:
    complete = [LabelledSpan(0, 3, "X"), LabelledSpan(1, 4, "Y")]
    entity = LabelledSpan(1, 2, "X")
    known = Known([entity], numpy.zeros(4, dtype=bool), [], complete)
    assert known.about(["X", "Y"]).outside.tolist() == [False, False, True, False]
    assert not known.about(["X", "Y", "Z"]).outside.any()


@pytest.mark.parametrize(
    ("span", "is_within"),
    [((0, 2), False), ((1, 3), True), ((3, 5), True), ((4, 6), False)],
)
def test_span_is_decided_if_a_token_of_it_is_complete(
    span: tuple[int, int], is_within: bool
) -> None:
    known = Known([], numpy.zeros(6, dtype=bool), [], [LabelledSpan(2, 4, "X")])
    assert known.is_complete_for(LabelledSpan(*span, "X")) == is_within
    assert not known.is_complete_for(LabelledSpan(*span, "Y"))
