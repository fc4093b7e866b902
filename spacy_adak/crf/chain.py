"""The scores of a linear-chain CRF for a ragged batch, and of single paths in it.

Dynamic programmes over a batch read every sentence as one walk through the same graph,
with one more tag, the *border*: it stands before the first token, after the last one
and on all padding. The start and end scores are then moves from and to the border, and
the recursions need neither lengths nor masks.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .moves import DenseMoves
from .moves_by_type import MovesByType
from .typed_transitions import are_by_type, move_scores, relative_rows

_NEGATIVE_INFINITY = float("-inf")


class Chain(NamedTuple):
    """The scores of a linear-chain CRF for a ragged batch of B sentences.

    A score of -inf forbids a tag or a move. Transition, start and end scores are shared
    by the batch, or given per sentence with a leading dimension B.

    emissions (Tensor): (B, T, N), anything beyond a sentence's length is ignored.
    lengths (Tensor): (B,) int64.
    transitions (Tensor): (N, N) or (B, N, N), from row to column; or where there are
        many types (N, P + 4) or (B, N, P + 4), see `MovesByType.with_border`. Either
        can be added, scaled and averaged.
    start (Tensor): (N,) or (B, N).
    end (Tensor): (N,) or (B, N).
    """

    emissions: Tensor
    lengths: Tensor
    transitions: Tensor
    start: Tensor
    end: Tensor

    def with_node_weights(self, weights: Tensor) -> "Chain":
        """Add a weight to every tag of every token; -inf forbids it.

        weights (Tensor): (B, T, N).
        RETURNS (Chain): The same chain with other emissions.
        """
        return self._replace(emissions=self.emissions + weights)

    def allowing(self, allowed: Tensor) -> "Chain":
        """Keep only the paths through some tags.

        allowed (Tensor): (B, T, N) bool, the tags each token may have.
        RETURNS (Chain): The same chain with the other tags forbidden.
        """
        return self._replace(
            emissions=self.emissions.masked_fill(~allowed, _NEGATIVE_INFINITY)
        )

    def pick(self, sentences: Tensor) -> "Chain":
        """Keep some sentences only, or take some more than once.

        sentences (Tensor): (U,) int64, which of the batch.
        RETURNS (Chain): A batch of U sentences.
        """
        dims_if_shared = (2, 1, 1)
        return Chain(
            self.emissions[sentences],
            self.lengths[sentences],
            *(
                score if score.dim() == dim else score[sentences]
                for score, dim in zip(self[2:], dims_if_shared, strict=True)
            ),
        )

    def detach(self) -> "Chain":
        """RETURNS (Chain): The same scores, out of reach of autograd."""
        return Chain(*(tensor.detach() for tensor in self))

    def token_mask(self) -> Tensor:
        """RETURNS (Tensor): (B, T) bool, true on tokens, false on padding."""
        positions = torch.arange(self.emissions.size(1), device=self.lengths.device)
        return positions < self.lengths.unsqueeze(1)


class BorderedChain(NamedTuple):
    """A chain with the border as its last tag and no lengths left, in float64.

    emissions (Tensor): (T + 1, B, N + 1), time first; the last position is border.
    moves (DenseMoves | MovesByType): The scores of all moves.
    """

    emissions: Tensor
    moves: DenseMoves | MovesByType

    def pick(self, sentences: Tensor) -> "BorderedChain":
        """Keep some sentences only.

        sentences (Tensor): (U,) int64, which of the batch.
        RETURNS (BorderedChain): A batch of U sentences.
        """
        return BorderedChain(self.emissions[:, sentences], self.moves.pick(sentences))


def add_border(chain: Chain) -> BorderedChain:
    """Turn lengths, start and end scores into one more tag."""
    B, T, N = chain.emissions.shape
    device = chain.emissions.device
    emissions = chain.emissions.new_zeros((T + 1, B, N + 1), dtype=torch.float64)
    emissions[:T, :, :N] = chain.emissions.transpose(0, 1)
    is_token = torch.arange(T + 1, device=device).unsqueeze(1) < chain.lengths
    is_border = torch.arange(N + 1, device=device) == N
    emissions.masked_fill_(is_token.unsqueeze(2) == is_border, _NEGATIVE_INFINITY)
    form = MovesByType if are_by_type(chain.transitions) else DenseMoves
    moves = form.with_border(chain.transitions, chain.start, chain.end)
    return BorderedChain(emissions, moves)


def relative_transitions(transitions: Tensor) -> Tensor:
    """Take from the scores of all moves what the best of them has.

    transitions (Tensor): As in a `Chain`.
    RETURNS (Tensor): The same, none above 0. That changes no probability.
    """
    if are_by_type(transitions):
        return relative_rows(transitions)
    return transitions - transitions.max()


def path_scores(chain: Chain, paths: Tensor) -> Tensor:
    """The scores of given paths: the numerators of Eq. 1, as logarithms.

    chain (Chain): The scores.
    paths (Tensor): (B, K, T) int64 tags; anything beyond a sentence's length is ignored
        as long as it is a tag.
    RETURNS (Tensor): (B, K) float64; -inf for a path that is not legal.
    """
    if not paths.numel():
        nothing = chain.emissions.sum((1, 2), dtype=torch.float64)
        return nothing.unsqueeze(1).expand(-1, paths.size(1))
    B, _, N = chain.emissions.shape
    emissions = chain.emissions.gather(2, paths.transpose(1, 2)).transpose(1, 2)
    left, right = paths[:, :, :-1], paths[:, :, 1:]
    if are_by_type(chain.transitions):
        transitions = move_scores(chain.transitions, left.flatten(1), right.flatten(1))
    elif chain.transitions.dim() == 2:
        moves = left * N + right
        transitions = chain.transitions.flatten().gather(0, moves.flatten())
    else:
        moves = left * N + right
        transitions = chain.transitions.flatten(1).gather(1, moves.flatten(1))
    last = (chain.lengths - 1).clamp(min=0).view(B, 1, 1).expand(-1, paths.size(1), -1)
    start = chain.start.expand(B, N).gather(1, paths[:, :, 0])
    end = chain.end.expand(B, N).gather(1, paths.gather(2, last).squeeze(2))
    scores = torch.cat(
        (emissions, transitions.view_as(left), torch.stack((start, end), 2)), 2
    )
    token = chain.token_mask().unsqueeze(1)
    padding = ~torch.cat((token, token[..., 1:], token[..., :1], token[..., :1]), 2)
    return scores.masked_fill(padding, 0.0).sum(2, dtype=torch.float64)
