"""A window CNN for `spacy.Tok2Vec.v2`, over rows of any width."""

from functools import partial

import torch
from spacy.util import registry
from thinc.api import Model
from torch import Tensor, nn

from .sizes import check_sizes
from .torch_encoder import Network, Rows, torch_encoder


@registry.architectures("spacy-adak.WindowCNNEncoder.v1")
def build_window_cnn_encoder(
    width: int, depth: int, window_size: int
) -> Model[Rows, Rows]:
    """Map vectors to a width, and encode context with convolutions over windows.

    Unlike `spacy.MaxoutWindowEncoder.v2`, it takes an input of any width, and it is
    faster on a CPU.

    width (int): The width of the output.
    depth (int): The number of convolutions.
    window_size (int): How many tokens on each side a convolution sees.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The model.
    """
    check_sizes("WindowCNNEncoder", 1, width=width)
    check_sizes("WindowCNNEncoder", 0, depth=depth, window_size=window_size)
    build = partial(WindowCNN, width=width, depth=depth, window_size=window_size)
    return torch_encoder("window_cnn", build, width)


class WindowCNN(Network):
    """Residual convolutions over the tokens of texts. There is dropout before each
    layer and at the end; the CRF above drops some of its input once more.

    n_inputs (int): The width of the rows.
    width (int): The width of the output.
    depth (int): The number of convolutions.
    window_size (int): How many tokens on each side a convolution sees.
    """

    INPUT_WEIGHT = "narrow.weight"

    def __init__(self, n_inputs: int, width: int, depth: int, window_size: int) -> None:
        super().__init__()
        self.window_size = window_size
        self.narrow = nn.Linear(n_inputs, width)
        self.narrow_norm = nn.LayerNorm(width)
        seen = (2 * window_size + 1) * width
        self.convolutions = nn.ModuleList(nn.Linear(seen, width) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(depth))

    def forward(self, rows: Tensor, lengths: list[int], dropout: float) -> Tensor:
        """rows (Tensor): (tokens, n_inputs). RETURNS (Tensor): (tokens, width)."""
        drop, gelu = partial(nn.functional.dropout, p=dropout), nn.functional.gelu
        # Between texts there are gaps, so that no window reaches into a neighbour.
        gap = self.window_size
        text = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        place = (torch.arange(len(rows)) + gap * text).to(rows.device)
        size = len(rows) + gap * (len(lengths) - 1)
        encoded = self.narrow_norm(gelu(self.narrow(drop(rows))))
        for convolution, norm in zip(self.convolutions, self.norms, strict=True):
            windows = drop(self._windows(encoded, place, size))
            encoded = encoded + norm(gelu(convolution(windows)))
        return drop(encoded)

    def _windows(self, rows: Tensor, place: Tensor, size: int) -> Tensor:
        """(tokens, (2 · window_size + 1) · width): each token with its neighbours;
        beyond the ends of a text there are zeros."""
        gap = self.window_size
        spaced = rows.new_zeros(size + 2 * gap, rows.size(1))
        spaced = spaced.index_copy(0, place + gap, rows)
        shifted = [spaced[shift : shift + size] for shift in range(2 * gap + 1)]
        return torch.cat(shifted, 1)[place]
