"""Where tasks run: in this process, in processes on this machine, or on a cluster.

Tasks exchange nothing but paths, and a task whose result is there does nothing. So the
results do not depend on the executor, and a task can be tried again at any time.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import torch

from ..errors import Errors
from .settings import AdakSettings

_TAIL_LINES = 20


class Task(Protocol):
    """A piece of work that leaves its result on disk."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    @property
    def log_path(self) -> Path:
        """The file that says what went wrong, if anything did."""

    def is_done(self) -> bool:
        """Whether the result is there."""

    def run(self) -> None:
        """Make the result, unless it is there."""


Executor = Callable[[Sequence[Task]], None]


class WorkerDiedError(Exception):
    """A worker process ended without a word."""


def make_executor(settings: AdakSettings) -> Executor:
    """Choose the executor of the settings.

    settings (AdakSettings): The settings.
    RETURNS (Executor): Runs tasks; returns when all are done.
    """
    attempts = {
        "serial": _attempt_serial,
        "joblib": lambda tasks: _attempt_joblib(tasks, settings.n_jobs),
        "ray": lambda tasks: _attempt_ray(tasks, settings.n_jobs, settings.ray_address),
    }
    attempt = attempts[settings.executor]

    def run(tasks: Sequence[Task]) -> None:
        # A worker may die through no fault of its task: of memory taken by others,
        # say. One more try, with what was finished left alone.
        for last_try in (False, True):
            todo = [task for task in tasks if not task.is_done()]
            try:
                if todo:
                    attempt(todo)
            except WorkerDiedError as error:
                if last_try:
                    failed = next(task for task in todo if not task.is_done())
                    raise ValueError(describe_failure(failed, again=True)) from error

    return run


def describe_failure(task: Task, again: bool = False) -> str:
    """RETURNS (str): What to tell the user about a task that failed."""
    tail = "(nothing was logged)"
    if task.log_path.exists():
        lines = task.log_path.read_text(encoding="utf8").splitlines()
        tail = "\n".join(lines[-_TAIL_LINES:]) or tail
    return Errors.A206.format(
        task=task.name,
        again=" twice, with its process ended from outside" if again else "",
        log=task.log_path,
        tail=tail,
    )


def _run_in_worker(task: Task) -> None:
    torch.set_num_threads(1)
    task.run()


def _attempt_serial(tasks: Sequence[Task]) -> None:
    threads = torch.get_num_threads()
    try:
        for task in tasks:
            _run_in_worker(task)
    finally:
        torch.set_num_threads(threads)


def _attempt_joblib(tasks: Sequence[Task], n_jobs: int) -> None:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    try:
        Parallel(n_jobs=n_jobs, backend="loky", batch_size=1)(
            delayed(_run_in_worker)(task) for task in tasks
        )
    except TerminatedWorkerError as error:
        raise WorkerDiedError from error


def _attempt_ray(tasks: Sequence[Task], n_jobs: int, address: str | None) -> None:
    try:
        import ray
        from ray.exceptions import WorkerCrashedError
    except ImportError:
        raise ValueError(Errors.A208) from None
    if not ray.is_initialized():
        if address is None:
            ray.init(num_cpus=n_jobs, include_dashboard=False)
        else:
            ray.init(address=address)
    run = ray.remote(max_retries=0)(_run_in_worker)
    try:
        ray.get([run.remote(task) for task in tasks])
    except WorkerCrashedError as error:
        raise WorkerDiedError from error
