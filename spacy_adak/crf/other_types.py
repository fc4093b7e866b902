"""For each type, the sum over all other types.

It is the sum over all types minus that of the type. This loses digits only for a type
that has more than half of the sum, of which there is at most one. For the largest type,
the others are added up instead.
"""

import torch
from torch import Tensor

_NEGATIVE_INFINITY = float("-inf")


def sum_of_others(of_types: Tensor) -> Tensor:
    """RETURNS (Tensor): Of each type, what all others weigh.

    of_types (Tensor): (*, L), weights.
    """
    most, which = of_types.max(-1, keepdim=True)
    rest = of_types.scatter(-1, which, 0.0).sum(-1, keepdim=True)
    return (rest + most - of_types).scatter_(-1, which, rest)


def log_sum_of_others(of_types: Tensor) -> Tensor:
    """RETURNS (Tensor): Of each type, the log of what all others weigh.

    of_types (Tensor): (*, L), scores.
    """
    most, which = of_types.max(-1, keepdim=True)
    without = of_types.scatter(-1, which, _NEGATIVE_INFINITY)
    rest = without.logsumexp(-1, keepdim=True)
    all_types = torch.logaddexp(rest, most)
    others = all_types + torch.log1p(-(of_types - all_types).exp_())
    # Where there is nothing at all this is inf - inf.
    return others.nan_to_num_(nan=_NEGATIVE_INFINITY).scatter_(-1, which, rest)


def best_of_others(of_types: Tensor) -> Tensor:
    """RETURNS (Tensor): Of each type, the best score of all others.

    of_types (Tensor): (*, L), scores.
    """
    best, which = of_types.max(-1, keepdim=True)
    without = of_types.scatter(-1, which, _NEGATIVE_INFINITY)
    second = without.amax(-1, keepdim=True)
    return best.expand_as(of_types).scatter(-1, which, second)
