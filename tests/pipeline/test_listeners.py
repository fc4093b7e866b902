"""The component over an encoder that it shares with others."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

from tests.made_texts import (
    SMALL_ENCODER,
    TEXTS,
    entities,
    get_ner,
    make_examples,
    scores,
    train,
)

from .gradients import assert_gradient_is_right, randomize_head, thinc_parameters

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]
LISTENER = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}


def make_listening_nlp(**settings: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": SMALL_ENCODER})
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": LISTENER}
    nlp.add_pipe("adak_ner", config={"model": model, **settings})
    return nlp


@pytest.fixture(scope="module")
def trained_bytes() -> bytes:
    nlp = make_listening_nlp()
    train(nlp, make_examples(nlp))
    return nlp.to_bytes()


@pytest.fixture
def nlp(trained_bytes: bytes) -> Language:
    return make_listening_nlp().from_bytes(trained_bytes)


def encoder_bytes(nlp: Language) -> bytes:
    return nlp.get_pipe("tok2vec").model.to_bytes()


def test_shared_encoder_is_learnt_through(nlp: Language) -> None:
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


def test_gradient_of_a_shared_encoder_is_right() -> None:
    nlp = make_listening_nlp()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    encoder = nlp.get_pipe("tok2vec").model
    assert_gradient_is_right(nlp, examples, lambda: thinc_parameters(encoder))


def test_shared_encoder_learns_from_all_of_its_listeners() -> None:
    """The last listener sends the gradients of all of them."""
    nlp = make_listening_nlp()
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
    nlp.add_pipe("tagger", before="adak_ner", config={"model": tagger})
    examples = make_examples(nlp)
    for example in examples:
        for token in example.reference:
            token.tag_ = "N" if token.text[0].isupper() else "X"
    train(nlp, examples)
    doc = nlp(TEXT)
    assert entities(doc) == FOUND
    assert [token.tag_ for token in doc] == ["N", "N", "X", "X", "N", "N", "X"]


def test_batch_without_anything_to_learn_still_reaches_the_encoder() -> None:
    """Otherwise the other listeners' gradients would be lost."""
    nlp = make_listening_nlp()
    tagger = {"@architectures": "spacy.Tagger.v2", "tok2vec": LISTENER}
    nlp.add_pipe("tagger", before="adak_ner", config={"model": tagger})
    example = Example(nlp.make_doc("Ann slept"), nlp.make_doc("Ann slept"))
    for token in example.reference:
        token.tag_ = token.text
    get_ner(nlp).add_label("LOC")
    optimizer = nlp.initialize(lambda: [example])
    nlp.update([example], sgd=optimizer)
    before = encoder_bytes(nlp)
    nlp.update([example], sgd=optimizer)
    assert encoder_bytes(nlp) != before


def test_empty_texts_among_others_are_fine(nlp: Language) -> None:
    docs = list(nlp.pipe(["", TEXT, ""]))
    assert [entities(doc) for doc in docs] == [[], FOUND, []]
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    losses: dict[str, float] = {}
    nlp.update([empty, *make_examples(nlp), empty], losses=losses)
    assert losses["adak_ner"] < 1.0


def test_frozen_encoder_stays_as_it_is(nlp: Language) -> None:
    before = encoder_bytes(nlp)
    nlp.update(
        make_examples(nlp),
        sgd=nlp.resume_training(),
        exclude=["tok2vec"],
        annotates=["tok2vec"],
    )
    assert encoder_bytes(nlp) == before


def test_frozen_component_stays_as_it_is(nlp: Language) -> None:
    before = get_ner(nlp).to_bytes()
    nlp.update(make_examples(nlp), sgd=nlp.resume_training(), exclude=["adak_ner"])
    assert get_ner(nlp).to_bytes() == before


def test_replaced_listener_gives_the_same_results(nlp: Language) -> None:
    before = [nlp(text) for text, _ in TEXTS]
    nlp.replace_listeners("tok2vec", "adak_ner", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    for old in before:
        new = nlp(old.text)
        assert entities(new) == entities(old)
        numpy.testing.assert_allclose(scores(new), scores(old), atol=1e-6)


def test_component_with_a_replaced_listener_can_be_saved_and_trained(
    nlp: Language, tmp_path: Path
) -> None:
    nlp.replace_listeners("tok2vec", "adak_ner", ["model.tok2vec"])
    nlp.remove_pipe("tok2vec")
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert entities(loaded(TEXT)) == FOUND
    losses: dict[str, float] = {}
    loaded.update(make_examples(loaded), sgd=loaded.resume_training(), losses=losses)
    assert losses["adak_ner"] < 0.1


def test_sourced_component_can_bring_its_encoder(nlp: Language) -> None:
    nlp.replace_listeners("tok2vec", "adak_ner", ["model.tok2vec"])
    other = spacy.blank("en")
    other.add_pipe("adak_ner", source=nlp)
    assert entities(other(TEXT)) == FOUND


def test_pipeline_survives_the_disk(nlp: Language, tmp_path: Path) -> None:
    nlp.to_disk(tmp_path)
    assert entities(spacy.load(tmp_path)(TEXT)) == FOUND


def test_annotating_component_over_a_shared_encoder_is_trained() -> None:
    """One update predicts in between; the encoder must learn all the same."""
    nlp = make_listening_nlp()
    examples = make_examples(nlp)
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    before = encoder_bytes(nlp)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer, annotates=["tok2vec", "adak_ner"])
    assert encoder_bytes(nlp) != before
    assert entities(nlp(TEXT)) == FOUND


def test_readings_are_found_through_a_shared_encoder(nlp: Language) -> None:
    doc = nlp(TEXT)
    first, *_ = get_ner(nlp).kbest(doc, 2)
    assert list(first) == list(doc.ents)


def test_sentence_bounds_of_an_annotating_component_are_used() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("adak_ner")
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    seen = []
    ner = get_ner(nlp)
    get_loss = ner.get_loss

    def look(examples: list[Example], scores: Any) -> Any:
        seen.extend(
            example.predicted.has_annotation("SENT_START") for example in examples
        )
        return get_loss(examples, scores)

    ner.get_loss = look
    nlp.update(examples, sgd=optimizer, annotates=["sentencizer"])
    assert seen == [True] * len(examples)


def test_documents_are_read_in_chunks_of_any_size(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_adak.pipeline.model._TOKENS_PER_CHUNK", 8)
    docs = list(nlp.pipe([text for text, _ in TEXTS]))
    assert [entities(doc) for doc in docs] == [found for _, found in TEXTS]
