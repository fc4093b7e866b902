"""Moves from one tag to the next as a matrix, with a score for each pair of tags.

`moves_by_type` has the other form. The recursions need no more of either than the
methods here; the last tag is always the border.
"""

from typing import NamedTuple

import torch
from torch import Tensor

_NEGATIVE_INFINITY = float("-inf")


class DenseMoves(NamedTuple):
    """The scores of all moves, their weights (exponentials), or how often each is made.

    matrix (Tensor): (N + 1, N + 1), or (B, N + 1, N + 1) if each sentence has its own,
        from row to column.
    """

    matrix: Tensor

    @classmethod
    def with_border(
        cls, transitions: Tensor, start: Tensor, end: Tensor
    ) -> "DenseMoves":
        """Make start and end scores moves from and to the border.

        transitions (Tensor): (N, N) or (B, N, N).
        start (Tensor): (N,) or (B, N).
        end (Tensor): (N,) or (B, N).
        RETURNS (DenseMoves): Scores in float64.
        """
        lead = leading_shape(transitions, start, end)
        N = transitions.size(-1)
        matrix = transitions.new_zeros((*lead, N + 1, N + 1), dtype=torch.float64)
        matrix[..., :N, :N] = transitions
        matrix[..., N, :N] = start
        matrix[..., :N, N] = end
        return cls(matrix)

    def without_border(self) -> tuple[Tensor, Tensor, Tensor]:
        """RETURNS (tuple[Tensor, Tensor, Tensor]): What `with_border` takes."""
        matrix = self.matrix
        return matrix[..., :-1, :-1], matrix[..., -1, :-1], matrix[..., :-1, -1]

    @property
    def are_shared(self) -> bool:
        """RETURNS (bool): Whether all sentences have the same moves."""
        return self.matrix.dim() == 2

    def pick(self, sentences: Tensor) -> "DenseMoves":
        """RETURNS (DenseMoves): Those of some sentences only."""
        return self if self.are_shared else DenseMoves(self.matrix[sentences])

    def backwards(self) -> "DenseMoves":
        """RETURNS (DenseMoves): The same moves, from right to left."""
        return DenseMoves(self.matrix.transpose(-2, -1).contiguous())

    def highest(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), the highest score."""
        return self.matrix.amax((-2, -1)).view(-1)

    def weights(self, highest: Tensor) -> "DenseMoves":
        """RETURNS (DenseMoves): The weights, on a scale on which `highest` weighs 1."""
        lead = self.matrix.shape[:-2]
        return DenseMoves((self.matrix - highest.view(*lead, 1, 1)).exp_())

    def most_growth(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), from weights: the log of what all moves from
        one tag weigh together at most."""
        return self.matrix.sum(-1).amax(-1).log().view(-1)

    def spread(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), how far the lowest score lies below the
        highest. What is forbidden is not counted."""
        scores = self.matrix.flatten(-2)
        below = scores - scores.amax(-1, keepdim=True)
        return below.masked_fill_(below == _NEGATIVE_INFINITY, 0.0).amin(-1).view(-1)

    def both_ways(self) -> "DenseMoves":
        """RETURNS (DenseMoves): (2, N + 1, N + 1) or (2B, N + 1, N + 1), from left to
        right and then from right to left."""
        both = torch.stack((self.matrix, self.matrix.transpose(-2, -1)))
        return DenseMoves(both.view(-1, *self.matrix.shape[-2:]))

    def sum_step(self, message: Tensor, out: Tensor) -> None:
        """Move messages on by weights that go both ways.

        message (Tensor): (G, M, N + 1), by G moves M messages each.
        out (Tensor): (G, M, N + 1).
        """
        torch.bmm(message, self.matrix, out=out)

    def log_sum_step(self, message: Tensor) -> Tensor:
        """RETURNS (Tensor): (B, N + 1), messages moved on by scores."""
        return torch.logsumexp(message.unsqueeze(2) + self.matrix, 1)

    def log_sum_step_back(self, message: Tensor) -> Tensor:
        """RETURNS (Tensor): (B, N + 1), messages moved back by scores."""
        return torch.logsumexp(self.matrix + message.unsqueeze(1), 2)

    def away_from(self, sentence: Tensor, tag: Tensor) -> Tensor:
        """RETURNS (Tensor): (*, N + 1), what the moves from some tags count."""
        return self.matrix[tag if self.are_shared else (sentence, tag)]

    def log_away_from(self, sentence: Tensor, tag: Tensor) -> Tensor:
        """RETURNS (Tensor): The same from weights, as scores up to a constant."""
        return self.away_from(sentence, tag).log()

    def expected(self, before: Tensor, after: Tensor) -> "DenseMoves":
        """How often each move is made.

        before (Tensor): (S, B, N + 1), what leads up to each tag of a move's left end.
        after (Tensor): (S, B, N + 1), what follows from each tag of its right end.
        RETURNS (DenseMoves): Summed over the batch if it shares these weights.
        """
        equation = "sbi,sbj->ij" if self.are_shared else "sbi,sbj->bij"
        return DenseMoves(torch.einsum(equation, before, after).mul_(self.matrix))

    def log_expected(
        self, before: Tensor, after: Tensor, log_z: Tensor
    ) -> "DenseMoves":
        """How often each move is made at one position, from scores.

        before (Tensor): (U, N + 1), in log space.
        after (Tensor): (U, N + 1), in log space.
        log_z (Tensor): (U,).
        RETURNS (DenseMoves): For each sentence.
        """
        moves = before.unsqueeze(2) + self.matrix
        return DenseMoves(exp_relative_to(moves + after.unsqueeze(1), log_z))


def leading_shape(transitions: Tensor, start: Tensor, end: Tensor) -> tuple[int, ...]:
    """RETURNS (tuple[int, ...]): (B,) if any of these is given per sentence, or ()."""
    for scores, dims in ((transitions, 3), (start, 2), (end, 2)):
        if scores.dim() == dims:
            return (scores.size(0),)
    return ()


def exp_relative_to(log_weights: Tensor, log_z: Tensor) -> Tensor:
    """Probabilities from log-weights.

    log_weights (Tensor): (U, *).
    log_z (Tensor): (U,). Without a legal path the subtraction is inf - inf: there is
        nothing at all.
    RETURNS (Tensor): (U, *).
    """
    relative = log_weights - log_z.view(-1, *(1,) * (log_weights.dim() - 1))
    return relative.exp_().nan_to_num_(nan=0.0)
