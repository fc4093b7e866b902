"""The peers, each with the scores of the problem and in the use its own pages show.

Masks, targets and potentials that do not depend on a gradient are made beforehand, and
decoding runs without autograd where the peer can do without.
"""

from functools import partial

import torch
from torch import Tensor

from .problem import KS, Problem, Task, loss_task, padded, paths_task

try:
    import pytorch_partial_crf
    import torch_struct
    import TorchCRF
    import torchcrf
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"'{error.name}' is not installed. `make bench` installs all peers.",
        name=error.name,
    ) from error

# torch-struct holds the scores of all triples of tags at half of the positions at once,
# for K-best those of all pairs of K paths. What takes more numbers than this is left
# out: it takes seconds per call, and soon all memory.
MOST_NUMBERS = 4e7


def copy_scores(
    problem: Problem, transitions: Tensor, start: Tensor, end: Tensor
) -> None:
    """Overwrite the parameters of a peer with the scores of the problem."""
    with torch.no_grad():
        transitions.copy_(problem.chain.transitions)
        start.copy_(problem.chain.start)
        end.copy_(problem.chain.end)


class PytorchCrf:
    name = "pytorch-crf"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.mask = problem.chain.token_mask()
        self.emissions = problem.chain.emissions.clone().requires_grad_()
        self.crf = torchcrf.CRF(problem.size.tags, batch_first=True)
        self.parameters = [
            self.crf.transitions,
            self.crf.start_transitions,
            self.crf.end_transitions,
        ]
        copy_scores(problem, *self.parameters)

    def tasks(self) -> dict[str, Task]:
        loss = loss_task(self._loss, [self.emissions, *self.parameters])
        return {
            "loss": loss,
            "adak loss, K=5": loss,
            "viterbi": paths_task(self._viterbi, self.problem, padded),
        }

    def _loss(self) -> Tensor:
        return -self.crf(self.emissions, self.problem.gold, self.mask, reduction="sum")

    @torch.inference_mode()
    def _viterbi(self) -> list[list[int]]:
        return self.crf.decode(self.emissions, self.mask)


class TorchCrf:
    name = "TorchCRF"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.mask = problem.chain.token_mask()
        self.emissions = problem.chain.emissions.clone().requires_grad_()
        self.crf = TorchCRF.CRF(problem.size.tags)
        self.parameters = [
            self.crf.trans_matrix,
            self.crf.start_trans,
            self.crf.end_trans,
        ]
        copy_scores(problem, *self.parameters)

    def tasks(self) -> dict[str, Task]:
        return {
            "loss": loss_task(self._loss, [self.emissions, *self.parameters]),
            "viterbi": paths_task(self._viterbi, self.problem, padded),
        }

    def _loss(self) -> Tensor:
        return -self.crf(self.emissions, self.problem.gold, self.mask).sum()

    @torch.inference_mode()
    def _viterbi(self) -> list[list[int]]:
        return self.crf.viterbi_decode(self.emissions, self.mask)


class PytorchPartialCrf:
    """Its constrained loss writes to its input if the batch is one sentence, and is
    then wrong: there it gets a copy, and its values are not compared."""

    name = "pytorch-partial-crf"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.mask = problem.chain.token_mask()
        self.emissions = problem.chain.emissions.clone().requires_grad_()
        self.plain = pytorch_partial_crf.CRF(problem.size.tags)
        self.partial = pytorch_partial_crf.PartialCRF(problem.size.tags)
        for crf in (self.plain, self.partial):
            copy_scores(problem, *self._parameters(crf))

    def _parameters(self, crf: pytorch_partial_crf.CRF) -> list[Tensor]:
        return [crf.transitions, crf.start_transitions, crf.end_transitions]

    def tasks(self) -> dict[str, Task]:
        scores = [self.emissions, *self._parameters(self.plain)]
        constrained_scores = [self.emissions, *self._parameters(self.partial)]
        return {
            "loss": loss_task(self._loss, scores),
            "constrained loss": loss_task(self._constrained_loss, constrained_scores),
            "viterbi": paths_task(self._viterbi, self.problem, padded),
        }

    def _loss(self) -> Tensor:
        return self.plain(self.emissions, self.problem.gold, self.mask)

    def _constrained_loss(self) -> Tensor:
        alone = self.problem.size.batch == 1
        emissions = self.emissions.clone() if alone else self.emissions
        return self.partial(emissions, self.problem.partial, self.mask)

    @torch.inference_mode()
    def _viterbi(self) -> list[list[int]]:
        return self.plain.viterbi_decode(self.emissions, self.mask)


class TorchStruct:
    """It has moves only: start, end and emissions are put into them. For the loss that
    belongs to the forward pass and is timed; for decoding it is not. Paths come as
    indicators of moves and are timed as such."""

    name = "torch-struct"

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.scores = [
            x.clone().requires_grad_() for x in problem.chain if x.is_floating_point()
        ]
        self.lengths = problem.chain.lengths
        self.events = torch_struct.LinearChainCRF.struct.to_parts(
            problem.gold, problem.size.tags, self.lengths
        ).float()
        self.potentials = self._potentials().detach()

    def tasks(self) -> dict[str, Task]:
        B, T, N = self.problem.size
        numbers = B * T / 2 * N**3
        if numbers > MOST_NUMBERS:
            return {}
        tasks = {
            "loss": loss_task(self._loss, self.scores),
            "viterbi": paths_task(
                lambda: self._distribution().argmax,
                self.problem,
                lambda moves: self._paths(moves.unsqueeze(0)),
            ),
        }
        for k in KS:
            if k * k * numbers <= MOST_NUMBERS:
                tasks[f"kbest, K={k}"] = paths_task(
                    partial(self._topk, k), self.problem, self._paths
                )
        return tasks

    def _potentials(self) -> Tensor:
        """(B, T - 1, N, N): the scores of the moves, to row from column."""
        emissions, transitions, start, end = self.scores
        last = (torch.arange(len(self.lengths)), self.lengths - 1)
        emissions = emissions.index_put(last, end.expand(len(self.lengths), -1), True)
        potentials = emissions[:, 1:].unsqueeze(3) + transitions.t().contiguous()
        potentials[:, 0] += (start + emissions[:, 0]).unsqueeze(1)
        return potentials

    def _distribution(self) -> torch_struct.LinearChainCRF:
        return torch_struct.LinearChainCRF(self.potentials, self.lengths)

    def _topk(self, k: int) -> Tensor:
        return self._distribution().topk(k)

    def _loss(self) -> Tensor:
        crf = torch_struct.LinearChainCRF(self._potentials(), self.lengths)
        return -crf.log_prob(self.events).sum()

    def _paths(self, moves: Tensor) -> Tensor:
        """(B, K, T) from indicators of moves (K, B, T - 1, N, N)."""
        to, source = moves.sum(4).argmax(3), moves[:, :, :1].sum(3).argmax(3)
        return torch.cat((source, to), 2).transpose(0, 1)


PEERS = (PytorchCrf, TorchCrf, PytorchPartialCrf, TorchStruct)
