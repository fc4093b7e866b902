"""One row per token from a transformer of spacy-transformers.

Windows of similar length are read together, layers above the last one that is used are
not computed, and linear layers use packed weights.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, cast

import numpy
import torch
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps
from torch import Tensor

from ..annotation.known import shorten
from ..errors import Errors
from .aligned_pieces import Window, cut
from .hidden_states import HiddenStates
from .linear_layers import PackedLinearLayers
from .piece_batches import Batch, batches

_OPS = NumpyOps()


class RowsOfText(NamedTuple):
    """What a transformer gives for a text.

    rows (ndarray): (tokens, width) float32.
    pieces_per_token (ndarray): How many pieces each token has.
    is_truncated (bool): Whether a window has more pieces than the transformer reads.
    """

    rows: numpy.ndarray
    pieces_per_token: numpy.ndarray
    is_truncated: bool


class TransformerRows:
    """Runs a transformer.

    model (Model): A `TransformerModel` of spacy-transformers.
    reduced (bool): Whether to compute with 8 bits on a CPU, and with 16 on a GPU.
    """

    def __init__(self, model: Model, reduced: bool) -> None:
        self._model = cast(Any, model)
        self._reduced = reduced
        self._linear_layers = PackedLinearLayers(reduced)
        self._hidden_states: HiddenStates | None = None

    def encode(
        self, docs: Sequence[Doc], layers: Sequence[int] | None, alike: bool
    ) -> Iterator[RowsOfText]:
        """Run the transformer on texts.

        docs (Sequence[Doc]): The texts.
        layers (Sequence[int] | None): The layers to average; the last one if not given.
        alike (bool): Whether rows are the same whatever the other texts are, to the
            bit.
        YIELDS (RowsOfText): What it gives for each text.
        """
        spans_per_doc = self._model.attrs["get_spans"](docs)
        for doc, spans in zip(docs, spans_per_doc, strict=True):
            found = spans[-1].end - spans[0].start if spans else 0
            if found != len(doc):
                raise ValueError(
                    Errors.A124.format(
                        found=found, expected=len(doc), text=shorten(doc)
                    )
                )
        pieces = cut(docs, spans_per_doc, self._model.tokenizer)
        states = self._states(pieces.windows, layers, alike)
        if len(pieces.pieces):
            rows = _OPS.reduce_mean(states[pieces.pieces], pieces.lengths)
        else:
            # `reduce_mean` fails without any piece, as of whitespace.
            rows = _OPS.alloc2f(len(pieces.lengths), states.shape[-1])
        start = 0
        for number, doc in enumerate(docs):
            tokens = slice(start, start + len(doc))
            is_truncated = number in pieces.truncated
            yield RowsOfText(rows[tokens], pieces.lengths[tokens], is_truncated)
            start += len(doc)

    def _states(
        self, windows: Sequence[Window], layers: Sequence[int] | None, alike: bool
    ) -> numpy.ndarray:
        """(pieces of all windows, width)."""
        lengths = [len(window.ids) for window in windows]
        starts = numpy.cumsum([0, *lengths])
        states = _OPS.alloc2f(int(starts[-1]), self._model.get_dim("nO"))
        transformer = self._model.transformer.eval()
        if self._hidden_states is None or (
            self._hidden_states.transformer is not transformer
        ):
            self._hidden_states = HiddenStates(transformer)
        pads_left = self._model.tokenizer.padding_side == "left"
        with torch.inference_mode(), self._arithmetic(transformer.device.type):
            for batch in batches(lengths, alike):
                inputs = self._inputs(windows, batch)
                found = _mean(self._hidden_states.read(inputs, layers))
                for window, rows in zip(batch.windows, found, strict=False):
                    filled = slice(0, lengths[window])
                    if pads_left:
                        filled = slice(batch.length - lengths[window], batch.length)
                    states[starts[window] : starts[window + 1]] = rows[filled]
        return states

    def _inputs(self, windows: Sequence[Window], batch: Batch) -> dict[str, Tensor]:
        """What the transformer reads, padded."""
        tokenizer = self._model.tokenizer
        shape = batch.size, batch.length
        ids = numpy.full(shape, tokenizer.pad_token_id or 0)
        types = numpy.full(shape, tokenizer.pad_token_type_id)
        mask = numpy.zeros(shape, dtype="float32")
        for row in range(batch.size):
            # The rows that fill the batch are copies of the last one.
            window = windows[batch.windows[min(row, len(batch.windows) - 1)]]
            filled = slice(0, len(window.ids))
            if tokenizer.padding_side == "left":
                filled = slice(batch.length - len(window.ids), batch.length)
            ids[row, filled], mask[row, filled] = window.ids, 1.0
            if window.types:
                types[row, filled] = window.types
        inputs = {"input_ids": ids, "attention_mask": mask}
        if windows[batch.windows[0]].types:
            inputs["token_type_ids"] = types
        device = self._model.transformer.device
        return {name: torch.from_numpy(x).to(device) for name, x in inputs.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        # Packed weights are packed again where they are needed.
        return TransformerRows, (self._model, self._reduced)

    def _arithmetic(self, device: str) -> AbstractContextManager[Any]:
        if device == "cpu":
            return self._linear_layers
        mixed_precision = self._model.layers[0].shims[0]._mixed_precision
        return torch.autocast(device, enabled=self._reduced or mixed_precision)


def _mean(states: Sequence[Tensor]) -> numpy.ndarray:
    total = states[0]
    for state in states[1:]:
        total = total + state
    return (total / len(states)).float().cpu().numpy()
