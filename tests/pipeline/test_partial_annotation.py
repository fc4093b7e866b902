"""Learning from annotations with gaps, and from what is known to be wrong."""

import random

import pytest
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from tests.losses import make_loss
from tests.made_texts import entities, get_ner, make_doc, make_examples, make_nlp, train

TEXT = "Ann Lee flew to New York ."


def update(nlp: Language, examples: list[Example], steps: int = 30) -> None:
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.01
    for _ in range(steps):
        nlp.update(examples, sgd=optimizer)


def incomplete_corpus(nlp: Language) -> tuple[list[Example], list[Example]]:
    """Texts with one town and one name, of which one half is annotated, and texts to
    evaluate on."""
    towns = ["Paris", "Berlin", "London", "Madrid", "Rome", "Oslo", "Vienna", "Lisbon"]
    names = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"]
    randomness = random.Random(0)
    train_examples, dev_examples = [], []
    for i in range(64):
        name, town = randomness.choice(names), randomness.choice(towns)
        text = f"{name} went from here to {town} ."
        both = [(0, 1, "PERSON"), (5, 6, "LOC")]
        if i < 48:
            known = [span for span in both if randomness.random() < 0.5]
            reference = make_doc(nlp.vocab, text, known, default="missing")
            train_examples.append(Example(nlp.make_doc(text), reference))
        else:
            reference = make_doc(nlp.vocab, text, both)
            dev_examples.append(Example(nlp.make_doc(text), reference))
    return train_examples, dev_examples


def evaluate(loss: str, **settings: float) -> dict[str, float]:
    nlp = make_nlp(loss=loss, **settings)
    train_examples, dev_examples = incomplete_corpus(nlp)
    train(nlp, train_examples, steps=40)
    return nlp.evaluate(dev_examples)


def test_fuzzy_loss_finds_what_was_not_annotated() -> None:
    assert evaluate("fuzzy")["ents_r"] > 0.9


def test_ratio_loss_finds_what_was_not_annotated_and_little_else() -> None:
    found = evaluate("ratio", target=2 / 7)
    assert found["ents_r"] > 0.9
    assert found["ents_p"] > 0.9 > 0.5 > evaluate("fuzzy")["ents_p"]


def test_missing_loss_finds_what_was_not_annotated_and_little_else() -> None:
    """With so few texts some names are hardly ever annotated, so that less is expected
    of the annotators than they did on the whole."""
    found = evaluate("missing", annotation_recall=0.25)
    assert found["ents_r"] > 0.9
    assert found["ents_p"] > 0.9 > 0.5 > evaluate("fuzzy")["ents_p"]


def test_missing_loss_beats_its_limits() -> None:
    found = evaluate("missing", annotation_recall=0.5)["ents_f"]
    assert found > evaluate("fuzzy")["ents_f"] + 0.2
    assert found > evaluate("crf")["ents_f"] + 0.2


@pytest.mark.parametrize("loss", ["adak", "fuzzy", "crf"])
def test_missing_is_read_as_outside_by_the_crf_loss_alone(loss: str) -> None:
    nlp = make_nlp(loss=loss)
    losses = {}
    for default in ("missing", "outside"):
        reference = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON")], default=default)
        example = Example(nlp.make_doc(TEXT), reference)
        nlp.initialize(lambda example=example: [example])
        scores = get_ner(nlp).model.predict([example.predicted])
        losses[default], _ = get_ner(nlp).get_loss([example], scores)
    if loss == "crf":
        assert losses["missing"] == losses["outside"]
    else:
        assert losses["missing"] < losses["outside"]


def test_adak_does_not_unlearn_what_is_merely_not_annotated(nlp: Language) -> None:
    """With all weight on its best paths, gaps in the annotation teach nothing new."""
    get_ner(nlp).loss = make_loss("adak", gamma=0.0)
    reference = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON")], default="missing")
    update(nlp, [Example(nlp.make_doc(TEXT), reference)])
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON"), (4, 6, "LOC")]


def test_stated_outside_is_learnt(nlp: Language) -> None:
    get_ner(nlp).loss = make_loss("adak", gamma=0.0)
    reference = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON")], default="outside")
    update(nlp, [Example(nlp.make_doc(TEXT), reference)])
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON")]


def test_text_without_any_annotation_teaches_what_the_model_believes(
    nlp: Language,
) -> None:
    unknown = Example(nlp.make_doc(TEXT), nlp.make_doc(TEXT))
    update(nlp, [unknown])
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON"), (4, 6, "LOC")]


def test_unknown_text_with_whitespace_teaches_what_the_model_believes(
    nlp: Language,
) -> None:
    text = "Ann Lee flew to New York . \n\n"
    update(nlp, [Example(nlp.make_doc(text), nlp.make_doc(text))])
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON"), (4, 6, "LOC")]


@pytest.mark.parametrize("loss", ["adak", "missing", "fuzzy", "crf"])
def test_unknown_texts_do_not_break_a_batch(loss: str) -> None:
    nlp = make_nlp(loss=loss)
    examples = make_examples(nlp)
    examples += [
        Example(nlp.make_doc(text), nlp.make_doc(text))
        for text in ["", "We do not know .", "\n\n"]
    ]
    losses = train(nlp, examples)
    assert losses["adak_ner"] < 5.0
    assert entities(nlp(TEXT)) == [(0, 2, "PERSON"), (4, 6, "LOC")]


def test_blocked_tokens_of_the_reference_are_unknown() -> None:
    nlp = make_nlp(loss="fuzzy")
    doc = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON")])
    doc.set_ents([], blocked=[doc[4:6]], default="unmodified")
    example = Example(nlp.make_doc(TEXT), doc)
    train(nlp, [example], steps=2)
    assert get_ner(nlp).read_sample(example).known.unknown()[4:6].all()


@pytest.mark.parametrize("loss", ["adak", "missing", "fuzzy", "crf"])
@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_span_that_is_ruled_out_is_unlearnt(loss: str, scheme: str) -> None:
    nlp = make_nlp(loss=loss, scheme=scheme, incorrect_spans_key="wrong")
    train(nlp, make_examples(nlp))
    assert (4, 6, "LOC") in entities(nlp(TEXT))
    reference = nlp.make_doc(TEXT)
    reference.spans["wrong"] = [Span(reference, 4, 6, label="LOC")]
    update(nlp, [Example(nlp.make_doc(TEXT), reference)])
    assert (4, 6, "LOC") not in entities(nlp(TEXT))


def test_span_that_is_ruled_out_is_ignored_without_its_key(nlp: Language) -> None:
    reference = nlp.make_doc(TEXT)
    reference.spans["wrong"] = [Span(reference, 4, 6, label="LOC")]
    update(nlp, [Example(nlp.make_doc(TEXT), reference)])
    assert (4, 6, "LOC") in entities(nlp(TEXT))


def test_other_label_may_be_learnt_where_one_is_ruled_out() -> None:
    nlp = make_nlp(incorrect_spans_key="wrong", loss="fuzzy")
    reference = make_doc(nlp.vocab, TEXT, [(0, 2, "PERSON"), (4, 6, "LOC")])
    reference.spans["wrong"] = [Span(reference, 4, 6, label="PERSON")]
    train(nlp, [Example(nlp.make_doc(TEXT), reference)])
    assert (4, 6, "LOC") in entities(nlp(TEXT))


def test_ruled_out_spans_may_overlap() -> None:
    nlp = make_nlp(incorrect_spans_key="wrong")
    train(nlp, make_examples(nlp))
    reference = nlp.make_doc(TEXT)
    reference.spans["wrong"] = [
        Span(reference, start, end, label="LOC")
        for start, end in [(4, 6), (4, 5), (5, 6), (3, 6)]
    ]
    update(nlp, [Example(nlp.make_doc(TEXT), reference)])
    wrong = {(s.start, s.end) for s in reference.spans["wrong"]}
    found = {(s, e) for s, e, label in entities(nlp(TEXT)) if label == "LOC"}
    assert not wrong & found


def test_ruled_out_and_annotated_at_once_is_an_error(nlp: Language) -> None:
    get_ner(nlp).incorrect_spans_key = "wrong"
    reference = make_doc(nlp.vocab, TEXT, [(4, 6, "LOC")])
    reference.spans["wrong"] = [Span(reference, 4, 6, label="LOC")]
    with pytest.raises(ValueError, match="A103"):
        nlp.update([Example(nlp.make_doc(TEXT), reference)])


def test_empty_group_of_ruled_out_spans_is_fine(nlp: Language) -> None:
    get_ner(nlp).incorrect_spans_key = "wrong"
    reference = make_doc(nlp.vocab, TEXT, [(4, 6, "LOC")])
    example = Example(nlp.make_doc(TEXT), reference)
    without = nlp.update([example], sgd=False)
    reference.spans["wrong"] = []
    assert nlp.update([example], sgd=False) == without


def test_annotated_entity_is_learnt_across_sentence_bounds() -> None:
    """A wrong sentence bound within an annotated entity does not cut it."""
    nlp = make_nlp()
    starts = [i in (0, 5) for i in range(7)]
    predicted = Doc(nlp.vocab, words=TEXT.split(), sent_starts=starts)
    reference = make_doc(nlp.vocab, TEXT, [(4, 6, "LOC")])
    train(nlp, [Example(predicted, reference)])
    assert entities(nlp(TEXT)) == [(4, 6, "LOC")]


def test_annotated_entity_longer_than_a_segment_is_learnt() -> None:
    nlp = make_nlp(max_segment_length=3)
    text = "see The Long Way Home now"
    train(nlp, make_examples(nlp, [(text, [(1, 5, "WORK")])]))
    get_ner(nlp).max_segment_length = 10
    assert entities(nlp(text)) == [(1, 5, "WORK")]


def test_whitespace_is_learnt_as_outside() -> None:
    nlp = make_nlp()
    words = ["Ann", "\n\n", "slept"]
    reference = Doc(nlp.vocab, words=words)
    reference.set_ents([Span(reference, 0, 1, label="PERSON")], default="missing")
    train(nlp, [Example(Doc(nlp.vocab, words=words), reference)])
    doc = nlp(Doc(nlp.vocab, words=words))
    assert doc[1].ent_type_ == ""
