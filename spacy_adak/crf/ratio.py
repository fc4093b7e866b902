"""The expected entity ratio (Effland and Collins, 2021).

The fuzzy loss alone does not penalise a model that finds entities everywhere. This term
keeps the share of entity tokens that the model expects close to a target.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .chain import Chain
from .lattice import log_partition

# Half the step of the central difference. The error of the method falls with its
# square, and rounding errors grow with its inverse.
_STEP = 1e-4


class EntityRatio(NamedTuple):
    """How many of all tokens should be part of an entity.

    target (float): The share of entity tokens.
    margin (float): How far off it may be at no cost.
    weight (float): What it costs beyond that.
    """

    target: float
    margin: float
    weight: float

    def penalty(self, entity_tokens: Tensor, tokens: int) -> Tensor:
        """The loss of a batch: weight · max(0, |share - target| - margin).

        entity_tokens (Tensor): The expected number of entity tokens in the batch.
        tokens (int): The number of all its tokens.
        RETURNS (Tensor): The loss, in the shape of `entity_tokens`.
        """
        distance = (entity_tokens / tokens - self.target).abs()
        return self.weight * (distance - self.margin).clamp(min=0.0)


def expected_entity_tokens(chain: Chain) -> Tensor:
    """How many tokens of each sentence the model expects to have another tag than O.

    That is the slope of the log-partition when all other tags than O gain in score,
    taken here as a central difference in float64. Its gradient is that of the same
    difference: the covariance of tags and moves with the number of entity tokens. Both
    are good to about 1e-6 per token, scores of thousands of nats included.

    chain (Chain): The model's scores; tag 0 is O.
    RETURNS (Tensor): (B,) float64; zero where there is no legal path.
    """
    B, _, N = chain.emissions.shape
    chain = chain._replace(
        emissions=chain.emissions.double(),
        transitions=chain.transitions.double(),
        start=chain.start.double(),
        end=chain.end.double(),
    )
    gain = chain.emissions.new_full((2 * B, 1, N), _STEP)
    gain[B:] = -_STEP
    gain[..., 0] = 0.0
    twice = torch.arange(B, device=chain.lengths.device).repeat(2)
    log_z = log_partition(chain.pick(twice).with_node_weights(gain))
    more, less = log_z.split(B)
    slope = (more - less) / (2 * _STEP)
    return slope.masked_fill(~more.isfinite(), 0.0)
