"""Overrides that cells can't be trained with, told of before anything is trained."""

from collections.abc import Iterable, Sequence

from thinc.api import ConfigValidationError

from spacy_adak.errors import describe
from spacy_adak.q.adak_block import read_settings
from spacy_adak.run.filled_config import fill_config
from spacy_adak.run.overrides import read_config

from .cells import Cell
from .models import MODELS, ROUNDS, SETTLED_BY_PAPER
from .profiles import Run

# What the experiments set, and what it comes from.
_SET_BY_CELL = {
    "system.seed": "the number of seeds is given by --seeds",
    "training.seed": "the number of seeds is given by --seeds",
    "paths.train": "the data is that of the dataset",
    "paths.dev": "the data is that of the dataset",
}


def check_overrides(run: Run, cells: Sequence[Cell]) -> None:
    """Raise an error for an override that would make another model of a cell, or that
    nothing would read.

    run (Run): The run, with the overrides of all cells.
    cells (Sequence[Cell]): The cells.
    """
    if not run.overrides:
        return
    _refuse_set_by_cells(run, cells)
    for cell in {run.config_path(cell): cell for cell in cells}.values():
        _check_config(run, cell)


def _refuse_set_by_cells(run: Run, cells: Sequence[Cell]) -> None:
    for key in run.overrides:
        if key in _SET_BY_CELL:
            raise ValueError(
                f"--{key} can't be overridden, for each cell has its own: "
                f"{_SET_BY_CELL[key]}."
            )
        # Other numbers of rounds are given next to the title of a model.
        if key == ROUNDS:
            continue
        for cell in cells:
            model = MODELS[cell.model]
            settled = SETTLED_BY_PAPER if model.recipe == "paper" else ()
            if _concerns(key, (*model.settings, *settled)):
                raise ValueError(
                    f"--{key} can't be overridden for '{cell.name}': it is part of "
                    f"what the model '{cell.model}' is. Choose other cells with --only "
                    "(--vars.only)."
                )


def _concerns(override: str, settings: Iterable[str]) -> bool:
    """Whether an override is one of some settings, in one of them, or around one."""
    return any(
        f"{override}.".startswith(f"{setting}.")
        or f"{setting}.".startswith(f"{override}.")
        for setting in settings
    )


def _check_config(run: Run, cell: Cell) -> None:
    """Check what a training of `adak_ner` checks for the cells of other components,
    too, and before the first training."""
    path = run.config_path(cell)
    try:
        config = read_config(path, run.overrides_of(cell))
        read_settings(config.interpolate())
        fill_config(config)
    except ConfigValidationError as error:
        raise ValueError(f"'{path}' with the overrides: {describe(error)}") from error
