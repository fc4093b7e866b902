"""The best paths of a sentence: Viterbi and K-best. No gradient.

One pass from the left finds the best score of a path up to each tag of each token. Then
paths are built from the right, as the K suffixes whose best completions score highest.
This is exact: a suffix of one of the K best paths has a completion as good as that
path, so fewer than K other suffixes can do better.
"""

from typing import Any, NamedTuple

import numpy
import torch
from torch import Tensor

from .chain import BorderedChain, Chain, add_border
from .moves import DenseMoves
from .moves_by_type import MovesByType

_NEGATIVE_INFINITY = float("-inf")
# How many moves are compared in one go: as many as stay in the cache of a processor.
_MOVES_AT_ONCE = 2**18
# Below this many moves the time goes into calls, not into numbers.
_FEW_MOVES = 2**12


class KBest(NamedTuple):
    """The best paths of each sentence, best first.

    Ties are broken the same way every time, whatever else is in the batch: between
    equally good completions, by the rank of the suffix and then the smaller tag. So a
    Viterbi path has the smaller tag at the last token where equal paths differ.

    paths (Tensor): (B, K, T) int64, zero on padding and where there is no path.
    scores (Tensor): (B, K) float64, the `path_scores` up to rounding; -inf where there
        is no path.
    valid (Tensor): (B, K) bool, false from the first missing path on.
    """

    paths: Tensor
    scores: Tensor
    valid: Tensor


def viterbi(chain: Chain) -> KBest:
    """The best path of each sentence (Eq. 3).

    chain (Chain): The scores. Forbid tags or moves with -inf.
    RETURNS (KBest): With K = 1.
    """
    if not chain.emissions.numel():
        return _without_tokens(chain, 1)
    with torch.inference_mode():
        bordered = add_border(chain)
        prefixes = _best_prefixes(bordered)
        paths = _backtrace(bordered, prefixes).unsqueeze(1)
    return _as_kbest(paths, prefixes[-1, :, -1:], border=prefixes.size(2) - 1)


def kbest(chain: Chain, k: int) -> KBest:
    """The k best paths of each sentence, or all there are.

    chain (Chain): The scores. Forbid tags or moves with -inf.
    k (int): How many.
    RETURNS (KBest): With K = k.
    """
    if not chain.emissions.numel():
        return _without_tokens(chain, k)
    with torch.inference_mode():
        bordered = add_border(chain)
        prefixes = _best_prefixes(bordered)
        paths, scores, tied = _best_suffixes(bordered, prefixes, k, stable=False)
        if len(tied):
            # `topk` leaves the order of equals open; the slower stable sort does not.
            paths[tied], scores[tied], _ = _best_suffixes(
                bordered.pick(tied), prefixes[:, tied], k, stable=True
            )
    return _as_kbest(paths, scores, border=prefixes.size(2) - 1)


def _without_tokens(chain: Chain, k: int) -> KBest:
    """One path, which is empty, for each sentence there is."""
    B, T, _ = chain.emissions.shape
    scores = chain.emissions.new_full((B, k), _NEGATIVE_INFINITY, dtype=torch.float64)
    scores[:, 0] = 0.0
    return KBest(chain.lengths.new_zeros((B, k, T)), scores, scores == 0.0)


def _as_kbest(paths: Tensor, scores: Tensor, border: int) -> KBest:
    """Zero what is no tag. Copies, because autograd refuses inference tensors."""
    valid = scores > _NEGATIVE_INFINITY
    no_tag = (paths == border) | ~valid.unsqueeze(2)
    return KBest(paths.masked_fill(no_tag, 0), scores.clone(), valid)


def _best_prefixes(chain: BorderedChain) -> Tensor:
    """(S, B, N + 1): the score of the best path up to a tag, its emission included."""
    if isinstance(chain.moves, MovesByType):
        return _best_prefixes_by_type(chain.emissions, chain.moves)
    return _best_prefixes_of_all_moves(chain.emissions, chain.moves)


def _best_prefixes_by_type(emissions: Tensor, moves: MovesByType) -> Tensor:
    prefixes = emissions.clone()
    border = torch.full_like(prefixes[0], _NEGATIVE_INFINITY)
    border[:, -1] = 0.0
    prefixes[0] += moves.best_step(border)
    for s in range(1, len(prefixes)):
        prefixes[s] += moves.best_step(prefixes[s - 1])
    return prefixes


def _best_prefixes_of_all_moves(emissions: Tensor, all_moves: DenseMoves) -> Tensor:
    S, B, N = emissions.shape
    # With the sentences last, each maximum is taken over all of them at once.
    moves = all_moves.matrix
    moves = moves.unsqueeze(2) if moves.dim() == 2 else moves.permute(1, 2, 0)
    prefixes = emissions.transpose(1, 2).clone(memory_format=torch.contiguous_format)
    prefixes[0] += moves[-1]
    some = max(1, _MOVES_AT_ONCE // N**2)
    for part, part_moves in zip(
        prefixes.split(some, 2),
        moves.expand(N, N, B).split(some, 2),
        strict=True,
    ):
        part_moves = part_moves.contiguous()
        longer, best = part.new_empty(part_moves.shape), part.new_empty(part[0].shape)
        arrays: tuple[Any, ...] = (part, part.unsqueeze(2), part_moves, longer, best)
        add: Any = torch.add
        highest: Any = torch.amax
        if longer.numel() <= _FEW_MOVES and longer.device.type == "cpu":
            # In many steps on few numbers NumPy takes half the time of torch.
            add, highest = numpy.add, numpy.maximum.reduce
            arrays = tuple(array.numpy() for array in arrays)
        ends, starts, step, longer, best = arrays
        ends, starts = list(ends), list(starts)
        for s in range(1, S):
            add(starts[s - 1], step, out=longer)
            highest(longer, 0, out=best)
            add(ends[s], best, out=ends[s])
    return prefixes.transpose(1, 2).contiguous()


def _backtrace(chain: BorderedChain, prefixes: Tensor) -> Tensor:
    """(B, T): the tags of the best path, from the border after the text backwards."""
    S, B, N = prefixes.shape
    if isinstance(chain.moves, MovesByType):
        return _backtrace_by_type(chain.moves, prefixes)
    # Again few numbers per step.
    ends = prefixes.cpu().numpy()
    into = chain.moves.matrix.transpose(-2, -1).contiguous().cpu().numpy()
    sentence = numpy.arange(B)
    tag = numpy.full(B, N - 1)
    tags = numpy.empty((S - 1, B), dtype=numpy.int64)
    for s in reversed(range(S - 1)):
        moves = into[tag] if into.ndim == 2 else into[sentence, tag]
        tag = tags[s] = (ends[s] + moves).argmax(1)
    return torch.from_numpy(tags).t().to(prefixes.device)


def _backtrace_by_type(moves: MovesByType, prefixes: Tensor) -> Tensor:
    S, B, N = prefixes.shape
    into = moves.backwards()
    sentence = torch.arange(B, device=prefixes.device)
    tag = torch.full_like(sentence, N - 1)
    tags = []
    for s in reversed(range(S - 1)):
        tag = (prefixes[s] + into.away_from(sentence, tag)).argmax(1)
        tags.append(tag)
    return torch.stack(tags[::-1], 1)


def _best_suffixes(
    chain: BorderedChain, prefixes: Tensor, k: int, stable: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """(B, k, T) paths, (B, k) scores, and the sentences that met with ties."""
    S, B, N = prefixes.shape
    device = prefixes.device
    into = chain.moves.backwards()
    sentence = torch.arange(B, device=device).unsqueeze(1)
    tag = torch.full((B, k), N - 1, device=device)
    suffix = chain.emissions.new_full((B, k), _NEGATIVE_INFINITY)
    suffix[:, 0] = 0.0
    choices, completions = [], []
    ends = prefixes.unsqueeze(2).unbind(0)
    emissions = chain.emissions.unsqueeze(2).unbind(0)
    for s in reversed(range(S - 1)):
        moves = into.away_from(sentence, tag)
        moved = suffix.unsqueeze(2) + moves
        completed = (moved + ends[s]).view(B, -1)
        # One more than needed shows whether the last one chosen has an equal.
        if stable:
            best, choice = completed.sort(dim=1, descending=True, stable=True)
            best, choice = best[:, : k + 1], choice[:, : k + 1]
        else:
            best, choice = completed.topk(k + 1, 1)
        choice = choice[:, :k]
        suffix = (moved + emissions[s]).view(B, -1).gather(1, choice)
        tag = choice % N
        choices.append(choice)
        completions.append(best)
    best = torch.stack(completions)
    equal = (best[..., 1:] == best[..., :-1]) & best[..., 1:].isfinite()
    parents = torch.stack(choices[::-1])
    tags = parents % N
    parents = parents.div_(N, rounding_mode="floor")
    rank = torch.arange(k, device=device).expand(B, k)
    ranks = [rank]
    for parent in parents[:-1].unbind(0):
        rank = parent.gather(1, rank)
        ranks.append(rank)
    paths = tags.gather(2, torch.stack(ranks)).permute(1, 2, 0)
    return paths, best[-1, :, :k], equal.any(2).any(0).nonzero()[:, 0]
