import numpy
import pytest
import torch
from spacy.language import Language
from spacy.training import Example
from thinc.api import set_dropout_rate

from spacy_adak.crf.tags import TagSet
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.model import get_head, predict_scores, set_tags
from tests.made_texts import TEXTS, get_ner, make_examples, make_nlp

from .gradients import assert_gradient_is_right, randomize_head, thinc_parameters


@pytest.fixture
def nlp() -> Language:
    nlp = make_nlp()
    nlp.initialize(lambda: make_examples(nlp))
    randomize_head(get_ner(nlp))
    return nlp


@pytest.fixture
def examples(nlp: Language) -> list[Example]:
    return make_examples(nlp)


@pytest.mark.parametrize("loss", ["adak", "fuzzy", "crf"])
def test_gradient_of_the_encoder_is_right(loss: str) -> None:
    nlp = make_nlp(loss=loss)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    encoder = get_ner(nlp).model.get_ref("tok2vec")
    assert_gradient_is_right(nlp, examples, lambda: thinc_parameters(encoder))


def test_gradient_of_the_head_is_right(nlp: Language, examples: list[Example]) -> None:
    head = get_head(get_ner(nlp).model)
    legal = [head.weight, head.bias]

    def parameters() -> list[tuple[numpy.ndarray, numpy.ndarray]]:
        return [(p.data.numpy(), p.grad.numpy()) for p in legal if p.grad is not None]

    assert_gradient_is_right(nlp, examples, parameters)


def test_document_without_tokens_has_no_rows(nlp: Language) -> None:
    model = get_ner(nlp).model
    docs = [nlp.make_doc(text) for text in ["", "Ann", "", "in York", ""]]
    scores, backprop = model.begin_update(docs)
    assert scores.emissions.shape == (3, 9)
    backprop(TagScores(*(torch.ones_like(score) for score in scores)))
    alone = model.predict([docs[3]])
    torch.testing.assert_close(scores.emissions[1:], alone.emissions)


def emissions(nlp: Language, drop: float) -> torch.Tensor:
    model = get_ner(nlp).model
    set_dropout_rate(model, drop)
    return model.begin_update([nlp.make_doc("Ann Lee flew to York")])[0].emissions


def test_without_dropout_training_sees_what_prediction_sees(nlp: Language) -> None:
    predicted = get_ner(nlp).model.predict([nlp.make_doc("Ann Lee flew to York")])
    assert torch.equal(emissions(nlp, 0.0), predicted.emissions)


def test_dropout_changes_what_training_sees(nlp: Language) -> None:
    assert not torch.equal(emissions(nlp, 0.5), emissions(nlp, 0.5))


def test_dropout_does_not_change_predictions(nlp: Language) -> None:
    docs = [nlp.make_doc("Ann Lee flew to York")]
    model = get_ner(nlp).model
    set_dropout_rate(model, 0.5)
    assert torch.equal(model.predict(docs).emissions, model.predict(docs).emissions)


def test_update_obeys_its_dropout(nlp: Language, examples: list[Example]) -> None:
    def loss(drop: float) -> float:
        losses: dict[str, float] = {}
        nlp.update(examples, drop=drop, sgd=False, losses=losses)
        return losses["adak_ner"]

    assert loss(0.0) == loss(0.0)
    assert loss(0.0) != loss(0.5)


def test_initializing_starts_from_scratch(nlp: Language) -> None:
    nlp.initialize(lambda: make_examples(nlp))
    head = get_head(get_ner(nlp).model)
    assert not any(parameter.any() for parameter in head.parameters())


def test_new_tags_keep_the_weights_of_old_ones(nlp: Language) -> None:
    model = get_ner(nlp).model
    old = get_head(model)
    set_tags(model, TagSet(["LOC", "NEW", "PERSON"]))
    new = get_head(model)
    for tag in old.tagset.tags:
        row = old.weight[old.tagset.index[tag]]
        assert torch.equal(new.weight[new.tagset.index[tag]], row)


def test_copy_of_a_model_has_weights_of_its_own(nlp: Language) -> None:
    model = get_ner(nlp).model
    copy = model.copy()
    get_head(model).weight.data.zero_()
    assert get_head(copy).weight.any()


@pytest.mark.parametrize("tokens", [1, 8, 10_000])
def test_scores_are_the_same_in_chunks_of_any_size(
    nlp: Language, monkeypatch: pytest.MonkeyPatch, tokens: int
) -> None:
    ner = get_ner(nlp)
    docs = [nlp.make_doc(text) for text in ["", *(text for text, _ in TEXTS), ""]]
    monkeypatch.setattr("spacy_adak.pipeline.model._TOKENS_PER_CHUNK", tokens)
    scores = predict_scores(ner.model, docs)
    torch.testing.assert_close(scores, ner.model.predict(docs))
