"""q, from the predictions of fold models (Eq. 6)."""

from collections.abc import Sequence
from typing import Literal

import numpy
import torch
from torch import Tensor

from ..crf.chain import Chain
from ..crf.decode import viterbi
from ..crf.losses import interpolated_q, soft_q
from ..pipeline.head import TagScores

_LOWEST = -60_000.0

QMode = Literal["hard", "soft", "interpolated"]


def mean_scores(fold_models: Sequence[TagScores]) -> TagScores:
    """The mean of several fold models: the probability of a path is, up to a constant,
    the geometric mean of its probabilities by each model.

    fold_models (Sequence[TagScores]): What each of them says about the same texts.
    RETURNS (TagScores): The mean.
    """
    return TagScores(
        *(torch.stack(scores).mean(0) for scores in zip(*fold_models, strict=True))
    )


def best_paths(chain: Chain) -> Tensor:
    """Hard q: the best path under annotation and mask.

    chain (Chain): The scores of fold models, restricted to the allowed tags.
    RETURNS (Tensor): (B, T).
    """
    return viterbi(chain).paths[:, 0]


def chain_of_q(
    fold_models: Chain,
    allowed: Tensor,
    log_likelihood: Tensor,
    mode: QMode,
    temperature: float,
) -> Chain | None:
    """q, unless it is the best path, as a chain.

    fold_models (Chain): The scores of fold models.
    allowed (Tensor): (B, T, N) bool, the tags that annotation and mask allow.
    log_likelihood (Tensor): (B, T, N), how likely the annotation, and what guessers
        say, would be by each tag.
    mode (QMode): Which q.
    temperature (float): For interpolated q.
    RETURNS (Chain | None): q, or nothing if it is hard. Soft q has (1, 1) transitions,
        as all moves count alike.
    """
    if mode == "soft":
        q = soft_q(fold_models.with_node_weights(log_likelihood), allowed)
        all_alike = q.log_weights.new_zeros(1, 1)
        zeros = torch.zeros_like(q.log_weights[0, 0])
        return Chain(q.log_weights, fold_models.lengths, all_alike, zeros, zeros)
    if mode == "interpolated":
        chain = interpolated_q(fold_models, allowed, temperature)
        # What annotation and guesses say needs no temperature.
        return chain.with_node_weights(log_likelihood)
    return None


def fit_float16(scores: Tensor) -> numpy.ndarray:
    """Keep what is allowed from becoming -inf in float16.

    scores (Tensor): Scores of tags or moves, the highest of them 0.
    RETURNS (ndarray): The same in float32, finite ones within the range of float16.
    """
    scores = scores.to(torch.float32)
    return scores.clamp(min=_LOWEST).where(scores.isfinite(), scores).cpu().numpy()
