import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy
import pytest
import spacy
import torch
from spacy.language import Language
from thinc.api import Model, set_dropout_rate

from spacy_adak.encoders.bilstm import BiLSTM, build_bilstm_encoder
from spacy_adak.encoders.torch_encoder import (
    deserialize_network,
    serialize_network,
)
from spacy_adak.encoders.window_cnn import build_window_cnn_encoder
from tests.made_texts import (
    TEXTS,
    get_ner,
    make_bilstm_nlp,
    make_examples,
    make_window_cnn_nlp,
    train,
)
from tests.pipeline.gradients import (
    assert_gradient_is_right,
    randomize_head,
    torch_parameters,
)

WIDTH = 8
pipelines = pytest.mark.parametrize("make", [make_bilstm_nlp, make_window_cnn_nlp])


def random_rows(*lengths: int, width: int = 6) -> list[numpy.ndarray]:
    generator = numpy.random.default_rng(0)
    return [
        generator.normal(size=(length, width)).astype("float32") for length in lengths
    ]


@pytest.fixture(
    params=[
        partial(build_bilstm_encoder, width=WIDTH, depth=2),
        partial(build_window_cnn_encoder, width=WIDTH, depth=2, window_size=2),
    ],
    ids=["bilstm", "window_cnn"],
)
def build(request: pytest.FixtureRequest) -> Callable[[], Model]:
    return request.param


@pytest.fixture
def encoder(build: Callable[[], Model]) -> Model:
    encoder = build()
    encoder.initialize(X=random_rows(3))
    return encoder


def test_width_of_the_output_is_known_before_any_data(
    build: Callable[[], Model],
) -> None:
    assert build().get_dim("nO") == WIDTH


def test_text_is_encoded_the_same_alone_and_in_a_batch(encoder: Model) -> None:
    rows = random_rows(5, 0, 1, 9)
    batched = encoder.predict(rows)
    for one, encoded in zip(rows, batched, strict=True):
        assert encoded.shape == (len(one), WIDTH)
        (alone,) = encoder.predict([one])
        atol = {"bilstm": 1e-6, "window_cnn": 1e-5}[encoder.name]
        numpy.testing.assert_allclose(encoded, alone, atol=atol)


def test_batch_without_any_token_is_encoded(encoder: Model) -> None:
    rows = random_rows(0, 0)
    encoded, backprop = encoder.begin_update(rows)
    assert [one.shape for one in encoded] == [(0, WIDTH), (0, WIDTH)]
    assert [one.shape for one in backprop(encoded)] == [(0, 6), (0, 6)]


def test_gradient_of_the_input_is_right(encoder: Model) -> None:
    rows = random_rows(4, 0, 2)
    directions = random_rows(4, 0, 2, width=WIDTH)
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


@pipelines
def test_gradient_of_the_weights_is_right(make: Callable[[], Language]) -> None:
    nlp = make()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    encoder = get_ner(nlp).model.get_ref("tok2vec")
    assert_gradient_is_right(nlp, examples, lambda: torch_parameters(encoder))


@pipelines
def test_pipeline_with_it_learns_and_is_the_same_after_loading(
    make: Callable[[], Language], tmp_path: Path
) -> None:
    nlp = make()
    train(nlp, make_examples(nlp), steps=60)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, entities in TEXTS:
        doc = nlp(text)
        found = [(ent.start, ent.end, ent.label_) for ent in doc.ents]
        assert found == entities
        assert loaded(text).to_json() == doc.to_json()


def test_dropout_reaches_it_in_training_only(encoder: Model) -> None:
    rows = random_rows(4)
    before = encoder.predict(rows)[0]
    set_dropout_rate(encoder, 0.5)
    dropped, _ = encoder.begin_update(rows)
    assert not numpy.allclose(dropped[0], before)
    numpy.testing.assert_array_equal(encoder.predict(rows)[0], before)


@pipelines
def test_pipeline_with_it_can_be_pickled(make: Callable[[], Language]) -> None:
    nlp = make()
    train(nlp, make_examples(nlp), steps=5)
    copy = pickle.loads(pickle.dumps(get_ner(nlp)))
    for text, _ in TEXTS:
        doc = nlp.make_doc(text)
        assert copy.predict([doc]) == get_ner(nlp).predict([doc])


def test_copy_of_a_model_is_trained_on_its_own(encoder: Model) -> None:
    rows = random_rows(4)
    before = encoder.predict(rows)[0]
    copy = encoder.copy()
    numpy.testing.assert_array_equal(copy.predict(rows)[0], before)
    copy.initialize(X=rows)
    assert not numpy.allclose(copy.predict(rows)[0], before)
    numpy.testing.assert_array_equal(encoder.predict(rows)[0], before)


def test_weights_of_another_shape_are_refused() -> None:
    data = serialize_network(BiLSTM(4, 6, depth=1))
    build = partial(BiLSTM, width=8, depth=1)
    with pytest.raises(ValueError, match="A131"):
        deserialize_network(build, build(1), data, torch.device("cpu"))


def test_damaged_weights_are_refused() -> None:
    data = serialize_network(BiLSTM(4, 6, depth=1))
    build = partial(BiLSTM, width=6, depth=1)
    with pytest.raises(ValueError, match="A131"):
        deserialize_network(build, build(1), data[:-4], torch.device("cpu"))
