"""Iterative sample selection, by how sure a model is of its reading of a text."""

import math
from collections.abc import Sequence

from torch import Tensor

from ..crf.chain import Chain
from ..crf.decode import viterbi
from ..crf.lattice import log_partition


def best_path_log_probabilities(chain: Chain) -> tuple[Tensor, Tensor]:
    """The best unconstrained path of each segment, and its log-probability.

    chain (Chain): The scores of a fold model.
    RETURNS (tuple[Tensor, Tensor]): (B, T) paths and (B,) log-probabilities.
    """
    best = viterbi(chain)
    return best.paths[:, 0], best.scores[:, 0] - log_partition(chain.detach())


def sample_score(log_probability: float, n_tokens: int, per_token: bool) -> float:
    """s_i = max p(y|x), or its geometric mean per token: a raw path probability falls
    with the length of the text, and would drop long texts first.

    log_probability (float): Of the best reading of the text.
    n_tokens (int): Its length.
    per_token (bool): Whether to take the geometric mean.
    RETURNS (float): The score, from 0 to 1.
    """
    exponent = log_probability / max(n_tokens, 1) if per_token else log_probability
    return math.exp(exponent)


def select(scores: Sequence[float], min_score: float) -> list[int]:
    """Choose the texts to train the next folds with. Half of them are always kept, as
    a model that is unsure of everything would otherwise leave nothing to learn from.

    scores (Sequence[float]): The score of each text.
    min_score (float): s, below which a text is left out.
    RETURNS (list[int]): The texts that stay, in order.
    """
    best_first = sorted(range(len(scores)), key=lambda i: -scores[i])
    n_sure = sum(score >= min_score for score in scores)
    return sorted(best_first[: max(n_sure, -(-len(scores) // 2))])
