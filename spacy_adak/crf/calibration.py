"""Probabilities that say how often a model is right, not only how sure it is."""

from typing import NamedTuple

from torch import Tensor

from .chain import Chain
from .tags import TagSet

_NEGATIVE_INFINITY = float("-inf")


class Calibration(NamedTuple):
    """What turns the probability p of a path with n entities into a calibrated one,
    which is p^(1/T) · exp(-c · n) but for a constant. It stays one chain, so that sums
    over paths are exact.

    temperature (float | Tensor): T. Above 1 the model is less sure of everything.
    entity_cost (float | Tensor): c. Above 0 it is less sure of entities than of none.
    """

    temperature: float | Tensor = 1.0
    entity_cost: float | Tensor = 0.0

    def __call__(self, chain: Chain, tagset: TagSet) -> Chain:
        """Calibrate the scores of a chain.

        chain (Chain): The scores.
        tagset (TagSet): The tags.
        RETURNS (Chain): Other scores. What is forbidden stays so.
        """
        emissions, lengths, *moves = chain
        starting = tagset.starting_tags().to(emissions)
        return Chain(
            self._scale(emissions) - self.entity_cost * starting,
            lengths,
            *map(self._scale, moves),
        )

    def _scale(self, scores: Tensor) -> Tensor:
        # The gradient for the temperature is 0 · inf where a move is forbidden.
        forbidden = scores == _NEGATIVE_INFINITY
        scaled = scores.masked_fill(forbidden, 0.0) / self.temperature
        return scaled.masked_fill(forbidden, _NEGATIVE_INFINITY)


IDENTITY = Calibration()
