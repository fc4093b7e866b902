"""A run that is killed, at whatever moment, ends as one that never was."""

import multiprocessing
import os
import random
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from thinc.api import Config

from spacy_adak.run.train import train
from tests.finished_run import FinishedRun
from tests.made_corpus import model_bytes

pytestmark = pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
LEFT_BEHIND = ("train-completed.spacy", "dictionary.jsonl")


def run_in_child(
    config: Config, folder: Path, before: Callable[[], None] = lambda: None
) -> multiprocessing.Process:
    """Begin or resume a run in a process that shares what is imported already."""

    def run() -> None:
        before()
        train(config, folder, resume=(folder / "corpus").exists())

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    return process


def assert_same(folder: Path, finished: FinishedRun) -> None:
    for name in ("model-best", "model-last"):
        assert model_bytes(folder / name) == model_bytes(finished.folder / name)
    for name in LEFT_BEHIND:
        assert (folder / name).read_bytes() == (finished.folder / name).read_bytes()
    assert not list(folder.rglob("*.tmp"))
    assert not list(folder.rglob("*.old"))


def test_run_killed_at_random_moments_ends_with_the_same_weights(
    finished: FinishedRun, tmp_path: Path
) -> None:
    rng = random.Random(0)
    kills = runs = 0
    while kills < 20:
        folder = tmp_path / f"run-{runs}"
        runs += 1
        while True:
            process = run_in_child(finished.config, folder)
            process.join(rng.uniform(0.1, 1.5))
            if process.exitcode is not None:
                break
            process.kill()
            process.join()
            kills += 1
        assert process.exitcode == 0
        assert_same(folder, finished)


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
        process = run_in_child(finished.config, folder, kill_at_new_rename)
        process.join()
        exit_codes.append(process.exitcode)
        assert process.exitcode in (0, -signal.SIGKILL)
        assert len(exit_codes) < 200
    assert len(exit_codes) > 20
    assert_same(folder, finished)


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

    process = run_in_child(finished.config, folder, kill_inside_third_save)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    process = run_in_child(finished.config, folder)
    process.join()
    assert process.exitcode == 0
    assert_same(folder, finished)
