from pathlib import Path

import numpy
import pytest
import spacy
import torch
from thinc.api import Model, set_dropout_rate

from spacy_adak.pipeline.bilstm import (
    BiLSTM,
    build_bilstm_encoder,
    deserialize_lstm,
    serialize_lstm,
)

from .gradients import assert_gradient_is_right, randomize_head, torch_parameters
from .samples import TEXTS, get_ner, make_bilstm_nlp, make_examples, train


def random_rows(*lengths: int, width: int = 6) -> list[numpy.ndarray]:
    generator = numpy.random.default_rng(0)
    return [
        generator.normal(size=(length, width)).astype("float32") for length in lengths
    ]


@pytest.fixture
def encoder() -> Model:
    encoder = build_bilstm_encoder(width=8, depth=2)
    encoder.initialize(X=random_rows(3))
    return encoder


def test_width_of_the_output_is_known_before_any_data() -> None:
    assert build_bilstm_encoder(width=8, depth=1).get_dim("nO") == 8


@pytest.mark.parametrize("width", [0, 1, 7, -2])
def test_width_that_can_not_be_halved_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"A130.*{width}"):
        build_bilstm_encoder(width=width, depth=1)


def test_text_is_encoded_the_same_alone_and_in_a_batch(encoder: Model) -> None:
    rows = random_rows(5, 0, 1, 9)
    batched = encoder.predict(rows)
    for one, encoded in zip(rows, batched, strict=True):
        assert encoded.shape == (len(one), 8)
        (alone,) = encoder.predict([one])
        numpy.testing.assert_allclose(encoded, alone, atol=1e-6)


def test_batch_without_any_token_is_encoded(encoder: Model) -> None:
    rows = random_rows(0, 0)
    encoded, backprop = encoder.begin_update(rows)
    assert [one.shape for one in encoded] == [(0, 8), (0, 8)]
    assert [one.shape for one in backprop(encoded)] == [(0, 6), (0, 6)]


def test_gradient_of_the_input_is_right(encoder: Model) -> None:
    rows = random_rows(4, 0, 2)
    directions = random_rows(4, 0, 2, width=8)
    set_dropout_rate(encoder, 0.0)

    def value(rows: list[numpy.ndarray]) -> float:
        encoded = encoder.predict(rows)
        return float(
            sum((e * d).sum() for e, d in zip(encoded, directions, strict=True))
        )

    _, backprop = encoder.begin_update(rows)
    gradients = backprop(directions)
    steps = [0.001 * numpy.sign(gradient) for gradient in gradients]
    ahead = value([row + step for row, step in zip(rows, steps, strict=True)])
    behind = value([row - step for row, step in zip(rows, steps, strict=True)])
    expected = sum((g * s).sum() for g, s in zip(gradients, steps, strict=True))
    assert ahead - behind == pytest.approx(2 * expected, rel=0.01)


def test_gradient_of_the_weights_is_right() -> None:
    nlp = make_bilstm_nlp()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    encoder = get_ner(nlp).model.get_ref("tok2vec")
    assert_gradient_is_right(nlp, examples, lambda: torch_parameters(encoder))


def test_pipeline_with_it_learns_and_is_the_same_after_loading(tmp_path: Path) -> None:
    nlp = make_bilstm_nlp()
    train(nlp, make_examples(nlp), steps=60)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, entities in TEXTS:
        doc = nlp(text)
        found = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
        assert found == entities
        assert loaded(text).to_json() == doc.to_json()


def test_dropout_reaches_it(encoder: Model) -> None:
    set_dropout_rate(encoder, 0.5)
    rows = random_rows(4)
    dropped, _ = encoder.begin_update(rows)
    assert not numpy.allclose(dropped[0], encoder.predict(rows)[0])


def test_weights_of_another_shape_are_refused() -> None:
    data = serialize_lstm(BiLSTM(4, 6, depth=1))
    with pytest.raises(ValueError, match="A131"):
        deserialize_lstm(BiLSTM(1, 8, depth=1), data, torch.device("cpu"))


def test_damaged_weights_are_refused() -> None:
    data = serialize_lstm(BiLSTM(4, 6, depth=1))
    with pytest.raises(ValueError, match="A131"):
        deserialize_lstm(BiLSTM(1, 6, depth=1), data[:-4], torch.device("cpu"))
