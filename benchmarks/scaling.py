"""How time and memory of `spacy_adak` grow with the length of the sentences."""

import itertools
import statistics
from collections.abc import Callable
from typing import NamedTuple

import torch

from .problem import Size, SpacyAdak, make_problem
from .timing import time_in_turns

TASKS = ("loss", "adak loss, K=5", "viterbi", "kbest, K=5")
LENGTHS = (128, 256, 512, 1024)
BATCH, TAGS = 64, 9


class Growth(NamedTuple):
    """Milliseconds and megabytes by length, and how they compare to a straight line.

    The excess is what a token costs in the longest sentences over what it costs in the
    shortest: 1 is linear growth, 8 would be quadratic.
    """

    task: str
    milliseconds: list[float]
    megabytes: list[float]

    @property
    def time_excess(self) -> float:
        return excess(self.milliseconds)

    @property
    def memory_excess(self) -> float:
        return excess(self.megabytes)


def excess(costs: list[float]) -> float:
    """What a token costs at the last length over what it costs at the first."""
    return (costs[-1] / LENGTHS[-1]) / (costs[0] / LENGTHS[0])


def measure_growth(task: str, seconds: float) -> Growth:
    """Measure one task at all lengths.

    task (str): One of `TASKS`.
    seconds (float): How long to time it.
    RETURNS (Growth): What was found.
    """
    runs = {
        str(length): SpacyAdak(make_problem(Size(BATCH, length, TAGS)))
        .tasks()[task]
        .run
        for length in LENGTHS
    }
    times = time_in_turns(runs, seconds)
    milliseconds = [statistics.median(times[name]) * 1e3 for name in runs]
    return Growth(task, milliseconds, [_peak_megabytes(run) for run in runs.values()])


def _peak_megabytes(run: Callable[[], object]) -> float:
    """The most that torch holds at a time beyond what it held before."""
    with torch.autograd.profiler.profile(profile_memory=True) as profiler:
        run()
    events = profiler.kineto_results.events()
    changes = (event.nbytes() for event in events if event.name() == "[memory]")
    return max(itertools.accumulate(changes)) / 2**20
