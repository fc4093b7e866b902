from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from spacy_adak.q.adak_block import AdakSettings, read_settings
from spacy_adak.shards.checkpoint import RunEndedError, locked
from spacy_adak.tasks.executors import Executor, executor
from tests.made_corpus import make_config

from .listed import WritingTask


def make_settings(name: str) -> AdakSettings:
    overrides = {"adak.executor": name, "adak.n_jobs": 2}
    return read_settings(make_config(**overrides).interpolate())


ray = pytest.param("ray", marks=pytest.mark.slow)


@pytest.fixture(scope="module", params=["serial", "joblib", ray])
def execute(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Executor]:
    if request.param == "ray":
        pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        # Ray writes a token there, and looks for the same one ever after.
        patch.setenv("HOME", str(tmp_path_factory.getbasetemp()))
        folder = tmp_path_factory.mktemp("run")
        with executor(make_settings(request.param), folder) as run:
            yield run


in_processes = pytest.mark.parametrize("execute", ["joblib", ray], indirect=True)


def make_tasks(folder: Path, *deeds: str) -> list[WritingTask]:
    return [
        WritingTask(f"task {i}", folder / f"{i}.out", deed)
        for i, deed in enumerate(deeds)
    ]


def tries(task: WritingTask) -> int:
    return len(task.output.with_suffix(".tries").read_text())


def test_all_tasks_are_done(execute: Executor, tmp_path: Path) -> None:
    tasks = make_tasks(tmp_path, "nothing", "nothing", "nothing")
    execute(tasks)
    assert all(task.is_done() for task in tasks)


def test_task_that_is_done_is_left_alone(execute: Executor, tmp_path: Path) -> None:
    done, todo = make_tasks(tmp_path, "raise", "nothing")
    done.output.touch()
    execute([done, todo])
    assert not done.log_path.exists()


def test_error_names_the_task_and_its_log_and_shows_the_traceback(
    execute: Executor, tmp_path: Path
) -> None:
    tasks = make_tasks(tmp_path, "nothing", "raise")
    with pytest.raises(ValueError, match=r"(?s)\[A206\].*sky has fallen") as error:
        execute(tasks)
    assert "'task 1'" in str(error.value)
    assert str(tasks[1].log_path) in str(error.value)
    assert tasks[0].is_done()
    assert tries(tasks[1]) == 1


def test_traceback_is_added_to_the_log(execute: Executor, tmp_path: Path) -> None:
    (task,) = make_tasks(tmp_path, "raise")
    with pytest.raises(ValueError, match="A206"):
        execute([task])
    log = task.log_path.read_text()
    assert log.startswith("so far so good\nTraceback")
    assert log.endswith("RuntimeError: the sky has fallen\n")


def test_full_disk_stays_an_error_of_the_disk(
    execute: Executor, tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="No space left"):
        execute(make_tasks(tmp_path, "disk full"))


@in_processes
def test_worker_that_dies_is_given_another_try(
    execute: Executor, tmp_path: Path
) -> None:
    tasks = make_tasks(tmp_path, "die once", "nothing")
    execute(tasks)
    assert all(task.is_done() for task in tasks)
    assert tries(tasks[0]) == 2


@in_processes
def test_worker_that_dies_twice_is_reported_with_its_log(
    execute: Executor, tmp_path: Path
) -> None:
    tasks = make_tasks(tmp_path, "nothing", "die")
    with pytest.raises(ValueError, match=r"(?s)\[A206\].*'task 1'.*last words"):
        execute(tasks)
    assert tasks[0].is_done()
    assert tries(tasks[1]) == 2


@pytest.mark.parametrize("execute", ["joblib"], indirect=True)
def test_worker_has_one_thread_that_looks_after_its_parent(
    execute: Executor, tmp_path: Path
) -> None:
    tasks = make_tasks(tmp_path, *["count threads"] * 8)
    execute(tasks)
    counts = [int(t.output.with_suffix(".tries").read_text()) for t in tasks]
    assert max(counts) - min(counts) < 2


@in_processes
def test_worker_that_begins_after_its_run_was_resumed_does_nothing(
    execute: Executor, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    settings = make_settings(request.node.callspec.params["execute"])
    (task,) = make_tasks(tmp_path, "nothing")
    with executor(settings, tmp_path) as run:
        with locked(tmp_path):
            pass
        with pytest.raises((ValueError, RunEndedError)):
            run([task])
    assert not task.is_done()


def test_keyboard_interrupt_stays_what_it_is(tmp_path: Path) -> None:
    with (
        executor(make_settings("serial"), tmp_path) as run,
        pytest.raises(KeyboardInterrupt),
    ):
        run(make_tasks(tmp_path, "interrupt"))


def test_number_of_threads_is_given_back(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with executor(make_settings("serial"), tmp_path) as run:
            run(make_tasks(tmp_path, "nothing"))
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_missing_ray_is_an_error_that_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with (
        pytest.raises(ValueError, match=r"\[A208\].*pip install"),
        executor(make_settings("ray"), tmp_path),
    ):
        pass
