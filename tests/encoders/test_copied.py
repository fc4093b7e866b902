from pathlib import Path

import pytest
import spacy
import torch
from spacy.language import Language

from spacy_adak.encoders.copied import copy_encoders
from spacy_adak.encoders.frozen import frozen_encoders
from spacy_adak.pipeline.model import get_head
from tests.made_texts import SMALL_ENCODER, get_ner, make_examples, make_nlp, train
from tests.pipeline.test_transformers import shared_transformer

TEXT = "Ann Lee flew to New York ."


def listening_nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": SMALL_ENCODER})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": listener}
    nlp.add_pipe("adak_ner", config={"model": model})
    return nlp


def initialized(nlp: Language) -> Language:
    spacy.util.fix_random_seed(1)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def rows(nlp: Language) -> list[list[float]]:
    name = "tok2vec" if "tok2vec" in nlp.pipe_names else "adak_ner"
    model = nlp.get_pipe(name).model
    encoder = model if name == "tok2vec" else model.get_ref("tok2vec")
    return encoder.predict([nlp.make_doc(TEXT)])[0].tolist()


@pytest.mark.parametrize("make", [make_nlp, listening_nlp])
def test_encoder_is_copied_and_the_head_is_new(make: type[Language]) -> None:
    source, target = make(), initialized(make())
    train(source, make_examples(source), steps=3)
    assert rows(target) != rows(source)
    copy_encoders(source, target)
    assert rows(target) == rows(source)
    head = get_head(get_ner(target).model)
    assert not any(weights.any() for weights in head.parameters())


def test_transformer_is_copied_without_its_settings(tiny_bert: Path) -> None:
    config = {"gradient_checkpointing": True}
    source = initialized(shared_transformer(tiny_bert))
    target = initialized(shared_transformer(tiny_bert, transformer_config=config))
    train(source, make_examples(source), steps=2)
    copy_encoders(source, target)
    learnt, new = (nlp.get_pipe("transformer").model for nlp in (source, target))
    weights = new.transformer.state_dict()
    for key, value in learnt.transformer.state_dict().items():
        assert torch.equal(weights[key], value)
    assert new.transformer.is_gradient_checkpointing


def test_frozen_encoder_stays_where_it_is(tmp_path: Path) -> None:
    frozen = {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": SMALL_ENCODER,
        "shared": str(tmp_path / "shared"),
    }

    def make() -> Language:
        model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": frozen}
        nlp = spacy.blank("en")
        nlp.add_pipe("adak_ner", config={"model": model})
        return initialized(nlp)

    source, target = make(), make()
    (encoder,) = frozen_encoders(target)
    encoder.leave_out_shared()
    before = encoder.to_bytes()
    copy_encoders(source, target)
    assert encoder.to_bytes() == before
    assert rows(target) == rows(source)
