"""Rows of a frozen transformer of spacy-curated-transformers."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from transformers import AutoModel, AutoTokenizer

from spacy_adak.encoders.curated import is_curated, set_loaders
from spacy_adak.encoders.token_rows import Layers, TokenEncoder
from tests.made_texts import (
    SMALL_ENCODER,
    TEXTS,
    entities,
    make_examples,
    scores,
    train,
)
from tests.made_transformers import LISTENER, curated_model, loaders

pytestmark = pytest.mark.usefixtures("no_network")

TEXT = "Ann Lee flew to New York ."


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en")


def make(path: Path, layers: Layers | None = None) -> TokenEncoder:
    # Resolved one after the other: the first brings the registry of the second.
    model = registry.resolve({"model": curated_model(path)})["model"]
    set_loaders(model, **registry.resolve(loaders(path)))
    encoder = TokenEncoder(model, layers)
    encoder.initialize([Doc(spacy.blank("en").vocab, words=["khan"])])
    return encoder


def hidden_states(path: Path, text: str) -> list[numpy.ndarray]:
    """What the transformer itself says of the pieces, layer by layer."""
    pieces = AutoTokenizer.from_pretrained(path)(text, return_tensors="pt")
    with torch.no_grad():
        model = AutoModel.from_pretrained(path).eval()
        output = model(**pieces, output_hidden_states=True)
    return [state[0].numpy() for state in output.hidden_states]


# "shaka" and "khan" are words of the vocabulary, "zoe" is three pieces.
PIECES = {"khan": [1], "zoe": [2, 3, 4], "shaka": [5]}


@pytest.mark.parametrize(("layers", "averaged"), [(None, [2]), ([0, -1], [0, 2])])
def test_rows_are_those_of_the_transformer(
    nlp: Language, tiny_bert: Path, layers: Layers | None, averaged: list[int]
) -> None:
    encoder = make(tiny_bert, layers)
    (rows,) = encoder.encode([Doc(nlp.vocab, words=list(PIECES))])
    states = hidden_states(tiny_bert, " ".join(PIECES))
    mean = sum(states[number] for number in averaged) / len(averaged)
    expected = [mean[pieces].mean(0) for pieces in PIECES.values()]
    assert rows.dtype == "float16"
    numpy.testing.assert_allclose(rows, expected, atol=2e-3)


def test_tokens_without_pieces_have_rows_of_zeros(
    nlp: Language, tiny_bert: Path
) -> None:
    encoder = make(tiny_bert)
    docs = [Doc(nlp.vocab, words=words) for words in (["khan", "\n"], ["\n"])]
    some, none = encoder.encode(docs)
    assert some[0].any()
    assert not some[1].any()
    assert none.shape == (1, 32)
    assert not none.any()


def test_rows_do_not_depend_on_other_texts(nlp: Language, tiny_bert: Path) -> None:
    encoder = make(tiny_bert)
    docs = [nlp.make_doc(text) for text, _ in TEXTS]
    together = list(encoder.encode(docs))
    for doc, rows in zip(docs, together, strict=True):
        (alone,) = encoder.encode([doc])
        numpy.testing.assert_array_equal(alone, rows)


def test_layers_that_it_does_not_have(nlp: Language, tiny_bert: Path) -> None:
    encoder = make(tiny_bert, layers=[3])
    with pytest.raises(ValueError, match=r"A123.*-3 to 2"):
        list(encoder.encode([nlp.make_doc("khan")]))


def test_listener_is_no_encoder() -> None:
    listener = registry.resolve({"model": LISTENER})["model"]
    with pytest.raises(ValueError, match="A121"):
        TokenEncoder(listener, None)


def test_loader_of_another_encoder_is_refused(tiny_bert: Path) -> None:
    registry.resolve({"model": curated_model(tiny_bert)})
    model = registry.resolve({"model": SMALL_ENCODER})["model"]
    assert not is_curated(model)
    with pytest.raises(ValueError, match=r"A136.*'encoder_loader'"):
        set_loaders(model, **registry.resolve(loaders(tiny_bert)))


def frozen_nlp(path: Path, **settings: Any) -> Language:
    frozen = {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": curated_model(path),
        "layers": "middle",
        **loaders(path),
        **settings,
    }
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": frozen}
    nlp.add_pipe("adak_ner", config={"model": model})
    return nlp


def test_component_learns_over_it_and_survives_the_disk(
    tiny_bert: Path, tmp_path: Path
) -> None:
    nlp = frozen_nlp(tiny_bert)
    train(nlp, make_examples(nlp), steps=60)
    found = nlp(TEXT)
    assert entities(found) == [(0, 2, "PERSON"), (4, 6, "LOC")]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert scores(loaded(TEXT)) == pytest.approx(scores(found))
