"""A run that is killed, at whatever moment, ends as one that never was."""

import os
import random
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from thinc.api import Config

from tests.finished_run import FinishedRun
from tests.made_texts import SMALL_ENCODER

from .killed_runs import (
    ENCODING,
    FINAL,
    FOLDS,
    PUBLISHING,
    START_UP,
    Phase,
    Q,
    WatchedRun,
    describe,
    kill_in_each_phase,
)
from .results import assert_same

pytestmark = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
ALL_PHASES = {
    (0, START_UP),
    (0, ENCODING),
    *((number, step) for number in (1, 2) for step in (FOLDS, Q, FINAL, PUBLISHING)),
}


class TimedRun(NamedTuple):
    """A run that was never stopped."""

    config: Config
    folder: Path
    seconds: dict[Phase, float]


@pytest.fixture(scope="module")
def frozen_run(
    tiny_config: Config, tmp_path_factory: pytest.TempPathFactory
) -> TimedRun:
    """A run with all phases that was never stopped, and how long each of them took."""
    config = tiny_config.copy()
    config["adak"]["executor"] = "serial"
    config["components"]["adak_ner"]["model"]["tok2vec"] = {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": SMALL_ENCODER,
    }
    folder = tmp_path_factory.mktemp("frozen") / "output"
    run = WatchedRun(config, folder)
    run.process.join()
    assert run.process.exitcode == 0
    return TimedRun(config, folder, run.seconds())


def kill_and_compare(
    frozen_run: TimedRun,
    folder: Path,
    runs: int,
    kills_per_phase: int = 1,
    before: Callable[[], None] = lambda: None,
    **settings: object,
) -> Counter[Phase]:
    config = frozen_run.config.copy()
    config["adak"].update(settings)
    rng = random.Random(runs)
    hit: Counter[Phase] = Counter()
    for _ in range(runs):
        hit += kill_in_each_phase(
            config, folder, frozen_run.seconds, rng, kills_per_phase, before
        )
        assert_same(folder, frozen_run.folder)
        shutil.rmtree(folder)
    print(describe(hit))
    return hit


def test_run_killed_in_each_phase_ends_with_the_same_weights(
    frozen_run: TimedRun, tmp_path: Path
) -> None:
    assert set(frozen_run.seconds) >= ALL_PHASES
    hit = kill_and_compare(frozen_run, tmp_path / "run", runs=1)
    assert hit.total() >= 8


@pytest.mark.slow
def test_run_killed_at_many_moments_ends_with_the_same_weights(
    frozen_run: TimedRun, tmp_path: Path
) -> None:
    hit = kill_and_compare(frozen_run, tmp_path / "run", runs=10, kills_per_phase=2)
    assert set(hit) >= ALL_PHASES, describe(hit)
    assert hit.total() >= 165, describe(hit)


@pytest.mark.slow
def test_run_with_workers_that_is_killed_ends_with_the_same_weights(
    frozen_run: TimedRun, tmp_path: Path
) -> None:
    settings = {"executor": "joblib", "n_jobs": 2}
    hit = kill_and_compare(frozen_run, tmp_path / "run", runs=5, **settings)
    assert set(hit) >= ALL_PHASES, describe(hit)
    assert hit.total() >= 40, describe(hit)


@pytest.mark.slow
def test_run_on_a_cluster_that_is_killed_ends_with_the_same_weights(
    frozen_run: TimedRun,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    pytest.importorskip("ray")
    # Ray writes a token there, and has long names of sockets.
    home = str(tmp_path_factory.getbasetemp())

    def set_home() -> None:
        os.environ["HOME"] = home

    hit = kill_and_compare(
        frozen_run, tmp_path / "run", runs=1, before=set_home, executor="ray"
    )
    assert {step for _, step in hit} >= {FOLDS, Q, FINAL}, describe(hit)


@pytest.mark.slow
def test_run_killed_before_and_after_every_rename_ends_with_the_same_weights(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    seen_path = tmp_path / "seen"
    seen_path.touch()

    def kill_at_new_rename() -> None:
        rename = os.replace
        seen = seen_path.read_text().splitlines()

        def kill_once(when: str, target: Path) -> None:
            # What is put aside has a name of its own each time.
            moment = re.sub(r"\.[0-9a-f]{32}\.", ".", f"{when} {target}")
            if moment not in seen:
                with seen_path.open("a") as file:
                    file.write(f"{moment}\n")
                os.kill(os.getpid(), signal.SIGKILL)

        def replace(source: Path, target: Path) -> None:
            kill_once("before", target)
            rename(source, target)
            kill_once("after", target)

        os.replace = replace  # type: ignore[assignment]

    exit_codes = []
    while exit_codes[-1:] != [0]:
        process = WatchedRun(finished.config, folder, kill_at_new_rename).process
        process.join()
        exit_codes.append(process.exitcode)
        assert process.exitcode in (0, -signal.SIGKILL)
        assert len(exit_codes) < 200
    assert len(exit_codes) > 20
    assert_same(folder, finished.folder)


def test_run_killed_while_a_model_is_half_written_ends_with_the_same_weights(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = tmp_path / "run"

    def kill_inside_third_save() -> None:
        write_bytes, writes = Path.write_bytes, 0

        def half(path: Path, data: bytes) -> int:
            nonlocal writes
            writes += path.name == "model"
            if writes == 3:
                write_bytes(path, data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return write_bytes(path, data)

        Path.write_bytes = half  # type: ignore[assignment, method-assign]

    process = WatchedRun(finished.config, folder, kill_inside_third_save).process
    process.join()
    assert process.exitcode == -signal.SIGKILL
    process = WatchedRun(finished.config, folder).process
    process.join()
    assert process.exitcode == 0
    assert_same(folder, finished.folder)
