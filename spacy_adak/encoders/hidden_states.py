"""Hidden states of a transformer, without what lies above the last one that is used."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import torch
from torch import Tensor, nn


class _NothingElseIsNeededError(Exception):
    """Leaves the transformer."""


class HiddenStates:
    """Reads hidden states of a transformer.

    transformer (PreTrainedModel): The transformer.
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer
        self._depth = transformer.config.num_hidden_layers
        self._blocks: nn.ModuleList | None = None
        self._is_checked = False

    def read(
        self, inputs: Mapping[str, Tensor], layers: Sequence[int] | None
    ) -> list[Tensor]:
        """Run the transformer.

        inputs (Mapping[str, Tensor]): What it reads.
        layers (Sequence[int] | None): The layers, 0 being the embeddings; the last one
            if not given.
        RETURNS (list[Tensor]): (windows, pieces, width) of each layer.
        """
        if layers is None:
            output = self.transformer(**inputs, output_hidden_states=False)
            return [output.last_hidden_state]
        numbers = [layer % (self._depth + 1) for layer in layers]
        if not self._is_checked:
            self._blocks = self._find_blocks({k: x[:1] for k, x in inputs.items()})
            self._is_checked = True
        # What comes after the last block may be normalized once more.
        if self._blocks is None or self._depth in numbers:
            states = self._read_all(inputs)
            return [states[number] for number in numbers]
        return self._read_below(self._blocks, inputs, numbers)

    def _read_all(self, inputs: Mapping[str, Tensor]) -> Sequence[Tensor]:
        output = self.transformer(**inputs, output_hidden_states=True)
        return output.hidden_states

    def _read_below(
        self, blocks: nn.ModuleList, inputs: Mapping[str, Tensor], numbers: list[int]
    ) -> list[Tensor]:
        """A hidden state is what the next block reads."""
        found: dict[int, Tensor] = {}
        with ExitStack() as stack:
            for number in set(numbers):
                keep = _keep(found, number, is_last=number == max(numbers))
                stack.callback(blocks[number].register_forward_pre_hook(keep).remove)
            stack.enter_context(suppress(_NothingElseIsNeededError))
            self.transformer(**inputs, output_hidden_states=False)
        return [found[number] for number in numbers]

    def _find_blocks(self, inputs: Mapping[str, Tensor]) -> nn.ModuleList | None:
        """The blocks of the transformer, if they are found to be read one after the
        other, each what the last one gives. Architectures differ in this."""
        lists = [
            module
            for module in self.transformer.modules()
            if isinstance(module, nn.ModuleList) and len(module) == self._depth
        ]
        if len(lists) != 1:
            return None
        numbers = list(range(self._depth))
        expected = self._read_all(inputs)[: self._depth]
        try:
            found = self._read_below(lists[0], inputs, numbers)
        except LookupError:
            return None
        is_same = all(
            a.shape == b.shape and torch.allclose(a, b, rtol=1e-3, atol=1e-3)
            for a, b in zip(found, expected, strict=True)
        )
        return lists[0] if is_same else None


def _keep(
    found: dict[int, Tensor], number: int, is_last: bool
) -> Callable[[nn.Module, tuple[Any, ...]], None]:
    def keep(block: nn.Module, args: tuple[Any, ...]) -> None:
        found[number] = args[0]
        if is_last:
            raise _NothingElseIsNeededError

    return keep
