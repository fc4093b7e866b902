"""Scores of moves from one tag to the next where there are many types: no matrix.

A matrix grows with the square of the number of types, and nearly all of it is about
moves from an entity of one type straight to an entity of another. Such a move has a
score of two parts here, one of the tag it leaves and one of the tag it enters; all
other moves have numbers of their own, as they do in a matrix:

    within a type, from its tags to its tags, which holds for two neighbours as well;
    to and from the tags of no type, which are O and the border.
"""

import torch
from torch import Tensor

# The columns of a row of `transitions` after those for the P tags of the row's type.
TO_OUTSIDE, FROM_OUTSIDE, LEAVE, ENTER = range(4)
EXTRA_COLUMNS = 4


def are_by_type(transitions: Tensor) -> bool:
    """RETURNS (bool): Whether transitions have this form. A matrix has as many columns
    as rows. Here the number of rows is odd and that of columns is even, as a type has
    two tags or four."""
    return transitions.size(-1) != transitions.size(-2)


def move_scores(transitions: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """The scores of single moves, with a gradient.

    transitions (Tensor): (N, P + 4) or (B, N, P + 4).
    left (Tensor): (B, M) int64, tags.
    right (Tensor): (B, M) int64, the tags that come next.
    RETURNS (Tensor): (B, M).
    """
    per_row = transitions.size(-1)
    P = per_row - EXTRA_COLUMNS
    scores = transitions.flatten(-2).expand(len(left), -1)
    is_same_type = (left - 1).div(P, rounding_mode="floor") == (right - 1).div(
        P, rounding_mode="floor"
    )
    column = torch.where(is_same_type, (right - 1) % P, P + LEAVE)
    column = torch.where(right == 0, P + TO_OUTSIDE, column)
    from_outside = (left == 0) & (right > 0)
    column = torch.where(from_outside, P + FROM_OUTSIDE, column)
    row = torch.where(from_outside, right, left)
    first = scores.gather(1, row * per_row + column)
    second = scores.gather(1, right * per_row + P + ENTER)
    is_across = (left > 0) & (right > 0) & ~is_same_type
    return first + torch.where(is_across, second, torch.zeros_like(second))


def relative_rows(transitions: Tensor) -> Tensor:
    """Take from the scores of all moves what the best of them has, or a little more.

    transitions (Tensor): (N, P + 4).
    RETURNS (Tensor): (N, P + 4), nothing above 0.
    """
    most_of_enter = transitions[:, -1].max().nan_to_num(neginf=0.0)
    rows = transitions.clone()
    rows[:, -1] -= most_of_enter
    rows[:, -2] += most_of_enter
    # Two parts make one move: only one of them gives way.
    rows[:, :-1] -= rows[:, :-1].max()
    return rows
