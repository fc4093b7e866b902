"""What earlier components have set is respected, as spaCy's `ner` does it."""

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span

from spacy_adak.pipeline.set_entities import own_entities
from tests.made_texts import (
    SMALL_ENCODER,
    entities,
    get_ner,
    make_examples,
    make_nlp,
    scores,
    train,
)

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]


@pytest.fixture(scope="module")
def spacy_ner_bytes() -> bytes:
    nlp = make_spacy_ner()
    train(nlp, make_examples(nlp))
    return nlp.to_bytes()


def make_spacy_ner() -> Language:
    nlp = spacy.blank("en")
    model = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "ner",
        "extra_state_tokens": False,
        "hidden_width": 32,
        "maxout_pieces": 2,
        "use_upper": True,
        "nO": None,
        "tok2vec": SMALL_ENCODER,
    }
    nlp.add_pipe("ner", config={"model": model})
    return nlp


@pytest.fixture(params=["adak_ner", "ner"])
def either(request: pytest.FixtureRequest, nlp: Language) -> Language:
    """This component and spaCy's own have to do the same."""
    if request.param == "adak_ner":
        return nlp
    data = request.getfixturevalue("spacy_ner_bytes")
    return make_spacy_ner().from_bytes(data)


def test_both_find_the_same_without_presets(either: Language) -> None:
    assert entities(either(TEXT)) == FOUND


def test_preset_entity_of_a_known_label_is_kept(either: Language) -> None:
    doc = either.make_doc(TEXT)
    doc.set_ents([Span(doc, 0, 1, label="LOC")], default="missing")
    assert (0, 1, "LOC") in entities(either(doc))
    assert (0, 2, "PERSON") not in entities(doc)
    assert (4, 6, "LOC") in entities(doc)


def test_preset_entity_of_an_unknown_label_is_kept(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    doc.set_ents([Span(doc, 1, 3, label="OTHER")], default="missing")
    assert (1, 3, "OTHER") in entities(nlp(doc))
    assert (4, 6, "LOC") in entities(doc)


def test_blocked_tokens_are_in_no_entity(either: Language) -> None:
    doc = either.make_doc(TEXT)
    doc.set_ents([], blocked=[doc[0:2]], default="missing")
    doc = either(doc)
    assert [token.ent_type for token in doc[:2]] == [0, 0]
    assert (4, 6, "LOC") in entities(doc)


def test_blocked_tokens_stay_blocked(either: Language) -> None:
    doc = either.make_doc(TEXT)
    doc.set_ents([], blocked=[doc[0:1]], default="missing")
    doc = either(doc)
    assert (doc[0].ent_iob, doc[0].ent_type) == (3, 0)
    assert not doc.ents or doc.ents[0].start > 0


def test_everything_blocked_finds_nothing(either: Language) -> None:
    doc = either.make_doc(TEXT)
    doc.set_ents([], blocked=[doc[:]], default="missing")
    assert entities(either(doc)) == []


def test_outside_set_before_may_be_overwritten(either: Language) -> None:
    doc = either.make_doc(TEXT)
    doc.set_ents([], default="outside")
    assert entities(either(doc)) == FOUND


def test_ruler_before_the_component_wins(either: Language) -> None:
    ruler = either.add_pipe("entity_ruler", first=True)
    ruler.add_patterns([{"label": "LOC", "pattern": "Lee"}])
    found = entities(either(TEXT))
    assert (1, 2, "LOC") in found
    assert (4, 6, "LOC") in found


def test_ruler_after_the_component_fills_gaps(either: Language) -> None:
    ruler = either.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "VERB", "pattern": "flew"}, {"label": "X", "pattern": "Ann"}]
    )
    assert entities(either(TEXT)) == [(0, 2, "PERSON"), (2, 3, "VERB"), (4, 6, "LOC")]


def test_ruler_after_the_component_may_overwrite(either: Language) -> None:
    ruler = either.add_pipe("entity_ruler", config={"overwrite_ents": True})
    ruler.add_patterns([{"label": "X", "pattern": "Ann"}])
    assert entities(either(TEXT)) == [(0, 1, "X"), (4, 6, "LOC")]


def test_span_ruler_that_sets_entities_wins(nlp: Language) -> None:
    config = {"spans_key": None, "annotate_ents": True}
    ruler = nlp.add_pipe("span_ruler", config=config, first=True)
    ruler.add_patterns([{"label": "NUMBER", "pattern": "York"}])
    doc = nlp(TEXT)
    assert (5, 6, "NUMBER") in entities(doc)
    assert (0, 2, "PERSON") in entities(doc)


def test_ids_of_preset_entities_are_kept(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    ours = Span(doc, 0, 2, label="PERSON", kb_id="Q1", span_id="ann")
    other = Span(doc, 3, 4, label="OTHER", kb_id="Q2", span_id="to")
    doc.set_ents([ours, other], default="missing")
    found = {ent.text: (ent.kb_id_, ent.ent_id_) for ent in nlp(doc).ents}
    assert found == {"Ann Lee": ("Q1", "ann"), "to": ("Q2", "to"), "New York": ("", "")}


def test_ids_of_patterns_are_kept(nlp: Language) -> None:
    ruler = nlp.add_pipe("entity_ruler", first=True)
    ruler.add_patterns([{"label": "PERSON", "pattern": "Ann Lee", "id": "ann"}])
    assert nlp(TEXT).ents[0].ent_id_ == "ann"


def test_preset_entities_are_not_counted_as_found(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    doc.set_ents([Span(doc, 0, 2, label="PERSON")], default="missing")
    doc = nlp(doc)
    assert [span.text for span in doc.spans["adak_ner"]] == ["New York"]
    assert len(scores(doc)) == 1


def test_preset_entity_across_sentences_is_kept(either: Language) -> None:
    words = TEXT.split()
    doc = Doc(either.vocab, words=words, sent_starts=[i in (0, 1) for i in range(7)])
    doc.set_ents([Span(doc, 0, 2, label="PERSON")], default="missing")
    assert (0, 2, "PERSON") in entities(either(doc))


def test_preset_entity_longer_than_a_segment_is_kept(nlp: Language) -> None:
    get_ner(nlp).max_segment_length = 2
    doc = nlp.make_doc(TEXT)
    doc.set_ents([Span(doc, 1, 5, label="LOC")], default="missing")
    assert (1, 5, "LOC") in entities(nlp(doc))


def test_preset_entity_may_start_with_whitespace(either: Language) -> None:
    doc = Doc(either.vocab, words=["\n", "York", "is", "big"])
    doc.set_ents([Span(doc, 0, 2, label="LOC")], default="missing")
    assert (0, 2, "LOC") in entities(either(doc))


def test_found_entities_do_not_grow_into_preset_ones(nlp: Language) -> None:
    doc = nlp.make_doc("Ann Lee Lee Lee flew")
    doc.set_ents([Span(doc, 2, 3, label="PERSON")], default="missing")
    found = entities(nlp(doc))
    assert (2, 3, "PERSON") in found


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_entity_next_to_a_preset_one_of_its_type_stays_apart(scheme: str) -> None:
    nlp = make_nlp(scheme=scheme)
    train(nlp, make_examples(nlp))
    doc = nlp.make_doc("I like Berlin London .")
    doc.set_ents([Span(doc, 2, 3, label="LOC")], default="missing")
    assert entities(nlp(doc))[0] == (2, 3, "LOC")


def test_readings_respect_preset_entities_and_blocked_tokens(nlp: Language) -> None:
    doc = nlp.make_doc(TEXT)
    doc.set_ents([Span(doc, 0, 1, label="LOC")], blocked=[doc[5:6]], default="missing")
    doc = nlp(doc)
    readings = get_ner(nlp).kbest(doc, 50)
    assert len(readings) == 50
    for reading in readings:
        assert (0, 1, "LOC") in [(s.start, s.end, s.label_) for s in reading]
        assert not any(span.start <= 5 < span.end for span in reading)


@pytest.mark.parametrize("spans_key", ["adak_ner", None])
def test_readings_are_free_of_what_the_component_set(
    nlp: Language, spans_key: str | None
) -> None:
    get_ner(nlp).spans_key = spans_key
    doc = nlp(TEXT)
    readings = {tuple(map(str, reading)) for reading in get_ner(nlp).kbest(doc, 50)}
    assert ("Ann Lee", "New York") in readings
    assert any("Ann Lee" not in reading for reading in readings)


def test_sentence_bounds_are_not_crossed(either: Language) -> None:
    words = TEXT.split()
    doc = Doc(either.vocab, words=words, sent_starts=[i in (0, 5) for i in range(7)])
    assert not any(ent.start < 5 < ent.end for ent in either(doc).ents)


def test_no_entity_starts_with_whitespace(either: Language) -> None:
    doc = Doc(either.vocab, words=["\n\n", " ", "\t"])
    assert either(doc).ents == ()


def test_two_components_share_a_span_group(nlp: Language) -> None:
    other = make_nlp()
    train(other, make_examples(other, [("Ann Lee likes York .", [(2, 3, "VERB")])]))
    other.rename_pipe("adak_ner", "verbs")
    nlp.add_pipe("verbs", source=other)
    doc = nlp("Ann Lee likes New York .")
    for _ in range(2):
        group = doc.spans["adak_ner"]
        assert [(span.text, span.label_) for span in group] == [
            ("Ann Lee", "PERSON"),
            ("likes", "VERB"),
            ("New York", "LOC"),
        ]
        assert len(group.attrs["scores"]) == 3
        assert list(group) == list(doc.ents)
        # Each finds its own again, and leaves the others where they are.
        doc = nlp(Doc(nlp.vocab).from_bytes(doc.to_bytes()))
    own = {span.text for span in own_entities(doc, "adak_ner", "verbs")}
    assert own == {"likes"}


def test_group_that_was_changed_is_replaced(nlp: Language) -> None:
    doc = nlp(TEXT)
    expected = entities(doc)
    doc.spans["adak_ner"].append(doc[0:1])
    doc = nlp(doc)
    assert entities(doc) == expected
    assert len(scores(doc)) == len(doc.spans["adak_ner"])
