"""What every contender has to compute, and how `spacy_adak` computes it."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from spacy_adak.crf.chain import Chain, path_scores
from spacy_adak.crf.decode import kbest, viterbi
from spacy_adak.crf.losses import HardQ, adak, negative_log_likelihood, uniform_q

UNKNOWN = -1
KNOWN_SHARE = 0.3
KS = (1, 5, 9)


class Size(NamedTuple):
    batch: int
    length: int
    tags: int


class Problem(NamedTuple):
    """A ragged batch with random scores, the same for all contenders.

    chain (Chain): Float32 scores. Nothing in it is forbidden, as some peers cannot
        forbid.
    gold (Tensor): (B, T) int64, a path.
    partial (Tensor): (B, T) int64, the same with most tags unknown.
    allowed (Tensor): (B, T, N) bool, the tags that agree with `partial`.
    """

    chain: Chain
    gold: Tensor
    partial: Tensor
    allowed: Tensor

    @property
    def size(self) -> Size:
        return Size(*self.chain.emissions.shape)


def make_problem(size: Size, seed: int = 0) -> Problem:
    """Make sentences of half the length up to the full length; one is of full length.

    size (Size): The batch.
    seed (int): Of the random numbers.
    RETURNS (Problem): The batch.
    """
    B, T, N = size
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint((T + 1) // 2, T + 1, (B,), generator=generator)
    lengths[0] = T
    shapes = ((B, T, N), (N, N), (N,), (N,))
    scores = [torch.randn(shape, generator=generator) for shape in shapes]
    gold = torch.randint(0, N, (B, T), generator=generator)
    known = torch.rand((B, T), generator=generator) < KNOWN_SHARE
    return Problem(
        chain=Chain(scores[0], lengths, *scores[1:]),
        gold=gold,
        partial=gold.masked_fill(~known, UNKNOWN),
        allowed=torch.nn.functional.one_hot(gold, N).bool() | ~known.unsqueeze(2),
    )


class Task(NamedTuple):
    """Something to time, and how to compare what it returned."""

    run: Callable[[], Any]
    numbers: Callable[[Any], Tensor]


class Contender(Protocol):
    """A library, set up for one problem."""

    name: str

    def tasks(self) -> dict[str, Task]: ...


def loss_task(loss: Callable[[], Tensor], scores: list[Tensor]) -> Task:
    """Forward and backward of a loss.

    loss (Callable[[], Tensor]): Gives the sum over the batch.
    scores (list[Tensor]): Emissions, transitions, start and end, with gradient.
    RETURNS (Task): Its numbers are the loss and all of the gradient.
    """

    def run() -> list[Tensor]:
        value = loss()
        return [value, *torch.autograd.grad(value, scores)]

    return Task(run, lambda found: torch.cat([x.double().flatten() for x in found]))


def paths_task(
    decode: Callable[[], Any], problem: Problem, paths: Callable[[Any], Tensor]
) -> Task:
    """Decoding. Its numbers are the scores of the paths, as near ties may swap paths.

    decode (Callable[[], Any]): Gives paths in the contender's own form.
    problem (Problem): Scores the paths.
    paths (Callable[[Any], Tensor]): Brings them to the form (B, K, T). Not timed.
    RETURNS (Task): The task.
    """
    return Task(decode, lambda found: path_scores(problem.chain, paths(found)))


def padded(paths: list[list[int]]) -> Tensor:
    """RETURNS (Tensor): (B, 1, T) of one list of tags per sentence."""
    tensors = [torch.tensor(path) for path in paths]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True).unsqueeze(1)


class SpacyAdak:
    """The package itself, through its public functions."""

    name = "spacy_adak"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.chain = Chain(
            *(
                x.clone().requires_grad_() if x.is_floating_point() else x
                for x in problem.chain
            )
        )

    def tasks(self) -> dict[str, Task]:
        adak_task = self._loss_task(lambda: self._adak_loss(0.5))
        # No peer has this loss. Without weight on the K best paths it is the plain one.
        plain = self._loss_task(lambda: self._adak_loss(0.0))
        return {
            "loss": self._loss_task(self._loss),
            "constrained loss": self._loss_task(self._constrained_loss),
            "adak loss, K=5": Task(adak_task.run, lambda _: plain.numbers(plain.run())),
            "viterbi": paths_task(self._viterbi, self.problem, padded),
            **{
                f"kbest, K={k}": paths_task(
                    partial(kbest, self.chain, k), self.problem, lambda best: best.paths
                )
                for k in KS
            },
        }

    def _loss_task(self, loss: Callable[[], Tensor]) -> Task:
        scores = [x for x in self.chain if x.requires_grad]
        return loss_task(lambda: loss().sum(), scores)

    def _loss(self) -> Tensor:
        return negative_log_likelihood(self.chain, HardQ(self.problem.gold))

    def _constrained_loss(self) -> Tensor:
        q = uniform_q(self.problem.allowed)
        return negative_log_likelihood(self.chain, q)

    def _adak_loss(self, weight: float) -> Tensor:
        q = HardQ(self.problem.gold)
        return adak(self.chain, q, self.problem.allowed, 5, weight)

    def _viterbi(self) -> list[list[int]]:
        # As lists without padding, which is what the peers return.
        paths = viterbi(self.chain).paths[:, 0].tolist()
        lengths = self.chain.lengths.tolist()
        return [path[:length] for path, length in zip(paths, lengths, strict=True)]
