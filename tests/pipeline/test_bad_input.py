"""Input that is odd or wrong: a clear error or a correct result."""

from typing import Any

import numpy
import pytest
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from thinc.api import Model

from spacy_adak.pipeline.model import get_head
from tests.made_texts import (
    entities,
    get_ner,
    make_doc,
    make_examples,
    make_nlp,
    scores,
    train,
)

TEXT = "Ann Lee flew to New York ."


def test_empty_text_has_no_entities(nlp: Language) -> None:
    doc = nlp("")
    assert doc.ents == ()
    assert len(doc.spans["adak_ner"]) == 0


@pytest.mark.parametrize("text", [" ", "\n\n\n", "\t \n"])
def test_whitespace_has_no_entities(nlp: Language, text: str) -> None:
    assert nlp(text).ents == ()


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_text_without_words_can_be_learnt_from(nlp: Language, text: str) -> None:
    losses: dict[str, float] = {}
    example = Example(nlp.make_doc(text), nlp.make_doc(text))
    nlp.update([example], losses=losses)
    assert losses["adak_ner"] == pytest.approx(0.0, abs=0.1)


def test_empty_texts_among_others_change_nothing(nlp: Language) -> None:
    docs = list(nlp.pipe(["", TEXT, "", TEXT, ""]))
    assert [entities(doc) for doc in docs[1::2]] == [entities(nlp(TEXT))] * 2
    assert not any(doc.ents for doc in docs[::2])


def test_empty_texts_among_examples_change_nothing(nlp: Language) -> None:
    ner, examples = get_ner(nlp), make_examples(nlp)
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))

    def loss(batch: list[Example]) -> float:
        scores = ner.model.predict([example.predicted for example in batch])
        return ner.get_loss(batch, scores)[0]

    assert loss([empty, *examples, empty]) == pytest.approx(loss(examples))


def test_very_long_token_is_read(nlp: Language) -> None:
    word = "x" * 3000
    doc = nlp(f"Ann Lee {word} New York")
    assert len(doc) == 5
    assert numpy.isfinite(scores(doc)).all()


def test_very_long_token_can_be_learnt_from() -> None:
    nlp = make_nlp()
    word = "x" * 3000
    train(nlp, make_examples(nlp, [(f"see {word} now", [(1, 2, "LONG")])]))
    assert entities(nlp(f"see {word} now")) == [(1, 2, "LONG")]


def test_very_long_document_is_read(nlp: Language) -> None:
    doc = nlp(" ".join([TEXT] * 400))
    assert len(doc.ents) == 800


def test_single_token_is_read(nlp: Language) -> None:
    doc = nlp("York")
    assert len(doc.ents) == len(doc.spans["adak_ner"]) <= 1
    assert doc[0].ent_iob != 0


def test_pipeline_without_labels_finds_nothing() -> None:
    nlp = make_nlp()
    with pytest.warns(UserWarning, match="W101"):
        nlp.initialize(lambda: make_examples(nlp, [("It rained", [])]))
    doc = nlp(TEXT)
    assert doc.ents == ()
    assert len(doc.spans["adak_ner"]) == 0


def test_unseen_label_is_named_with_those_known(nlp: Language) -> None:
    reference = make_doc(nlp.vocab, TEXT, [(0, 2, "ALIEN")])
    with pytest.raises(ValueError, match=r"A105.*'ALIEN'.*'Ann Lee.*LOC, PERSON"):
        nlp.update([Example(nlp.make_doc(TEXT), reference)])


def test_ruled_out_span_with_an_unseen_label_says_nothing(nlp: Language) -> None:
    get_ner(nlp).incorrect_spans_key = "wrong"
    reference = nlp.make_doc(TEXT)
    reference.spans["wrong"] = [Span(reference, 0, 2, label="ALIEN")]
    known = get_ner(nlp).read_sample(Example(nlp.make_doc(TEXT), reference)).known
    assert known.is_empty()
    nlp.update([Example(nlp.make_doc(TEXT), reference)])


@pytest.mark.parametrize("label", [1, None, ["LOC"], b"LOC"])
def test_label_that_is_no_string_is_refused(nlp: Language, label: Any) -> None:
    with pytest.raises(ValueError, match="E187"):
        get_ner(nlp).add_label(label)


@pytest.mark.parametrize("labels", [[1], [None], ["LOC", 2]])
def test_given_labels_that_are_no_strings_are_refused(labels: list[Any]) -> None:
    nlp = make_nlp()
    with pytest.raises(ValueError, match="E187"):
        get_ner(nlp).initialize(lambda: make_examples(nlp), nlp=nlp, labels=labels)


def test_empty_label_is_refused(nlp: Language) -> None:
    with pytest.raises(ValueError, match="A002"):
        get_ner(nlp).add_label("")


def break_encoder(nlp: Language, value: float) -> None:
    """Let the encoder give a bad value for the last of texts that are not too short."""
    flatten = next(n for n in get_ner(nlp).model.walk() if n.name == "flatten_tokens")
    forward = flatten._func

    def broken(model: Model, rows: list[Any], is_train: bool) -> Any:
        if sum(map(len, rows)) > 5:
            rows = [numpy.array(row) for row in rows]
            rows[-1][0, 0] = value
        return forward(model, rows, is_train)

    flatten._func = broken


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
def test_value_that_is_not_finite_is_an_error_that_names_the_text(
    nlp: Language, value: float
) -> None:
    break_encoder(nlp, value)
    with pytest.raises(ValueError, match=r"A106.*'adak_ner'.*'Ann Lee flew"):
        nlp(TEXT)


@pytest.mark.parametrize("name", ["transitions", "start", "end"])
@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_score_of_a_move_that_is_not_finite_is_an_error(
    nlp: Language, name: str, value: float
) -> None:
    doc = nlp(TEXT)
    with torch.no_grad():
        getattr(get_head(get_ner(nlp).model), name)[0].fill_(value)
    with pytest.raises(ValueError, match=r"A116.*'adak_ner'"):
        nlp(TEXT)
    with pytest.raises(ValueError, match=r"A116.*'adak_ner'"):
        nlp.update(make_examples(nlp))
    with pytest.raises(ValueError, match=r"A116.*'adak_ner'"):
        get_ner(nlp).kbest(doc, 2)


def test_message_about_a_long_entity_is_short() -> None:
    nlp = make_nlp(incorrect_spans_key="wrong")
    nlp.initialize(lambda: make_examples(nlp))
    words = [f"word{i}" for i in range(2000)]
    reference = Doc(nlp.vocab, words=words)
    entity = Span(reference, 0, 2000, label="PERSON")
    reference.set_ents([entity], default="missing")
    reference.spans["wrong"] = [entity]
    with pytest.raises(ValueError, match="A103") as error:
        nlp.update([Example(Doc(nlp.vocab, words=words), reference)])
    assert len(str(error.value)) < 500


def test_message_about_an_unknown_label_names_some_of_many() -> None:
    nlp = make_nlp()
    labels = [f"LABEL{i}" for i in range(60)]
    examples = make_examples(nlp)
    get_ner(nlp).initialize(lambda: examples, nlp=nlp, labels=labels)
    with pytest.raises(ValueError, match=r"A105.*LABEL49 and 10 others\."):
        nlp.update(examples)


def test_value_that_is_not_finite_stops_training_before_any_harm(nlp: Language) -> None:
    before = get_ner(nlp).to_bytes()
    break_encoder(nlp, numpy.nan)
    examples = make_examples(nlp)
    with pytest.raises(ValueError, match=r"A106.*'It rained"):
        nlp.update(examples, sgd=nlp.resume_training())
    assert get_ner(nlp).to_bytes() == before


def test_text_that_fails_is_dropped_by_an_error_handler(nlp: Language) -> None:
    break_encoder(nlp, numpy.nan)
    failed = []
    nlp.set_error_handler(lambda name, proc, docs, error: failed.append(docs))
    docs = list(nlp.pipe(["York", TEXT, "Ann"], batch_size=1))
    assert [doc.text for doc in docs] == ["York", "Ann"]
    assert len(failed) == 1


def test_reference_of_another_text_is_all_unknown(nlp: Language) -> None:
    """Tokens that do not align are unknown."""
    predicted = Doc(nlp.vocab, words=["Ann", "slept"])
    reference = Doc(nlp.vocab, words=["Annsl", "ept"], spaces=[False, False])
    reference.set_ents([Span(reference, 0, 1, label="PERSON")])
    losses: dict[str, float] = {}
    nlp.update([Example(predicted, reference)], losses=losses)
    assert numpy.isfinite(losses["adak_ner"])
