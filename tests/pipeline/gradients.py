"""Compare gradients with differences of the loss."""

from collections.abc import Callable

import numpy
import pytest
import torch
from spacy.language import Language
from spacy.training import Example
from thinc.api import Model

from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.model import get_head

# Parameters and their gradients, both as arrays that share memory with the model.
Parameters = list[tuple[numpy.ndarray, numpy.ndarray]]


def thinc_parameters(model: Model) -> Parameters:
    """All parameters of a Thinc model that have a gradient."""
    return [
        (node.get_param(name), node.get_grad(name))
        for node in model.walk()
        for name in node.param_names
        if node.has_grad(name)
    ]


def torch_parameters(model: Model) -> Parameters:
    """All parameters of the PyTorch modules of a Thinc model that have a gradient."""
    return [
        (parameter.data.numpy(), parameter.grad.numpy())
        for node in model.walk()
        for shim in node.shims
        for parameter in shim._model.parameters()
        if parameter.grad is not None
    ]


def randomize_head(ner: AdaKRecognizer) -> None:
    """A head of zeros sends nothing to the encoder."""
    generator = torch.Generator().manual_seed(0)
    for parameter in get_head(ner.model).parameters():
        torch.nn.init.normal_(parameter, std=0.3, generator=generator)


def loss_of(nlp: Language, examples: list[Example]) -> float:
    losses: dict[str, float] = {}
    nlp.update(examples, drop=0.0, sgd=False, losses=losses)
    return losses["adak_ner"]


def assert_gradient_is_right(
    nlp: Language, examples: list[Example], parameters: Callable[[], Parameters]
) -> None:
    """A small step along the gradient changes the loss by the gradient's length."""
    loss_of(nlp, examples)
    gradients = [gradient.copy() for _, gradient in parameters()]
    values = [value for value, _ in parameters()]
    length = float(sum((gradient**2).sum() for gradient in gradients)) ** 0.5
    assert length > 1e-3, "no gradient"
    step = 1e-2
    losses = []
    for direction in (1, -1):
        for value, gradient in zip(values, gradients, strict=True):
            value += direction * step * gradient / length
        losses.append(loss_of(nlp, examples))
        for value, gradient in zip(values, gradients, strict=True):
            value -= direction * step * gradient / length
    assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(length, rel=0.02)
