"""Moves from one tag to the next where there are many types, ready for computing.

Their form is that of `typed_transitions`. All sums and maxima over moves cost what the
number of tags costs: what comes from other types is one number per type.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from .moves import exp_relative_to, leading_shape
from .other_types import best_of_others, log_sum_of_others, sum_of_others
from .typed_transitions import (
    ENTER,
    EXTRA_COLUMNS,
    FROM_OUTSIDE,
    LEAVE,
    TO_OUTSIDE,
)

_NEGATIVE_INFINITY = float("-inf")


class MovesByType(NamedTuple):
    """The scores of all moves, their weights (exponentials), or how often each is made.

    L types have P tags each, and the *hubs* are O and the border. All may have B in
    front if each sentence has its own.

    within (Tensor): (L, P, P).
    to_hubs (Tensor): (2, L * P).
    from_hubs (Tensor): (2, L * P).
    between_hubs (Tensor): (2, 2).
    leave (Tensor): (L, P).
    enter (Tensor): (L, P). A move from a type to another scores `leave` + `enter`,
        or weighs `leave` · `enter`.
    """

    within: Tensor
    to_hubs: Tensor
    from_hubs: Tensor
    between_hubs: Tensor
    leave: Tensor
    enter: Tensor

    @classmethod
    def with_border(
        cls, transitions: Tensor, start: Tensor, end: Tensor
    ) -> "MovesByType":
        """Make start and end scores moves from and to the border.

        transitions (Tensor): (N, P + 4) or (B, N, P + 4): for each tag the scores of
            moves to the P tags of its type, of moves to O and from O, and its parts of
            moves to and from other types. Of the first row, that of O, only the move
            to O is looked at.
        start (Tensor): (N,) or (B, N).
        end (Tensor): (N,) or (B, N).
        RETURNS (MovesByType): Scores in float64.
        """
        lead = leading_shape(transitions, start, end)
        N, columns = transitions.shape[-2:]
        P = columns - EXTRA_COLUMNS
        transitions = transitions.double().expand(*lead, -1, -1)
        start, end = (x.double().expand(*lead, -1) for x in (start, end))
        typed = transitions[..., 1:, :]
        extra = typed[..., P:].unbind(-1)
        # Border stays border at no cost.
        nothing = torch.zeros_like(start[..., 0])
        between_hubs = torch.stack(
            (transitions[..., 0, P + TO_OUTSIDE], end[..., 0], start[..., 0], nothing),
            -1,
        )
        by_type = ((N - 1) // P, P)
        return cls(
            typed[..., :P].unflatten(-2, by_type),
            torch.stack((extra[TO_OUTSIDE], end[..., 1:]), -2),
            torch.stack((extra[FROM_OUTSIDE], start[..., 1:]), -2),
            between_hubs.unflatten(-1, (2, 2)),
            extra[LEAVE].unflatten(-1, by_type),
            extra[ENTER].unflatten(-1, by_type),
        )

    def without_border(self) -> tuple[Tensor, Tensor, Tensor]:
        """RETURNS (tuple[Tensor, Tensor, Tensor]): What `with_border` takes."""
        to_outside, end = self.to_hubs.unbind(-2)
        from_outside, start = self.from_hubs.unbind(-2)
        extra = (
            to_outside,
            from_outside,
            self.leave.flatten(-2),
            self.enter.flatten(-2),
        )
        typed = torch.cat((self.within.flatten(-3, -2), torch.stack(extra, -1)), -1)
        transitions = torch.nn.functional.pad(typed, (0, 0, 1, 0))
        P = self.within.size(-1)
        transitions[..., 0, P + TO_OUTSIDE] = self.between_hubs[..., 0, 0]
        return (
            transitions,
            torch.cat((self.between_hubs[..., 1, :1], start), -1),
            torch.cat((self.between_hubs[..., :1, 1], end), -1),
        )

    @property
    def are_shared(self) -> bool:
        """RETURNS (bool): Whether all sentences have the same moves."""
        return self.enter.dim() == 2

    def pick(self, sentences: Tensor) -> "MovesByType":
        """RETURNS (MovesByType): Those of some sentences only."""
        if self.are_shared:
            return self
        return MovesByType(*(field[sentences] for field in self))

    def backwards(self) -> "MovesByType":
        """RETURNS (MovesByType): The same moves, from right to left."""
        return MovesByType(
            self.within.transpose(-2, -1),
            self.from_hubs,
            self.to_hubs,
            self.between_hubs.transpose(-2, -1),
            self.enter,
            self.leave,
        )

    def highest(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), a score that no move exceeds."""
        across = self.leave.amax((-2, -1)) + self.enter.amax((-2, -1))
        own = (field.flatten(-2).amax(-1) for field in self[1:4])
        within = self.within.flatten(-3).amax(-1)
        return torch.stack((across, within, *own)).amax(0).view(-1)

    def weights(self, highest: Tensor) -> "MovesByType":
        """RETURNS (MovesByType): The weights, on a scale on which `highest` weighs
        1."""
        lead = self.enter.shape[:-2]
        highest = highest.view(*lead, 1, 1)
        # The parts are scaled apart, so that none of them is above 1.
        leave = self.leave.amax((-2, -1), keepdim=True).nan_to_num_(neginf=0.0)
        scales = (highest, highest, highest, leave, highest - leave)
        return MovesByType(
            (self.within - highest.unsqueeze(-1)).exp_(),
            *(
                (field - scale).exp_()
                for field, scale in zip(self[1:], scales, strict=True)
            ),
        )

    def most_growth(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), from weights: the log of what all moves from
        one tag weigh together at most, or a little more."""
        across = self.leave * self.enter.sum((-2, -1), keepdim=True)
        typed = self.within.sum(-1) + across
        to_hubs = self.to_hubs.sum(-2).unflatten(-1, self.leave.shape[-2:])
        hubs = self.from_hubs.sum(-1) + self.between_hubs.sum(-1)
        growth = torch.maximum((typed + to_hubs).amax((-2, -1)), hubs.amax(-1))
        return growth.log().view(-1)

    def spread(self) -> Tensor:
        """RETURNS (Tensor): (1,) or (B,), how far the lowest score lies below the
        highest, or a little more. What is forbidden is not counted."""
        lead = self.enter.shape[:-2]

        def lowest(field: Tensor) -> Tensor:
            scores = field.reshape(*lead, -1)
            return scores.masked_fill(scores == _NEGATIVE_INFINITY, torch.inf).amin(-1)

        lows = [lowest(field) for field in self[:4]]
        lows.append(lowest(self.leave) + lowest(self.enter))
        low = torch.stack(lows).amin(0).view(-1)
        return (low - self.highest()).clamp_(max=0.0)

    def both_ways(self) -> "MovesByType":
        """RETURNS (MovesByType): With 2 or 2B in front, from left to right and then
        from right to left."""
        n_dims = (3, 2, 2, 2, 2, 2)
        return MovesByType(
            *(
                torch.stack((field, backwards)).view(-1, *field.shape[-n:])
                for field, backwards, n in zip(
                    self, self.backwards(), n_dims, strict=True
                )
            )
        )

    def sum_step(self, message: Tensor, out: Tensor) -> None:
        """Move messages on by weights that go both ways.

        message (Tensor): (G, M, N + 1), by G moves M messages each.
        out (Tensor): (G, M, N + 1).
        """
        hubs, typed = _split(message)
        by_type = typed.unflatten(-1, self.leave.shape[-2:])
        others = sum_of_others((by_type * self.leave.unsqueeze(1)).sum(-1))
        moved = (by_type.unsqueeze(-1) * self.within.unsqueeze(1)).sum(-2)
        moved += others.unsqueeze(-1) * self.enter.unsqueeze(1)
        out_hubs, out_typed = _split(out)
        out_typed[...] = moved.flatten(-2) + hubs @ self.from_hubs
        out_hubs[...] = typed @ self.to_hubs.transpose(-2, -1)
        out_hubs += hubs @ self.between_hubs

    def log_sum_step(self, message: Tensor) -> Tensor:
        """RETURNS (Tensor): (B, N + 1), messages moved on by scores."""
        return self._step(message, torch.logsumexp, log_sum_of_others)

    def log_sum_step_back(self, message: Tensor) -> Tensor:
        """RETURNS (Tensor): (B, N + 1), messages moved back by scores."""
        return self.backwards().log_sum_step(message)

    def best_step(self, message: Tensor) -> Tensor:
        """RETURNS (Tensor): (B, N + 1), the best that moves on by scores."""
        return self._step(message, torch.amax, best_of_others)

    def _step(
        self,
        message: Tensor,
        reduce: Callable[[Tensor, int], Tensor],
        reduce_others: Callable[[Tensor], Tensor],
    ) -> Tensor:
        hubs, typed = _split(message)
        by_type = typed.unflatten(-1, self.leave.shape[-2:])
        others = reduce_others(reduce(by_type + self.leave, -1))
        from_hubs = (hubs.unsqueeze(-1) + self.from_hubs).unflatten(
            -1, self.leave.shape[-2:]
        )
        to_typed = (
            by_type.unsqueeze(-1) + self.within,
            from_hubs.movedim(-3, -2),
            (others.unsqueeze(-1) + self.enter).unsqueeze(-2),
        )
        to_hubs = (
            typed.unsqueeze(-2) + self.to_hubs,
            hubs.unsqueeze(-2) + self.between_hubs.transpose(-2, -1),
        )
        moved_typed = reduce(torch.cat(to_typed, -2), -2).flatten(-2)
        return _join(reduce(torch.cat(to_hubs, -1), -1), moved_typed)

    def away_from(self, sentence: Tensor, tag: Tensor) -> Tensor:
        """RETURNS (Tensor): (*, N + 1), the scores of the moves from some tags."""
        lead = () if self.are_shared else (sentence,)
        L, P = self.leave.shape[-2:]
        hub = (tag > L * P).long()
        is_hub = ((tag == 0) | (hub == 1)).unsqueeze(-1)
        typed = torch.where(is_hub.squeeze(-1), 0, tag - 1)
        entity_type, prefix = typed // P, typed % P
        leave = self.leave.flatten(-2)[(*lead, typed)].unsqueeze(-1)
        scores = torch.where(
            is_hub, self.from_hubs[(*lead, hub)], leave + self.enter.flatten(-2)[lead]
        )
        own_tags = (entity_type * P).unsqueeze(-1) + torch.arange(P, device=tag.device)
        within = self.within[(*lead, entity_type, prefix)]
        own = torch.where(is_hub, scores.gather(-1, own_tags), within)
        scores.scatter_(-1, own_tags, own)
        hubs = torch.where(
            is_hub,
            self.between_hubs[(*lead, hub)],
            self.to_hubs.transpose(-2, -1)[(*lead, typed)],
        )
        return _join(hubs, scores)

    def log_away_from(self, sentence: Tensor, tag: Tensor) -> Tensor:
        """RETURNS (Tensor): (*, N + 1), from weights the scores of the moves from some
        tags, up to a constant."""
        scores = MovesByType(*(field.log() for field in self))
        return scores.away_from(sentence, tag)

    def expected(self, before: Tensor, after: Tensor) -> "MovesByType":
        """How often each move is made.

        before (Tensor): (S, B, N + 1), what leads up to each tag of a move's left end.
        after (Tensor): (S, B, N + 1), what follows from each tag of its right end.
        RETURNS (MovesByType): Summed over the batch if it shares these weights.
        """
        left_hubs, left = _split(before)
        right_hubs, right = _split(after)
        by_type = self.leave.shape[-2:]
        left_by_type = left.unflatten(-1, by_type)
        right_by_type = right.unflatten(-1, by_type)
        b = "" if self.are_shared else "b"
        entered = sum_of_others((right_by_type * self.enter).sum(-1))
        left_behind = sum_of_others((left_by_type * self.leave).sum(-1))
        counts = (
            torch.einsum(f"sblp,sblq->{b}lpq", left_by_type, right_by_type),
            torch.einsum(f"sbe,sbh->{b}he", left, right_hubs),
            torch.einsum(f"sbe,sbh->{b}he", right, left_hubs),
            torch.einsum(f"sbh,sbk->{b}hk", left_hubs, right_hubs),
            torch.einsum(f"sblp,sbl->{b}lp", left_by_type, entered),
            torch.einsum(f"sblp,sbl->{b}lp", right_by_type, left_behind),
        )
        return MovesByType(
            *(count * weight for count, weight in zip(counts, self, strict=True))
        )

    def log_expected(
        self, before: Tensor, after: Tensor, log_z: Tensor
    ) -> "MovesByType":
        """How often each move is made at one position, from scores.

        before (Tensor): (U, N + 1), in log space.
        after (Tensor): (U, N + 1), in log space.
        log_z (Tensor): (U,).
        RETURNS (MovesByType): For each sentence.
        """
        left_hubs, left = _split(before)
        right_hubs, right = _split(after)
        by_type = self.leave.shape[-2:]
        left_by_type = left.unflatten(-1, by_type)
        right_by_type = right.unflatten(-1, by_type)
        entered = log_sum_of_others((right_by_type + self.enter).logsumexp(-1))
        left_behind = log_sum_of_others((left_by_type + self.leave).logsumexp(-1))
        logs = (
            left_by_type.unsqueeze(-1) + right_by_type.unsqueeze(-2),
            left.unsqueeze(-2) + right_hubs.unsqueeze(-1),
            right.unsqueeze(-2) + left_hubs.unsqueeze(-1),
            left_hubs.unsqueeze(-1) + right_hubs.unsqueeze(-2),
            left_by_type + entered.unsqueeze(-1),
            right_by_type + left_behind.unsqueeze(-1),
        )
        return MovesByType(
            *(
                exp_relative_to(log + score, log_z)
                for log, score in zip(logs, self, strict=True)
            )
        )


def _split(tags: Tensor) -> tuple[Tensor, Tensor]:
    """(*, 2) the hubs, which are the first and the last tag, and (*, L * P) the
    others."""
    return tags[..., :: tags.size(-1) - 1], tags[..., 1:-1]


def _join(hubs: Tensor, typed: Tensor) -> Tensor:
    return torch.cat((hubs[..., :1], typed, hubs[..., 1:]), -1)
