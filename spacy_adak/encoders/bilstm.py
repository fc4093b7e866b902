"""A BiLSTM for `spacy.Tok2Vec.v2`, over rows of any width."""

from functools import partial

import torch
from spacy.util import registry
from thinc.api import Model
from torch import Tensor, nn
from torch.nn.utils.rnn import (
    pack_padded_sequence,
    pad_packed_sequence,
    pad_sequence,
)

from ..errors import Errors
from .sizes import check_sizes
from .torch_encoder import Network, Rows, torch_encoder


@registry.architectures("spacy-adak.BiLSTMEncoder.v1")
def build_bilstm_encoder(width: int, depth: int) -> Model[Rows, Rows]:
    """Encode context with LSTMs in both directions.

    Unlike `spacy.TorchBiLSTMEncoder.v1`, it takes an input of any width, and the result
    for a text does not depend on the other texts in the batch.

    width (int): The width of the output, one half for each direction.
    depth (int): The number of layers.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The model.
    """
    if width < 2 or width % 2:
        raise ValueError(Errors.A130.format(width=width))
    check_sizes("BiLSTMEncoder", 1, depth=depth)
    return torch_encoder("bilstm", partial(BiLSTM, width=width, depth=depth), width)


class BiLSTM(Network):
    """LSTMs in both directions over sequences of different lengths.

    n_inputs (int): The width of the rows.
    width (int): The width of the output.
    depth (int): The number of layers.
    """

    INPUT_WEIGHT = "lstm.weight_ih_l0"

    def __init__(self, n_inputs: int, width: int, depth: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(
            n_inputs, width // 2, depth, bidirectional=True, batch_first=True
        )

    def forward(self, rows: Tensor, lengths: list[int], dropout: float) -> Tensor:
        """rows (Tensor): (tokens, n_inputs). RETURNS (Tensor): (tokens, width)."""
        texts = nn.functional.dropout(rows, dropout).split(lengths)
        packed = pack_padded_sequence(
            pad_sequence(texts, batch_first=True),
            torch.tensor(lengths),
            batch_first=True,
            enforce_sorted=False,
        )
        padded, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        encoded = [text[:length] for text, length in zip(padded, lengths, strict=True)]
        return torch.cat(encoded)
