"""Where tasks run: in this process, in processes on this machine, or on a cluster.

Tasks exchange only paths, and a task whose result exists does nothing. So the results
do not depend on the executor, and a task can be retried at any time.
"""

import logging
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, Protocol

import torch

from ..errors import Errors
from ..q.adak_block import AdakSettings
from ..shards.checkpoint import (
    RunEndedError,
    at_work,
    is_write_error,
    present_run,
)

_TAIL_LINES = 20
_SECONDS_BETWEEN_LOOKS = 0.2


class Task(Protocol):
    """A piece of work that leaves its result on disk."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def output(self) -> Path:
        """Where its result goes."""

    @property
    def log_path(self) -> Path:
        """The file that says what went wrong, if anything did."""

    def is_done(self) -> bool:
        """Whether the result exists."""

    def run(self) -> None:
        """Make the result, unless it exists."""


class Failure(NamedTuple):
    """An error that a task met with.

    traceback (str): What Python has to say about it.
    write_error (int | None): Its number, if the disk is full or can't be written to.
    """

    traceback: str
    write_error: int | None


class _Place(NamedTuple):
    """The folder of a run, and which of the runs there it is."""

    folder: Path
    run: str


Executor = Callable[[Sequence[Task]], None]
_Attempt = Callable[[Sequence[Task]], list[Failure | None]]


class WorkerDiedError(Exception):
    """A worker process ended without a word."""


@contextmanager
def executor(settings: AdakSettings, folder: Path) -> Iterator[Executor]:
    """Start what the settings ask for, and end it when it is no longer used.

    settings (AdakSettings): The settings, with an executor.
    folder (Path): The folder of the run. No other run begins there while a worker of
        this one is alive.
    YIELDS (Executor): Runs tasks; returns when all are done.
    """
    attempt: _Attempt = _attempt_serial
    cluster: AbstractContextManager[None] = nullcontext()
    place = _Place(folder, present_run(folder))
    if settings.executor == "joblib":
        attempt = partial(_attempt_joblib, place=place, n_jobs=settings.at_once)
    elif settings.executor == "ray":
        attempt = partial(_attempt_ray, place=place)
        cluster = _ray(settings.at_once, settings.ray_address)

    def run(tasks: Sequence[Task]) -> None:
        todo = [task for task in tasks if not task.is_done()]
        try:
            _raise_first(todo, attempt(todo))
        except WorkerDiedError:
            _try_again([task for task in todo if not task.is_done()], attempt)

    threads = torch.get_num_threads()
    try:
        with cluster:
            yield run
    finally:
        torch.set_num_threads(threads)


def _try_again(tasks: Sequence[Task], attempt: _Attempt) -> None:
    """A worker may die through no fault of its task: of memory taken by others, say.
    So one after the other: that takes the least memory, and tells which one dies."""
    for task in tasks:
        try:
            _raise_first([task], attempt([task]))
        except WorkerDiedError:
            raise ValueError(
                Errors.A206.format(
                    task=task.name,
                    again=" twice, its process having ended without a word: it may "
                    "have run out of memory",
                    log=task.log_path,
                    tail=_tail(_read(task.log_path)) or "(nothing was logged)",
                )
            ) from None


def _raise_first(tasks: Sequence[Task], failures: Sequence[Failure | None]) -> None:
    for task, failure in zip(tasks, failures, strict=False):
        if failure is None:
            continue
        if failure.write_error is not None:
            raise OSError(failure.write_error, os.strerror(failure.write_error))
        raise ValueError(
            Errors.A206.format(
                task=task.name,
                again="",
                log=task.log_path,
                tail=_tail(failure.traceback),
            )
        )


def _tail(text: str) -> str:
    return "\n".join(text.splitlines()[-_TAIL_LINES:])


def _read(path: Path) -> str:
    return path.read_text(encoding="utf8") if path.exists() else ""


def _run(task: Task) -> Failure | None:
    """Run a task, and bring an error home in a form that any executor can carry."""
    torch.set_num_threads(1)
    try:
        task.run()
    except Exception as error:
        text = traceback.format_exc()
        # The disk may be full.
        with suppress(OSError), task.log_path.open("a", encoding="utf8") as log:
            log.write(text)
        write_error = None
        if isinstance(error, OSError) and is_write_error(error, task.output.parent):
            write_error = error.errno
        return Failure(text, write_error)
    return None


def _attempt_serial(tasks: Sequence[Task]) -> list[Failure | None]:
    failures = []
    for task in tasks:
        failures.append(_run(task))
        if failures[-1] is not None:
            break
    return failures


def _attempt_joblib(
    tasks: Sequence[Task], place: _Place, n_jobs: int
) -> list[Failure | None]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        return Parallel(n_jobs=n_jobs, backend="loky", batch_size=1)(
            delayed(_run_for)(os.getpid(), place, task) for task in tasks
        )
    except TerminatedWorkerError as error:
        raise WorkerDiedError from error


def _run_for(parent: int, place: _Place, task: Task) -> Failure | None:
    if os.getpid() == parent:
        return _run(task)
    # Ctrl-C is for the parent to deal with.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(parent)
    try:
        with at_work(*place):
            return _run(task)
    except RunEndedError:
        os._exit(1)


@cache
def _end_with(parent: int) -> None:
    """Workers of a killed run must not continue to work in its folder."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _ray(n_jobs: int, address: str | None) -> Iterator[None]:
    """Use the running cluster, or start one for as long as it is used."""
    try:
        import ray
    except ImportError:
        raise ValueError(Errors.A208) from None
    if ray.is_initialized():
        yield
        return
    if address is None:
        ray.init(
            num_cpus=n_jobs, include_dashboard=False, logging_level=logging.WARNING
        )
    else:
        ray.init(address=address, logging_level=logging.WARNING)
    try:
        yield
    finally:
        ray.shutdown()


def _attempt_ray(tasks: Sequence[Task], place: _Place) -> list[Failure | None]:
    import ray
    from ray.exceptions import RayError, RayTaskError

    run = ray.remote(max_retries=0)(_run_on_cluster)
    results = [run.remote(place, task) for task in tasks]
    # Wait for all: a task that another process is working on must not start twice.
    ray.wait(results, num_returns=len(results))
    try:
        return ray.get(results)
    except RayTaskError:
        raise
    except RayError as error:
        raise WorkerDiedError from error


def _run_on_cluster(place: _Place, task: Task) -> Failure | None:
    # Ray ends the workers of a run that was killed, but maybe not at once.
    with at_work(*place):
        return _run(task)
