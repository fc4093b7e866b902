"""Runs in processes that are killed, and what they were at work on."""

import multiprocessing
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from joblib.externals.loky import reusable_executor
from thinc.api import Config

from spacy_adak.run import algorithm, before_rounds
from spacy_adak.run import train as run_train
from spacy_adak.run.folder import read_history
from spacy_adak.run.train import is_begun, train

# What a run does, in its order, and the functions that do it.
START_UP, ENCODING, FOLDS, Q, FINAL, PUBLISHING = range(6)
NAMES = ("start-up", "encoding", "folds", "q", "final", "publishing")
_STEPS: dict[int, list[tuple[Any, str]]] = {
    START_UP: [(run_train, "_begin"), (run_train, "_go_on")],
    ENCODING: [(before_rounds, "encode_texts")],
    FOLDS: [(algorithm, "train_fold_models")],
    Q: [(algorithm, "estimate_q"), (algorithm, "build_dictionary")],
    FINAL: [(algorithm, "train_on_all_texts"), (algorithm, "keep_if_best")],
    PUBLISHING: [(run_train, "publish_best"), (run_train, "publish")],
}
Phase = tuple[int, int]
_SECONDS_BETWEEN_LOOKS = 0.001


class WatchedRun:
    """Begins or resumes a run in a process that shares what is imported already, and
    that says what it is at work on.

    config (Config): Its config.
    folder (Path): Its folder.
    before (Callable): Called in the process first.
    """

    def __init__(
        self, config: Config, folder: Path, before: Callable[[], None] = lambda: None
    ) -> None:
        context = multiprocessing.get_context("fork")
        self._step = context.RawValue("i", START_UP)
        self._round = context.RawValue("i", len(read_history(folder)))
        # How long each step took, of up to two rounds.
        self._seconds = context.RawArray("d", 3 * len(NAMES))

        def run() -> None:
            # A fork inherits workers of earlier tests, but not the threads that feed
            # them: it would wait for ever.
            reusable_executor._executor = None
            before()
            self._watch()
            train(config, folder, resume=is_begun(folder))

        self.process = context.Process(target=run)
        self.process.start()

    def _watch(self) -> None:
        for step, functions in _STEPS.items():
            for module, name in functions:
                setattr(module, name, self._noted(step, getattr(module, name)))
        run_round = algorithm.run_round

        def note_round(run: Any, number: int, execute: Any) -> Any:
            self._round.value = number
            return run_round(run, number, execute)

        algorithm.run_round = note_round

    def _noted(self, step: int, function: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any, **settings: Any) -> Any:
            if step == PUBLISHING and not args[0].history():
                return function(*args, **settings)
            self._step.value = step
            started = time.monotonic()
            result = function(*args, **settings)
            place = self._round.value * len(NAMES) + step
            self._seconds[place] += time.monotonic() - started
            return result

        return noted

    def phase(self) -> Phase:
        return self._round.value, self._step.value

    def seconds(self) -> dict[Phase, float]:
        """RETURNS (dict): How long each phase took, if the run has ended."""
        return {
            (number, step): self._seconds[number * len(NAMES) + step]
            for number in range(3)
            for step in range(len(NAMES))
            if self._seconds[number * len(NAMES) + step]
        }

    def wait_for(self, phase: Phase) -> bool:
        """RETURNS (bool): Whether the run has come to a phase, or past it."""
        while self.process.is_alive():
            if self.phase() >= phase:
                return True
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        return False

    def stay_in(self, phase: Phase, seconds: float) -> None:
        """Wait, but not for longer than the run is in a phase."""
        deadline = time.monotonic() + seconds
        while self.process.is_alive() and self.phase() <= phase:
            if time.monotonic() >= deadline:
                return
            time.sleep(_SECONDS_BETWEEN_LOOKS)

    def kill(self) -> Phase | None:
        """RETURNS (Phase | None): What it was at work on, if it had not ended."""
        self.process.kill()
        self.process.join()
        return self.phase() if self.process.exitcode else None


def kill_in_each_phase(
    config: Config,
    folder: Path,
    seconds: dict[Phase, float],
    rng: random.Random,
    kills_per_phase: int,
    before: Callable[[], None] = lambda: None,
) -> Counter[Phase]:
    """Kill a run at random moments of each of its phases, and let it end at last.

    config (Config): Its config.
    folder (Path): Its folder.
    seconds (dict[Phase, float]): How long each phase takes.
    rng (random.Random): Chooses the moments.
    kills_per_phase (int): How often it is killed in each.
    before (Callable): Called in each process first.
    RETURNS (Counter[Phase]): How often it was killed in each phase.
    """
    hit: Counter[Phase] = Counter()
    for phase in sorted(seconds):
        for _ in range(kills_per_phase):
            run = WatchedRun(config, folder, before)
            if run.wait_for(phase):
                run.stay_in(phase, rng.uniform(0.0, seconds[phase]))
            killed_in = run.kill()
            if killed_in is not None:
                hit[killed_in] += 1
    last = WatchedRun(config, folder, before)
    last.process.join()
    assert last.process.exitcode == 0
    return hit


def describe(hit: Counter[Phase]) -> str:
    """RETURNS (str): How often runs were killed in each phase."""
    return "\n".join(
        f"round {number}, {NAMES[step]}: {count}"
        for (number, step), count in sorted(hit.items())
    )
