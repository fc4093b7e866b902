"""A BiLSTM for `spacy.Tok2Vec.v2`, over rows of any width."""

from collections.abc import Callable
from typing import Any, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from spacy.util import registry
from thinc.api import (
    ArgsKwargs,
    Dropout,
    Model,
    chain,
    torch2xp,
    with_array,
    xp2torch,
)
from thinc.types import Floats2d
from torch import Tensor, nn
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pad_packed_sequence,
    pad_sequence,
)

from ..errors import Errors
from .averaged_shim import AveragedShim

Rows = list[Floats2d]
_NOT_KNOWN_YET = 1  # the width of the input; torch refuses 0


@registry.architectures("spacy-adak.BiLSTMEncoder.v1")
def build_bilstm_encoder(width: int, depth: int) -> Model[Rows, Rows]:
    """Encode context with LSTMs in both directions.

    Unlike in `spacy.TorchBiLSTMEncoder.v1` the width of the input is free, and what
    becomes of a text does not depend on the texts it is batched with.

    width (int): The width of the output, one half for each direction.
    depth (int): The number of layers.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The model.
    """
    if width < 2 or width % 2:
        raise ValueError(Errors.A130.format(width=width))
    bilstm: Model[Rows, Rows] = Model(
        "bilstm", _forward, init=_init, dims={"nI": None, "nO": width}
    )
    _set_lstm(bilstm, BiLSTM(_NOT_KNOWN_YET, width, depth))
    model: Model[Rows, Rows] = chain(with_array(Dropout()), bilstm)
    model.set_dim("nO", width)
    return model


class BiLSTM(nn.Module):
    """LSTMs in both directions over sequences of different lengths.

    n_inputs (int): The width of the rows.
    width (int): The width of the output.
    depth (int): The number of layers.
    """

    def __init__(self, n_inputs: int, width: int, depth: int) -> None:
        super().__init__()
        self.width = width
        self.depth = depth
        self.lstm = nn.LSTM(
            n_inputs, width // 2, depth, bidirectional=True, batch_first=True
        )

    def forward(self, padded: Tensor, lengths: Tensor) -> Tensor:
        """padded (Tensor): (B, T, n_inputs). RETURNS (Tensor): (B, T, width)."""
        packed = pack_padded_sequence(
            padded, lengths, batch_first=True, enforce_sorted=False
        )
        output, _ = self.lstm(packed)
        return pad_packed_sequence(output, batch_first=True)[0]


def _set_lstm(model: Model, lstm: BiLSTM) -> None:
    shim = AveragedShim(
        lstm, serialize_model=serialize_lstm, deserialize_model=deserialize_lstm
    )
    model.shims[:] = [shim]


def _init(model: Model, X: Rows | None = None, Y: Any = None) -> None:
    filled = [rows for rows in X or [] if len(rows)]
    if filled:
        n_inputs = filled[0].shape[1]
        model.set_dim("nI", n_inputs, force=True)
        depth = model.shims[0]._model.depth
        _set_lstm(model, BiLSTM(n_inputs, model.get_dim("nO"), depth))


def _forward(
    model: Model[Rows, Rows], rows_per_doc: Rows, is_train: bool
) -> tuple[Rows, Callable[[Rows], Rows]]:
    shim = model.shims[0]
    # Encoders give documents without tokens arrays of any width.
    filled = [rows for rows in rows_per_doc if len(rows)]
    if not filled:
        nothing = [model.ops.alloc2f(0, model.get_dim("nO")) for _ in rows_per_doc]
        return nothing, lambda d_encoded: rows_per_doc
    lengths = torch.tensor([len(rows) for rows in filled])
    padded = _pad(filled).requires_grad_(is_train)
    inputs = ArgsKwargs(args=(padded, lengths), kwargs={})
    output, torch_backprop = shim(inputs, is_train)

    def spread(values: Tensor) -> Rows:
        """Give each document its rows."""
        rows = iter(zip(values, lengths.tolist(), strict=True))
        spread: Rows = []
        for given in rows_per_doc:
            if len(given):
                row, length = next(rows)
                spread.append(cast(Floats2d, torch2xp(row[:length])))
            else:
                spread.append(model.ops.alloc2f(0, values.size(2)))
        return spread

    def backprop(d_encoded: Rows) -> Rows:
        d_output = _pad([d_rows for d_rows in d_encoded if len(d_rows)])
        torch_backprop(ArgsKwargs(args=(output,), kwargs={"grad_tensors": d_output}))
        return spread(cast(Tensor, padded.grad))

    return spread(output.detach()), backprop


def _pad(rows_per_doc: Rows) -> Tensor:
    return pad_sequence([xp2torch(rows) for rows in rows_per_doc], batch_first=True)


def serialize_lstm(lstm: BiLSTM) -> bytes:
    """Write the weights as safetensors."""
    return save(lstm.lstm.state_dict())


def deserialize_lstm(lstm: BiLSTM, data: bytes, device: torch.device) -> BiLSTM:
    """Build an LSTM from what `serialize_lstm` wrote; nothing in it is executed.

    lstm (BiLSTM): One of the same architecture, whose input may have another width.
    data (bytes): The file.
    device (torch.device): Where the weights go.
    RETURNS (BiLSTM): A new LSTM.
    """
    try:
        weights = load(data)
        n_inputs = weights["weight_ih_l0"].size(1)
        new_lstm = BiLSTM(n_inputs, lstm.width, lstm.depth)
        new_lstm.lstm.load_state_dict(weights)
    except (SafetensorError, LookupError, RuntimeError) as error:
        raise ValueError(Errors.A131.format(error=error)) from error
    return new_lstm.to(device)
