"""Show the progress of all trainings, and how long they may still take."""

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tqdm import tqdm

from .ask_guesser import GuessingTask
from .encode_texts import EncodingTask
from .executors import Executor, Task
from .progress_file import read_progress
from .train_model import TrainingTask

_SECONDS_BETWEEN_LOOKS = 0.5
# After the first few, that take longer than others.
_STEPS_TO_TELL_BY = 20
_Watched = TrainingTask | EncodingTask | GuessingTask
# What is counted, and what is said when all is done.
_WORDS: dict[type[_Watched], tuple[str, str]] = {
    TrainingTask: ("step", "trained"),
    EncodingTask: ("text", "encoded"),
    GuessingTask: ("text", "guessed"),
}


def work_of_training(n_trainings: int, at_once: int) -> float:
    """How long each of some trainings that go together keeps a run waiting.

    n_trainings (int): As many as there are folds, or one on all data.
    at_once (int): How many run at a time.
    RETURNS (float): The time, in units of the time that training on all data takes.
    """
    if n_trainings == 1:
        return 1.0
    share_of_data = (n_trainings - 1) / n_trainings
    return share_of_data * -(-n_trainings // at_once) / n_trainings


class Stopwatch:
    """Foretells how long a run may take, from the trainings that are done.

    rounds (int): How many rounds are left, at most.
    folds (int): How many trainings each has besides the one on all data.
    at_once (int): How many trainings run at a time.
    """

    def __init__(self, rounds: int, folds: int, at_once: int) -> None:
        self.at_once = at_once
        fold_work = work_of_training(folds, at_once) if folds else 0.0
        self.left = rounds * (folds * fold_work + 1.0)
        self.done = 0.0
        self.is_announced = False
        self.started = time.monotonic()

    def restart(self) -> None:
        """Leave out of account what came before the first training."""
        self.started = time.monotonic()

    def count(self, work: float) -> None:
        """Note that a training is done."""
        self.left -= work
        self.done += work

    def skip(self, work: float) -> None:
        """Note that a training was done before this began."""
        self.left -= work

    def seconds_left(self, begun: float = 0.0) -> float | None:
        """Foretell how long the run may take, if nothing ends it before.

        begun (float): How much of the work of trainings that run is done.
        RETURNS (float | None): The time, if anything is done that it could be told by.
        """
        done, left = self.done + begun, self.left - begun
        if not done:
            return None
        return (time.monotonic() - self.started) / done * max(left, 0.0)


def watched(
    execute: Executor, stopwatch: Stopwatch, show: bool, follow_logs: bool
) -> Executor:
    """Show what happens while tasks are executed: bars on a terminal, elsewhere a line
    per training.

    execute (Executor): Runs tasks.
    stopwatch (Stopwatch): Counts the trainings.
    show (bool): Whether to show anything.
    follow_logs (bool): Whether to show what the trainings log, too.
    RETURNS (Executor): Does the same, and shows it.
    """

    def run(tasks: Sequence[Task]) -> None:
        # What comes before the first training.
        first = [
            task for task in tasks if isinstance(task, EncodingTask | GuessingTask)
        ]
        if first:
            new = [task for task in first if not task.is_done()]
            with _Watch(new, stopwatch, 0.0, show, follow_logs).looking():
                execute(tasks)
            stopwatch.restart()
            return
        trainings = [task for task in tasks if isinstance(task, TrainingTask)]
        work = work_of_training(max(1, len(trainings)), stopwatch.at_once)
        todo = [task for task in trainings if not task.is_done()]
        for _ in range(len(trainings) - len(todo)):
            stopwatch.skip(work)
        watch = _Watch(todo, stopwatch, work, show, follow_logs)
        with watch.looking():
            execute(tasks)

    return run


class _Watch:
    """Looks again and again at what some trainings leave on disk."""

    def __init__(
        self,
        tasks: Sequence[_Watched],
        stopwatch: Stopwatch,
        work: float,
        show: bool,
        follow_logs: bool,
    ) -> None:
        self.tasks = tasks
        self.stopwatch = stopwatch
        self.work = work
        self.show = show
        self.follow_logs = follow_logs
        self.running = list(tasks)
        self.begun: dict[_Watched, float] = {}
        self.shown_of_log = dict.fromkeys(tasks, 0)
        self.bars: dict[_Watched, tqdm] = {}

    @contextmanager
    def looking(self) -> Iterator[None]:
        if self.show and sys.stderr.isatty():
            self.bars = {
                task: tqdm(
                    desc=task.name,
                    unit=_WORDS[type(task)][0],
                    position=i,
                    leave=False,
                )
                for i, task in enumerate(self.tasks)
            }
            self._say_how_long()
        for task in self.tasks:
            # What a run that was killed has left there is not ours.
            task.log_path.unlink(missing_ok=True)
            task.progress_path.unlink(missing_ok=True)
        done = threading.Event()

        def look_again_and_again() -> None:
            while not done.wait(_SECONDS_BETWEEN_LOOKS):
                self._look()

        thread = threading.Thread(target=look_again_and_again, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            self._look()
            for bar in self.bars.values():
                bar.close()

    def _look(self) -> None:
        for task in list(self.running):
            if task.log_path.exists():
                self.begun.setdefault(task, time.monotonic())
            if self.follow_logs:
                self._follow_log(task)
            if task.is_done():
                self.running.remove(task)
                self.stopwatch.count(self.work)
                self._say_how_long(task)
        self._announce()
        for task, bar in self.bars.items():
            bar.n, bar.total = read_progress(task.progress_path)
            bar.refresh()

    def _announce(self) -> None:
        """Say once, after some steps of the first training, how long all may take."""
        if not self.show or not self.work or self.stopwatch.is_announced:
            return
        share, steps = 0.0, 0
        for task in self.running:
            step, total = read_progress(task.progress_path)
            share += step / total if total else 0.0
            steps += step
        if steps < _STEPS_TO_TELL_BY:
            return
        seconds_left = self.stopwatch.seconds_left(share * self.work)
        if seconds_left:
            self.stopwatch.is_announced = True
            _write(
                f"At this speed the run takes at most {describe_seconds(seconds_left)}"
            )

    def _say_how_long(self, finished: _Watched | None = None) -> None:
        seconds_left = self.stopwatch.seconds_left()
        left = ""
        if seconds_left:
            left = f"at most {describe_seconds(seconds_left)} left"
        if self.bars:
            next(iter(self.bars.values())).set_postfix_str(left and f"run: {left}")
        elif self.show and finished:
            now = time.monotonic()
            took = describe_seconds(now - self.begun.get(finished, now))
            line = f"{finished.name}: {_WORDS[type(finished)][1]} in {took}"
            _write(f"{line}; {left}" if left else line)

    def _follow_log(self, task: _Watched) -> None:
        if not task.log_path.exists():
            return
        with task.log_path.open("rb") as log:
            log.seek(self.shown_of_log[task])
            text = log.read()
        # A line that is not complete waits for its end; it may end within a character.
        lines = text[: text.rfind(b"\n") + 1]
        self.shown_of_log[task] += len(lines)
        for line in lines.decode("utf8").splitlines():
            _write(f"{task.name}: {line}")


def _write(line: str) -> None:
    tqdm.write(line, file=sys.stderr)


def describe_seconds(seconds: float) -> str:
    """RETURNS (str): A time to read, such as "1 h 20 min"."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
