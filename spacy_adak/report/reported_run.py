"""A run from Python, with all that a notebook shows of it."""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from spacy.language import Language

from ..errors import Warnings
from ..run import train as run_train
from ..run.folder import Round
from .run_report import make_report, write_report

_Settings = ParamSpec("_Settings")


class History(list[Round]):
    """The rounds of a run. A notebook shows the core of its report.

    rounds (Iterable[Round]): The rounds.
    folder (Path): The output folder of the run.
    """

    def __init__(self, rounds: list[Round], folder: Path) -> None:
        super().__init__(rounds)
        self.folder = folder

    def _repr_html_(self) -> str:
        return make_report(self.folder)._repr_html_()


def try_to_write_report(folder: Path, use_gpu: int) -> Path | None:
    """Write the report of a finished run. If the report fails, there is only a warning,
    because the training is done.

    folder (Path): The output folder of the run.
    use_gpu (int): The id of a GPU, or -1.
    RETURNS (Path | None): The report, if it could be written.
    """
    try:
        return write_report(folder, use_gpu=use_gpu)
    except (Exception, KeyboardInterrupt) as error:
        why = str(error) or type(error).__name__
        warnings.warn(Warnings.W402.format(error=why, path=folder), stacklevel=3)
        return None


def _with_report(
    train: Callable[_Settings, tuple[Language, list[Round]]],
) -> Callable[_Settings, tuple[Language, History]]:
    @wraps(train)
    def train_and_report(
        *args: _Settings.args, **kwargs: _Settings.kwargs
    ) -> tuple[Language, History]:
        nlp, rounds = train(*args, **kwargs)
        call = inspect.signature(train).bind(*args, **kwargs)
        call.apply_defaults()
        given = call.arguments
        folder = Path(given["output"])
        try_to_write_report(folder, given["use_gpu"])
        return nlp, History(rounds, folder)

    return train_and_report


train = _with_report(run_train.train)
