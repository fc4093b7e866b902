"""q: what a fold model thinks of the texts it has not seen (Eq. 6)."""

from typing import Literal

import numpy
import torch
from torch import Tensor

from ..crf.chain import Chain
from ..crf.decode import viterbi
from ..crf.losses import interpolated_chain, soft_q

_LOWEST = -60_000.0

QMode = Literal["hard", "soft", "interpolated"]


def best_paths(chain: Chain) -> Tensor:
    """Hard q: the best path under annotation and mask.

    chain (Chain): The scores of the fold model, restricted to the allowed tags.
    RETURNS (Tensor): (B, T).
    """
    return viterbi(chain).paths[:, 0]


def chain_of_q(
    fold_model: Chain, allowed: Tensor, mode: QMode, temperature: float
) -> Chain | None:
    """q, unless it is the best path, as a chain.

    fold_model (Chain): The scores of the fold model.
    allowed (Tensor): (B, T, N) bool, the tags that annotation and mask allow.
    mode (QMode): Which q.
    temperature (float): For interpolated q.
    RETURNS (Chain | None): q, or nothing if it is hard.
    """
    if mode == "soft":
        return soft_q(fold_model, allowed).chain
    if mode == "interpolated":
        return interpolated_chain(fold_model, allowed, temperature)
    return None


def fit_float16(scores: Tensor) -> numpy.ndarray:
    """Keep what is allowed from becoming -inf in float16.

    scores (Tensor): Scores of tags or moves, the highest of them 0.
    RETURNS (ndarray): The same in float32, finite ones within the range of float16.
    """
    scores = scores.to(torch.float32)
    return scores.clamp(min=_LOWEST).where(scores.isfinite(), scores).cpu().numpy()
