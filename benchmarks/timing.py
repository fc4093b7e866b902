"""Fair timing on a machine that does other things too.

Contenders take turns within one process, so that what slows the machine down slows
all of them down; what counts is the ratio of two times taken within one round. Times
are CPU seconds, which leave out when other processes had the core.
"""

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence

LEAST_ROUNDS = 3
MOST_ROUNDS = 300


def time_in_turns(
    tasks: Mapping[str, Callable[[], object]],
    seconds: float,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Time tasks round by round, each once a round, in rotating order.

    tasks (Mapping[str, Callable[[], object]]): What to time, by name.
    seconds (float): When to stop. A task that would use up more than a tenth of this
        in one call takes part in the first rounds only.
    clock (Callable[[], float]): The time in seconds.
    RETURNS (dict[str, list[float]]): Seconds by name, in the order of the rounds.
    """
    names = list(tasks)
    slow = {name for name in names if _time(tasks[name], clock) > seconds / 10}
    times: dict[str, list[float]] = {name: [] for name in names}
    start = clock()
    gc.collect()
    gc.disable()
    try:
        for turn in range(MOST_ROUNDS):
            if turn >= LEAST_ROUNDS and clock() - start > seconds:
                break
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                if turn < LEAST_ROUNDS or name not in slow:
                    times[name].append(_time(tasks[name], clock))
    finally:
        gc.enable()
    return times


def _time(task: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    task()
    return clock() - start


def median_ratio(numerator: Sequence[float], denominator: Sequence[float]) -> float:
    """The median over the rounds in which both were timed.

    numerator (Sequence[float]): Times in the order of the rounds.
    denominator (Sequence[float]): The same of another task.
    RETURNS (float): The median of the ratios; not the ratio of the medians.
    """
    return statistics.median(
        a / b for a, b in zip(numerator, denominator, strict=False)
    )
