"""Linear layers with packed weights."""

import pytest
import torch
from torch import Tensor, nn

from spacy_adak.encoders.linear_layers import PackedLinearLayers


def run(network: nn.Module, x: Tensor, reduced: bool = False) -> Tensor:
    with torch.inference_mode(), PackedLinearLayers(reduced):
        return network(x)


@pytest.fixture
def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(24, 40), nn.GELU(), nn.Linear(40, 8, bias=False))


@pytest.fixture
def x() -> Tensor:
    return torch.randn(3, 5, 24, generator=torch.Generator().manual_seed(1))


@torch.inference_mode()
def test_packed_weights_give_the_same(network: nn.Module, x: Tensor) -> None:
    torch.testing.assert_close(run(network, x), network(x), rtol=1e-5, atol=1e-6)


@torch.inference_mode()
def test_8_bits_give_nearly_the_same(network: nn.Module, x: Tensor) -> None:
    expected, found = network(x), run(network, x, reduced=True)
    assert not torch.equal(found, expected)
    torch.testing.assert_close(found, expected, rtol=0.0, atol=0.05)


def test_weights_are_packed_once(
    network: nn.Module, x: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed: list[Tensor] = []

    def pack(weight: Tensor, bias: Tensor | None) -> object:
        packed.append(weight)
        return lambda x: torch.nn.functional.linear(x, weight, bias)

    monkeypatch.setattr("spacy_adak.encoders.linear_layers._pack_8_bit", pack)
    layers = PackedLinearLayers(reduced=True)
    for _ in range(2):
        with torch.inference_mode(), layers:
            network(x)
    assert len(packed) == 2


@pytest.mark.parametrize("reduced", [False, True])
def test_weights_that_changed_are_packed_again(
    network: nn.Module, x: Tensor, reduced: bool
) -> None:
    layers = PackedLinearLayers(reduced)
    with torch.inference_mode(), layers:
        network(x)
    with torch.no_grad():
        network[2].weight.zero_()
    with torch.inference_mode(), layers:
        assert not network(x).any()


def test_row_of_zeros_stays_finite_in_8_bits(x: Tensor) -> None:
    layer = nn.Linear(24, 4)
    with torch.no_grad():
        layer.weight[2] = 0.0
        layer.bias[2] = 3.0
    assert (run(layer, x, reduced=True)[..., 2] == 3.0).all()


def test_other_types_of_numbers_are_left_alone(network: nn.Module, x: Tensor) -> None:
    network.double()
    with torch.inference_mode():
        expected = network(x.double())
    assert torch.equal(run(network, x.double(), reduced=True), expected)
