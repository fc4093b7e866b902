"""Sums over all tag paths of a sentence: partition, marginals, expected moves.

Both recursions run in scaled exp space in float64, the forward and the backward one
stacked in a single matrix product per step. Where that could lose a path that counts
(see `_SAFE_WEIGHT`), a sentence is computed again in log space.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .chain import BorderedChain, Chain, add_border
from .moves import DenseMoves, exp_relative_to
from .moves_by_type import MovesByType

_NEGATIVE_INFINITY = float("-inf")
# The messages are rescaled every so many steps.
_RESCALE_EVERY = 4
_LEAST = torch.finfo(torch.float64).tiny
# Below this many numbers per step the time goes into calls.
_FEW_NUMBERS = 2**13
# When the scaled recursion can be trusted. It loses a path where the path's weight in
# a message falls below 1e-307. A path lost by one recursion only is still seen by the
# other, so it cannot count where the paths found weigh more than `_SAFE_WEIGHT`. A path
# lost by both weighs less than exp(-1400) times what the steps between can add. In a
# long sentence that is no small number; there we see whether the forward recursion met
# with any number so small that it can have lost a path at all.
_SAFE_WEIGHT = 1e-250
_SAFE_LOG_TOTAL = -1300.0
_SAFE_LOG_MESSAGE = -650.0


class Messages(NamedTuple):
    """What forward and backward recursion leave behind, S = T + 1 positions.

    `before` and `after` at a position leave out, respectively hold, the emission of
    that position; forward messages come from the left, backward ones from the right.
    All are scaled; `log_z` is not. For the sentences in `unsafe` only `log_z` and the
    messages in log space hold.
    """

    weights: DenseMoves | MovesByType  # of the moves, scaled
    forward_before: Tensor  # (S, B, N + 1)
    forward_after: Tensor  # (S + 1, B, N + 1), index 0 is the border before the text
    backward_after: Tensor  # (S, B, N + 1)
    weight: Tensor  # (S, B): what all paths weigh on this scale
    log_z: Tensor  # (B,)
    unsafe: Tensor  # (U,) sentence indices
    log_moves: DenseMoves | MovesByType  # of the sentences that are unsafe
    log_forward: Tensor  # (S + 1, U, N + 1), holds the emission
    log_forward_before: Tensor  # (S, U, N + 1)
    log_backward: Tensor  # (S, U, N + 1), holds the emission


def run_messages(chain: BorderedChain) -> Messages:
    """Run the forward and the backward recursion over a batch."""
    S, B, N = chain.emissions.shape
    highest_emission = chain.emissions.amax(2, keepdim=True)
    # A token without any allowed tag has -inf here; its messages become zero.
    highest_emission.masked_fill_(highest_emission == _NEGATIVE_INFINITY, 0.0)
    highest_move = chain.moves.highest()
    weights = chain.moves.weights(highest_move)
    evidence = (chain.emissions - highest_emission).exp_()
    # Forward and backward recursion are one recursion on two orders of the text; G is
    # the number of sets of moves, M the number of messages that each of them moves.
    step = weights.both_ways()
    G = len(step[0])
    M = 2 * B // G
    evidence = torch.stack((evidence, evidence.flip(0)), 1).view(S, G, M, N)
    before = torch.empty_like(evidence)
    after = evidence.new_empty((S + 1, G, M, N))
    after[0] = 0.0
    after[0, ..., -1] = 1.0
    scales = _take_steps(before, after, evidence, step)
    before, after = before.view(S, 2, B, N), after.view(S + 1, 2, B, N)
    forward_before = before[:, 0]
    backward_after = after[1:, 1].flip(0)
    weight = (forward_before * backward_after).sum(2)
    log_total = after[S, 0, :, -1].log() + scales.view(-1, 2, B)[:, 0].log().sum(0)
    log_z = log_total + highest_emission.sum((0, 2)) + S * highest_move
    most_growth = S * weights.most_growth()
    found_weighs = weight.amin(0) >= _SAFE_WEIGHT
    lost_weighs_not = log_total >= _SAFE_LOG_TOTAL + most_growth
    unsafe = (~(found_weighs & lost_weighs_not)).nonzero()[:, 0]
    if len(unsafe):
        least = _least_log_message(after[:S, 0, unsafe], chain.pick(unsafe))
        unsafe = unsafe[~found_weighs[unsafe] | (least < _SAFE_LOG_MESSAGE)]
    unsafe_chain = chain.pick(unsafe)
    log_forward, log_forward_before, log_backward = _run_messages_in_log_space(
        unsafe_chain
    )
    log_z[unsafe] = log_forward[S, :, -1]
    return Messages(
        weights=weights,
        forward_before=forward_before,
        forward_after=after[:, 0],
        backward_after=backward_after,
        weight=weight,
        log_z=log_z,
        unsafe=unsafe,
        log_moves=unsafe_chain.moves,
        log_forward=log_forward,
        log_forward_before=log_forward_before,
        log_backward=log_backward,
    )


def _take_steps(
    before: Tensor,
    after: Tensor,
    evidence: Tensor,
    step: DenseMoves | MovesByType,
) -> Tensor:
    """Fill in all messages but the first, and return what they were divided by."""
    S = len(evidence)
    scales = after.new_empty((S // _RESCALE_EVERY, *after.shape[1:3]))
    arrays: tuple[Any, ...] = (before, after, evidence, scales)
    move: Any = step.sum_step
    multiply: Any = torch.mul
    few = after[0].numel() <= _FEW_NUMBERS and after.size(1) == 2
    if few and after.device.type == "cpu" and isinstance(step, DenseMoves):
        # In many steps on few numbers NumPy takes half the time of torch.
        matrix = step.matrix.numpy()
        move = partial(_numpy_step, matrix)
        multiply = numpy.multiply
        arrays = tuple(array.numpy() for array in arrays)
    befores, afters, evidences, scales_of_steps = map(list, arrays)
    for s in range(S):
        move(afters[s], befores[s])
        multiply(befores[s], evidences[s], out=afters[s + 1])
        if s % _RESCALE_EVERY == _RESCALE_EVERY - 1:
            # The least normal number keeps a message of zeros zero.
            scale = afters[s + 1].sum(2) + _LEAST
            afters[s + 1] /= scale[..., None]
            scales_of_steps[s // _RESCALE_EVERY][...] = scale
    return scales


def _numpy_step(
    matrix: numpy.ndarray, message: numpy.ndarray, out: numpy.ndarray
) -> None:
    numpy.matmul(message, matrix, out=out)


def _least_log_message(forward_after: Tensor, chain: BorderedChain) -> Tensor:
    """(B,): a lower bound on the log of all numbers the scaled recursion meets with."""

    def least(log_numbers: Tensor) -> Tensor:
        # What is forbidden is zero and is meant to be.
        forbidden = log_numbers == _NEGATIVE_INFINITY
        return log_numbers.masked_fill_(forbidden, 0.0).amin(-1)

    steps = least(forward_after.log())
    steps += least(chain.emissions - chain.emissions.amax(2, keepdim=True))
    steps += chain.moves.spread()
    return steps.amin(0)


def _run_messages_in_log_space(
    chain: BorderedChain,
) -> tuple[Tensor, Tensor, Tensor]:
    """Both recursions without any rounding to zero, for a few sentences: the forward
    messages, the same before the emission of their position, the backward ones."""
    emissions, moves = chain
    S, B, N = emissions.shape
    forward = emissions.new_full((S + 1, B, N), _NEGATIVE_INFINITY)
    forward[0, :, -1] = 0.0
    before = torch.empty_like(emissions)
    backward = emissions.new_full((S + 1, B, N), _NEGATIVE_INFINITY)
    backward[S, :, -1] = 0.0
    if B == 0:
        return forward, before, backward[:S]
    for s in range(S):
        before[s] = moves.log_sum_step(forward[s])
        forward[s + 1] = before[s] + emissions[s]
    for s in reversed(range(S)):
        moved = moves.log_sum_step_back(backward[s + 1])
        # Beyond the last position there is nothing but border: no move is made.
        backward[s] = emissions[s] + (moved if s < S - 1 else backward[S])
    return forward, before, backward[:S]


def node_marginals(messages: Messages) -> Tensor:
    """(S, B, N + 1): the probability of each tag at each position."""
    nodes = messages.forward_before * messages.backward_after
    nodes /= messages.weight.unsqueeze(2)
    if len(messages.unsafe):
        log_nodes = messages.log_forward_before + messages.log_backward
        log_z = messages.log_z[messages.unsafe]
        nodes[:, messages.unsafe] = exp_relative_to(
            log_nodes.transpose(0, 1), log_z
        ).transpose(0, 1)
    return nodes


def _edge_expectations_in_log_space(
    messages: Messages,
) -> DenseMoves | MovesByType:
    """How often each move is made, for each sentence that is unsafe."""
    log_z = messages.log_z[messages.unsafe]
    # All positions at once would be much to hold in memory if there are many tags.
    positions = (
        messages.log_moves.log_expected(forward, backward, log_z)
        for forward, backward in zip(
            messages.log_forward[:-1], messages.log_backward, strict=True
        )
    )
    edges = next(positions)
    for more in positions:
        for count, more_count in zip(edges, more, strict=True):
            count += more_count
    return edges


def _edge_expectations(
    messages: Messages, row_weight: Tensor
) -> DenseMoves | MovesByType:
    """How often each move is made, times the weight of its sentence. Summed over the
    batch if it shares the moves."""
    before = messages.forward_after[:-1]
    into = messages.backward_after * (row_weight / messages.weight).unsqueeze(2)
    if len(messages.unsafe):
        into[:, messages.unsafe] = 0.0
    edges = messages.weights.expected(before, into)
    if len(messages.unsafe):
        unsafe_weight = row_weight[messages.unsafe]
        unsafe_edges = _edge_expectations_in_log_space(messages)
        for count, unsafe_count in zip(edges, unsafe_edges, strict=True):
            unsafe_count *= unsafe_weight.view(-1, *(1,) * (unsafe_count.dim() - 1))
            if edges.are_shared:
                count += unsafe_count.sum(0)
            else:
                count[messages.unsafe] = unsafe_count
    return edges


class _LogPartition(torch.autograd.Function):
    """log Z, whose gradient is known in closed form: the marginals."""

    @staticmethod
    def forward(
        ctx: Any,
        emissions: Tensor,
        lengths: Tensor,
        transitions: Tensor,
        start: Tensor,
        end: Tensor,
    ) -> Tensor:
        chain = Chain(emissions, lengths, transitions, start, end)
        ctx.messages = run_messages(add_border(chain))
        ctx.chain = chain
        return ctx.messages.log_z.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_log_z: Tensor) -> tuple[Tensor | None, ...]:
        chain: Chain = ctx.chain
        T, N = chain.emissions.shape[1:]
        d_emissions = None
        if ctx.needs_input_grad[0]:
            nodes = node_marginals(ctx.messages)[:T, :, :N]
            d_emissions = (nodes * d_log_z.unsqueeze(1)).transpose(0, 1)
            d_emissions = d_emissions.to(chain.emissions.dtype)
        d_transitions = d_start = d_end = None
        if any(ctx.needs_input_grad[2:]):
            edges = _edge_expectations(ctx.messages, d_log_z)
            of_moves = edges.without_border()
            d_transitions, d_start, d_end = map(_like, of_moves, chain[2:])
        return d_emissions, None, d_transitions, d_start, d_end


def _like(gradient: Tensor, parameter: Tensor) -> Tensor:
    """Sum a per-sentence gradient where the parameter is shared by the batch."""
    if gradient.dim() > parameter.dim():
        gradient = gradient.sum(0)
    return gradient.to(parameter.dtype)


def log_partition(chain: Chain) -> Tensor:
    """The log of the summed weight of all paths: the denominator of Eq. 1.

    chain (Chain): The scores. Forbid tags or paths with -inf, see `Chain.allowing`.
    RETURNS (Tensor): (B,) float64, whatever the type of the scores: differences of
        such values matter. -inf says that a sentence has no legal path.
    """
    if not chain.emissions.numel():
        return chain.emissions.sum((1, 2), dtype=torch.float64)
    return _LogPartition.apply(*chain)


def marginals(chain: Chain) -> Tensor:
    """The probability of each tag at each token. No gradient.

    chain (Chain): The scores.
    RETURNS (Tensor): (B, T, N) float64; zero on padding and where there is no legal
        path.
    """
    if not chain.emissions.numel():
        return chain.emissions.detach().double()
    T, N = chain.emissions.shape[1:]
    nodes = node_marginals(run_messages(add_border(chain.detach())))
    return nodes[:T, :, :N].transpose(0, 1)
