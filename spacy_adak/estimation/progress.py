"""Show how far the trainings are that run somewhere, and how long it may yet take."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tqdm import tqdm

from .executors import Executor, Task
from .training import TrainingTask

_SECONDS_BETWEEN_LOOKS = 0.5


class Stopwatch:
    """Foretells how long a run may take, from the trainings that are done.

    planned_trainings (int): How many trainings the whole run has at most.
    at_once (int): How many run at a time.
    """

    def __init__(self, planned_trainings: int, at_once: int) -> None:
        self.left = planned_trainings
        self.at_once = at_once
        self.seconds: list[float] = []

    def count(self, trainings: int, seconds: float) -> None:
        """Note that some trainings were done together in so many seconds."""
        self.left -= trainings
        self.seconds += [seconds / max(1, -(-trainings // self.at_once))] * trainings

    def seconds_left(self) -> float | None:
        """RETURNS (float | None): At most, if nothing converges before."""
        if not self.seconds:
            return None
        return self.left * sum(self.seconds) / len(self.seconds) / self.at_once


def watched(execute: Executor, stopwatch: Stopwatch, show: bool) -> Executor:
    """Show a progress bar per training while tasks are executed.

    execute (Executor): Runs tasks.
    stopwatch (Stopwatch): Counts the trainings.
    show (bool): Whether to show anything.
    RETURNS (Executor): Does the same, with progress bars.
    """

    def run(tasks: Sequence[Task]) -> None:
        trainings = [
            task
            for task in tasks
            if isinstance(task, TrainingTask) and not task.is_done()
        ]
        started = time.monotonic()
        with _bars(trainings, stopwatch, show):
            execute(tasks)
        if trainings:
            stopwatch.count(len(trainings), time.monotonic() - started)

    return run


@contextmanager
def _bars(
    tasks: Sequence[TrainingTask], stopwatch: Stopwatch, show: bool
) -> Iterator[None]:
    if not show or not tasks:
        yield
        return
    bars = [
        tqdm(desc=task.name, unit="step", position=i, leave=False)
        for i, task in enumerate(tasks)
    ]
    left = stopwatch.seconds_left()
    if left is not None:
        bars[0].set_postfix_str(f"run: {describe_seconds(left)} left at most")
    done = threading.Event()

    def look() -> None:
        while not done.wait(_SECONDS_BETWEEN_LOOKS):
            for task, bar in zip(tasks, bars, strict=True):
                step, total = _read_progress(task.progress_path)
                bar.total = total
                bar.n = step
                bar.refresh()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        for bar in bars:
            bar.close()


def _read_progress(path: Path) -> tuple[int, int | None]:
    try:
        progress = json.loads(path.read_text(encoding="utf8"))
    except (FileNotFoundError, ValueError):
        # Not begun, or just being written.
        return 0, None
    return progress["step"], progress["total"]


def describe_seconds(seconds: float) -> str:
    """RETURNS (str): A time to read, such as "1 h 20 min"."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
