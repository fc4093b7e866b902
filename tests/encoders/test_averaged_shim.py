from collections.abc import Callable

import numpy
import pytest
from spacy.language import Language
from thinc.api import Adam

from spacy_adak.encoders.averaged_shim import keeps_averages
from tests.made_texts import (
    get_ner,
    make_bilstm_nlp,
    make_examples,
    make_nlp,
    make_window_cnn_nlp,
)
from tests.pipeline.gradients import torch_parameters


def weights_of(nlp: Language) -> list[numpy.ndarray]:
    return [value.copy() for value, _ in torch_parameters(get_ner(nlp).model)]


small_networks = pytest.mark.parametrize(
    "make", [make_nlp, make_bilstm_nlp, make_window_cnn_nlp]
)


@small_networks
def test_weights_are_averages_for_a_while(make: Callable[[], Language]) -> None:
    nlp = make()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    sgd = Adam(0.01, use_averages=True)
    expected: list[numpy.ndarray] = []
    for step in range(1, 6):
        nlp.update(examples, sgd=sgd)
        # As Thinc averages the weights of its own layers.
        decay = (1 + step) / (10 + step)
        new = weights_of(nlp)
        expected = expected or [numpy.zeros_like(value) for value in new]
        expected = [
            decay * average + (1 - decay) * value
            for average, value in zip(expected, new, strict=True)
        ]
    before = weights_of(nlp)
    with nlp.use_params(sgd.averages):
        averages = weights_of(nlp)
    after = weights_of(nlp)
    assert len(before) >= 5
    for average, value in zip(averages, expected, strict=True):
        numpy.testing.assert_allclose(average, value, atol=1e-6)
    for value, same in zip(before, after, strict=True):
        numpy.testing.assert_array_equal(value, same)


def test_weights_come_back_after_an_error() -> None:
    nlp = make_nlp()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    sgd = Adam(0.01, use_averages=True)
    nlp.update(examples, sgd=sgd)
    before = weights_of(nlp)
    with pytest.raises(RuntimeError), nlp.use_params(sgd.averages):
        raise RuntimeError
    for value, same in zip(before, weights_of(nlp), strict=True):
        numpy.testing.assert_array_equal(value, same)


@small_networks
def test_averages_of_a_small_network_are_kept(make: Callable[[], Language]) -> None:
    assert keeps_averages(get_ner(make()).model)
