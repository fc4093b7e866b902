import pytest
from spacy.language import Language
from spacy.training import Example

from spacy_adak.crf.tags import LabelledSpan
from spacy_adak.data.complete_types import state_complete
from spacy_adak.q.held_out_spans import held_out_spans
from tests.made_texts import get_ner, make_doc, make_examples, make_nlp, train


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = make_nlp()
    train(nlp, make_examples(nlp), steps=40)
    return nlp


def make_examples_of(nlp: Language) -> list[Example]:
    texts = [
        ("Ann Lee flew to New York .", [(4, 6, "LOC")]),
        ("It rained all day long .", []),
        ("I like London .", [(0, 1, "PERSON")]),
    ]
    return [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, entities, "missing"))
        for text, entities in texts
    ]


def test_likely_spans_are_found_whether_annotated_or_not(nlp: Language) -> None:
    first, _, _ = held_out_spans(nlp, get_ner(nlp), make_examples_of(nlp))
    by_span = {found.span: found for found in first}
    name, place = LabelledSpan(0, 2, "PERSON"), LabelledSpan(4, 6, "LOC")
    assert by_span[name].probability > 0.5
    assert not by_span[name].is_annotated
    assert by_span[place].is_annotated
    assert not by_span[name].touches_annotation
    assert by_span[place].touches_annotation


def test_annotated_spans_are_there_however_improbable(nlp: Language) -> None:
    *_, last = held_out_spans(nlp, get_ner(nlp), make_examples_of(nlp))
    annotated = [found.span for found in last if found.is_annotated]
    assert annotated == [LabelledSpan(0, 1, "PERSON")]
    assert all(found.is_annotated or found.probability >= 0.01 for found in last)


def test_span_with_other_bounds_touches_annotation(nlp: Language) -> None:
    text = "I like London ."
    gold = make_doc(nlp.vocab, text, [(2, 4, "LOC")], "missing")
    (found,) = held_out_spans(nlp, get_ner(nlp), [Example(nlp.make_doc(text), gold)])
    by_span = {each.span: each for each in found}
    place = by_span[LabelledSpan(2, 3, "LOC")]
    assert place.touches_annotation
    assert not place.is_annotated


def test_probabilities_are_those_of_the_component(nlp: Language) -> None:
    examples = make_examples_of(nlp)
    texts = held_out_spans(nlp, get_ner(nlp), examples)
    for example, found in zip(examples, texts, strict=True):
        doc = nlp(example.reference.text)
        by_span = {f.span: f.probability for f in found}
        group = doc.spans["adak_ner"]
        for span, score in zip(group, group.attrs["scores"], strict=True):
            key = LabelledSpan(span.start, span.end, span.label_)
            assert by_span[key] == pytest.approx(score, abs=1e-5)


def test_texts_are_kept_apart_in_any_order(nlp: Language) -> None:
    examples = make_examples_of(nlp)
    together = list(held_out_spans(nlp, get_ner(nlp), examples))
    alone = [next(held_out_spans(nlp, get_ner(nlp), [eg])) for eg in examples]
    for here, there in zip(together, alone, strict=True):
        assert [f.span for f in here] == [f.span for f in there]
        assert [f.probability for f in here] == pytest.approx(
            [f.probability for f in there], abs=1e-5
        )


def test_spans_are_left_out_where_their_type_is_complete(nlp: Language) -> None:
    examples = make_examples_of(nlp)
    state_complete(examples[0].reference, ["PERSON"])
    first, *_ = held_out_spans(nlp, get_ner(nlp), examples)
    assert {found.span.type for found in first} == {"LOC"}
