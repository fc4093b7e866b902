"""q: what a fold model thinks of the texts it has not seen (Eq. 6)."""

from typing import Literal

import numpy
import torch
from torch import Tensor

from ..crf.chain import Chain
from ..crf.decode import viterbi
from ..crf.lattice import marginals

_LOWEST = -60_000.0

QMode = Literal["hard", "soft", "interpolated"]


def best_paths(chain: Chain) -> Tensor:
    """Hard q: the best path under annotation and mask.

    chain (Chain): The scores of the fold model, restricted to the allowed tags.
    RETURNS (Tensor): (B, T).
    """
    return viterbi(chain).paths[:, 0]


def log_marginals(chain: Chain) -> Tensor:
    """Soft q: a path's weight is the product of its tags' marginals.

    chain (Chain): The scores of the fold model, restricted to the allowed tags.
    RETURNS (Tensor): (B, T, N).
    """
    return marginals(chain).log_()


def at_temperature(scores: Tensor, temperature: float) -> numpy.ndarray:
    """Interpolated q: a path's weight is p(y)^(1/T), its scores are divided by T.

    scores (Tensor): Scores of tags or moves, the highest of them 0.
    temperature (float): T.
    RETURNS (ndarray): The same at this temperature.
    """
    scaled = (scores / temperature).to(torch.float32)
    # What is allowed must not become -inf in float16.
    return scaled.clamp(min=_LOWEST).where(scores.isfinite(), scaled).cpu().numpy()
