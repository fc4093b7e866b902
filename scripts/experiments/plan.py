"""What is left to do in an experiment, and how long it may take."""

from collections.abc import Mapping, Sequence
from typing import Any

from spacy_adak.q.adak_block import BLOCKS, AdakSettings
from spacy_adak.tasks.progress import describe_seconds

from .cells import Cell
from .encoder import Encoder, describe_encoder
from .profiles import WITHOUT_EFFECT, Run
from .results import Row, read_results


def open_cells(run: Run, cells: Sequence[Cell]) -> list[Cell]:
    """RETURNS (list[Cell]): Those that have no result yet."""
    finished = {row["cell"] for row in read_results(run.results_path)}
    return [cell for cell in cells if cell.name not in finished]


def outdated_cells(run: Run, cells: Sequence[Cell]) -> list[Cell]:
    """RETURNS (list[Cell]): Those with a result of other settings, or of another
    encoder."""
    then = {row["cell"]: row for row in read_results(run.results_path)}
    finished = [cell for cell in cells if cell.name in then]
    return [cell for cell in finished if is_outdated(run, cell, then[cell.name])]


def is_outdated(run: Run, cell: Cell, row: Row) -> bool:
    """RETURNS (bool): Whether the result of a cell is of other settings, or of another
    encoder."""
    if Encoder(row["encoder"], row["frozen"]) != describe_encoder(run.config(cell)):
        return True
    now, then = run.settings(cell), row["settings"]
    if _strategies(now) != _strategies(then):
        return True
    # A setting that did not exist then is at the value it had all the same.
    return any(
        now.get(key) != value
        for key, value in then.items()
        if not key.endswith(WITHOUT_EFFECT)
    )


def _strategies(settings: Mapping[str, Any]) -> set[str]:
    """The strategies that are on: there are no settings of those that are off, or those
    that a block has when it is not there."""
    on = set()
    for name in BLOCKS:
        prefix = f"adak.{name}."
        given = {
            key.removeprefix(prefix): value
            for key, value in settings.items()
            if key.startswith(prefix)
        }
        default = AdakSettings.model_fields[name].default
        off = default.model_dump() if default else {}
        if any(off.get(setting) != value for setting, value in given.items()):
            on.add(name)
    return on


def describe_plan(run: Run, cells: Sequence[Cell], rows: Sequence[Row]) -> str:
    """Say what there is to do, and how long it may take.

    run (Run): The run.
    cells (Sequence[Cell]): What is to be trained.
    rows (Sequence[dict]): Results there are, from which the time is estimated.
    RETURNS (str): A sentence or two.
    """
    planned = {cell: run.planned_trainings(cell) for cell in cells}
    text = f"{len(cells)} cells, at most {sum(planned.values())} trainings."
    seconds = 0.0
    for cell, trainings in planned.items():
        alike = [
            row
            for row in rows
            if (row["dataset"], row["config"]) == (cell.dataset, cell.config)
        ]
        if not alike:
            return f"{text} No time can be told before a cell of each dataset is done."
        done = sum(row["trainings"] for row in alike)
        seconds += trainings * sum(row["seconds"] for row in alike) / done
    return f"{text} At most about {describe_seconds(seconds)}, by the finished cells."
