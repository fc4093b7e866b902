"""Hidden states, and what is not computed for them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from spacy_adak.encoders.hidden_states import HiddenStates

INPUTS = {
    "input_ids": torch.tensor([[2, 6, 7, 8, 3]]),
    "attention_mask": torch.ones(1, 5),
}


@pytest.fixture(autouse=True)
def without_gradient() -> Iterator[None]:
    with torch.inference_mode():
        yield


@pytest.fixture
def bert(tiny_bert: Path) -> Any:
    from transformers import AutoModel

    return AutoModel.from_pretrained(tiny_bert).eval()


def count_blocks(transformer: nn.Module, blocks: nn.ModuleList) -> list[int]:
    """The blocks that are run from now on, by their numbers."""
    run: list[int] = []
    for number, block in enumerate(blocks):
        block.register_forward_hook(lambda *_, number=number: run.append(number))
    return run


@pytest.mark.parametrize("layers", [[0], [1], [0, 1], [2], [-1, 0], [-3, -2], [1, 1]])
def test_states_are_those_of_the_transformer(bert: Any, layers: list[int]) -> None:
    expected = bert(**INPUTS, output_hidden_states=True).hidden_states
    found = HiddenStates(bert).read(INPUTS, layers)
    for layer, state in zip(layers, found, strict=True):
        torch.testing.assert_close(state, expected[layer])


@pytest.mark.parametrize(
    ("layers", "expected"),
    [([0], []), ([1], [0]), ([0, 1], [0]), ([-1], [0, 1]), (None, [0, 1])],
)
def test_blocks_above_the_last_layer_are_not_run(
    bert: Any, layers: list[int] | None, expected: list[int]
) -> None:
    states = HiddenStates(bert)
    states.read(INPUTS, layers)
    run = count_blocks(bert, bert.encoder.layer)
    states.read(INPUTS, layers)
    assert run == expected


@pytest.mark.parametrize("name", ["albert", "xlnet"])
def test_other_architectures_are_read_in_full(name: str) -> None:
    from transformers import AutoConfig, AutoModel

    config = AutoConfig.for_model(
        name,
        vocab_size=20,
        hidden_size=16,
        embedding_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=16,
        n_layer=3,
        d_model=16,
        n_head=2,
        d_inner=16,
    )
    model = AutoModel.from_config(config).eval()
    expected = model(**INPUTS, output_hidden_states=True).hidden_states
    (found,) = HiddenStates(model).read(INPUTS, [1])
    torch.testing.assert_close(found, expected[1])
