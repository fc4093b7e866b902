"""The expected entity ratio (Effland and Collins, 2021).

The fuzzy loss alone is content with a model that finds entities everywhere. This term
holds the share of entity tokens that the model expects close to the share there is, and
if these are known the shares of the entity types as well.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .chain import Chain
from .lattice import log_partition, marginals
from .tags import TagSet, split_tag

# Half the step of the central difference. The error of the method falls with its
# square, and rounding errors grow with its inverse.
_STEP = 1e-4


class EntityRatio(NamedTuple):
    """How many of all tokens should be part of an entity.

    target (float): The share of entity tokens.
    margin (float): How far off it may be at no cost. A type has a part of it, as large
        as its part of the target.
    weight (float): What it costs beyond that, for all types together and for each.
    types (Mapping[str, float]): The share of tokens of some entity types, which are not
        looked at if there are none.
    """

    target: float
    margin: float
    weight: float
    types: Mapping[str, float] = {}

    def penalty(self, tag_counts: Tensor, tokens: int, tagset: TagSet) -> Tensor:
        """The loss of a batch: weight · max(0, |share - target| - margin), added up
        over what has a target.

        tag_counts (Tensor): (N,), the expected number of each tag in the batch.
        tokens (int): The number of all its tokens.
        tagset (TagSet): The tags.
        RETURNS (Tensor): The loss.
        """
        entity_types = [split_tag(tag)[1] for tag in tagset.tags]
        counted = [[bool(t) for t in entity_types]]
        counted += [[t == held for t in entity_types] for held in self.types]
        targets = tag_counts.new_tensor([self.target, *self.types.values()])
        margins = self.margin * (targets / self.target if self.target else 1.0)
        shares = tag_counts.new_tensor(counted) @ tag_counts / tokens
        return self.weight * ((shares - targets).abs() - margins).clamp(min=0.0).sum()


def expected_tags(chain: Chain) -> Tensor:
    """How often the model expects each tag in each sentence.

    chain (Chain): The model's scores.
    RETURNS (Tensor): (B, N) float64; zero where there is no legal path.
    """
    return _ExpectedTags.apply(*chain)


class _ExpectedTags(torch.autograd.Function):
    """The marginals, added up. Their gradient is the covariance of tags and moves with
    the tags that are counted: the slope of the marginals when these tags gain in score,
    taken here as a central difference in float64. It is good to about 1e-6 per token,
    scores of thousands of nats included."""

    @staticmethod
    def forward(ctx: Any, *scores: Tensor) -> Tensor:
        ctx.save_for_backward(*scores)
        return marginals(Chain(*scores)).sum(1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_counts: Tensor) -> tuple[Tensor | None, ...]:
        chain = Chain(*ctx.saved_tensors)
        if not d_counts.any():
            return None, None, None, None, None
        with torch.enable_grad():
            leaves = [
                scores.detach().double().requires_grad_()
                for scores in (chain.emissions, *chain[2:])
            ]
            # One step for any gradient: the size of what it adds to scores matters.
            largest = d_counts.abs().max()
            gain = (d_counts * (_STEP / largest)).unsqueeze(1)
            twice = torch.arange(len(gain), device=gain.device).repeat(2)
            copies = Chain(leaves[0], chain.lengths, *leaves[1:]).pick(twice)
            log_z = log_partition(copies.with_node_weights(torch.cat((gain, -gain))))
            more, less = log_z.split(len(gain))
            slope = (more - less).masked_fill(~more.isfinite(), 0.0)
            gradients = torch.autograd.grad(slope.sum() / (2 * _STEP), leaves)
        d_emissions, *d_moves = (
            (gradient * largest).to(scores.dtype)
            for gradient, scores in zip(
                gradients, (chain.emissions, *chain[2:]), strict=True
            )
        )
        return d_emissions, None, *d_moves
