"""A file with the progress of a task, which may run in another process."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from spacy.language import Language
from spacy.util import registry

from .score_file import score_writer

PROGRESS_LOGGER = "spacy-adak.ProgressLogger.v1"
_SECONDS_BETWEEN_REPORTS = 0.5


class ProgressFile:
    """Says in a file how far something is, not too often.

    path (Path): The file.
    total (int): How many steps are planned.
    """

    def __init__(self, path: Path, total: int) -> None:
        self.path = path
        self.total = total
        self.step = 0
        self._last_report = 0.0

    def advance(self, steps: int) -> None:
        """Note that steps are done."""
        self.step += steps
        now = time.monotonic()
        if now - self._last_report > _SECONDS_BETWEEN_REPORTS:
            self._last_report = now
            progress = {"step": self.step, "total": self.total}
            self.path.write_text(json.dumps(progress), encoding="utf8")


def read_progress(path: Path) -> tuple[int, int | None]:
    """Read what a `ProgressFile` has written.

    path (Path): The file, which need not be there yet.
    RETURNS (tuple[int, int | None]): How many steps are done, and how many are planned
        if that is known.
    """
    try:
        progress = json.loads(path.read_text(encoding="utf8"))
    except (FileNotFoundError, ValueError):
        # Not begun, or just being written.
        return 0, None
    return progress["step"], progress["total"]


@registry.loggers(PROGRESS_LOGGER)
def progress_logger(
    path: str, total_steps: int, scores_path: str, logger: Callable[..., Any]
) -> Callable[[Language, IO, IO], tuple[Callable, Callable]]:
    """A logger that also says in a file how far a training is, and in another one how
    it goes.

    path (str): The file.
    total_steps (int): How many steps are planned.
    scores_path (str): The file with a line per evaluation.
    logger (Callable): The logger that does the logging proper.
    RETURNS (Callable): The logger.
    """

    def setup(nlp: Language, stdout: IO, stderr: IO) -> tuple[Callable, Callable]:
        log_step, finalize = logger(nlp, stdout, stderr)
        progress = ProgressFile(Path(path), total_steps)
        write_scores = score_writer(Path(scores_path), nlp)

        def log_and_report(info: dict[str, Any] | None) -> None:
            log_step(info)
            if info is not None:
                write_scores(info)
            progress.advance(1)

        return log_and_report, finalize

    return setup
