"""The results of cells: one JSON object a line, added when a cell is finished."""

import json
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scripts.datasets import config_path
from spacy_adak.atomic import write_bytes
from spacy_adak.data.files import to_jsonl

from .cells import Cell, Task
from .encoder import Encoder
from .folder_lock import held
from .models import MODELS, PAPER_ROUNDS, ROUNDS
from .paper_values import TITLES

PACKAGES = ("spacy-adak", "spacy", "spacy-transformers", "thinc", "torch", "numpy")
Row = dict[str, Any]


def read_results(path: Path, config: str | None = None) -> list[Row]:
    """Read the results there are.

    path (Path): The file; without it there are none.
    config (str | None): Whose results, or those of all configs.
    RETURNS (list[dict]): The results.
    """
    if not path.exists():
        return []
    rows = []
    lines = path.read_text(encoding="utf8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise ValueError(
                f"'{path}', line {number}, is no JSON ({error}): remove the line to "
                "have the cell done again."
            ) from error
    return [row for row in rows if config is None or row["config"] == config]


def read_reported(path: Path, config: str | None = None) -> list[Row]:
    """Read the results for a report, and refuse to make one of nothing.

    path (Path): The file.
    config (str | None): Whose results, or those of all configs.
    RETURNS (list[dict]): The results, at least one.
    """
    if not path.exists():
        raise ValueError(
            f"'{path}' is not there. `python -m scripts.experiments.run` writes it."
        )
    rows = read_results(path, config)
    if not rows:
        found = ", ".join(sorted({row["config"] for row in read_results(path)}))
        whose = f" of the config '{config}', but of: {found}" if found else ""
        raise ValueError(f"'{path}' has no results{whose}.")
    return rows


def add_result(path: Path, row: Row) -> None:
    """Add a result, so that it is there in full or not at all, whatever other processes
    add at the same time. Of a cell that has a result, that one is kept.

    path (Path): The file.
    row (dict): The result.
    """
    with held(path.parent, wait=True):
        rows = read_results(path)
        # Twice in the file, a cell would count as two seeds.
        if all(row["cell"] != other["cell"] for other in rows):
            write_bytes(path, to_jsonl([*rows, row]).encode())


def make_row(
    cell: Cell,
    *,
    encoder: Encoder,
    settings: dict[str, Any],
    scores: dict[str, dict[str, float | None]],
    rounds: int,
    trainings: int,
    seconds: float,
    resumed: bool,
) -> Row:
    """Put together what is worth knowing of a finished cell.

    cell (Cell): The cell.
    encoder (Encoder): What its pipeline reads texts with.
    settings (dict[str, Any]): What its pipeline was trained with, by dotted names.
    scores (dict[str, dict[str, float | None]]): "p", "r" and "f" on "dev" and on
        "test".
    rounds (int): How many rounds it took.
    trainings (int): How many models were trained.
    seconds (float): How long that took.
    resumed (bool): Whether it was stopped on the way, so that it may have taken longer.
    RETURNS (dict): The result.
    """
    return {
        "cell": cell.name,
        **cell._asdict(),
        "encoder": encoder.name,
        "frozen": encoder.is_frozen,
        "settings": settings,
        **scores,
        "rounds": rounds,
        "trainings": trainings,
        "seconds": round(seconds, 1),
        "resumed": resumed,
        "versions": {name: version(name) for name in PACKAGES},
    }


def find_rows(rows: Iterable[Row], dataset: str, task: Task) -> list[Row]:
    """RETURNS (list[dict]): The results on a dataset for a task, one for each seed."""
    wanted = (dataset, *task)
    return [
        row
        for row in rows
        if (row["dataset"], row["scheme"], row["ratio"], row["model"]) == wanted
    ]


def group_rows(rows: Iterable[Row]) -> list[list[Row]]:
    """RETURNS (list[list[dict]]): The results that can be compared: those on the same
    dataset, with the same config and encoder."""
    groups: dict[tuple[int, str], list[Row]] = {}
    order = list(TITLES)
    for row in rows:
        key = (order.index(row["dataset"]), describe_encoder_of(row))
        groups.setdefault(key, []).append(row)
    return [groups[key] for key in sorted(groups)]


def describe_encoder_of(row: Row) -> str:
    """RETURNS (str): The encoder that a result rests on, and the config it is from."""
    frozen = ", frozen" if row["frozen"] else ""
    config = config_path(row["dataset"], row["config"]).name
    return f"{row['encoder']}{frozen} (`{config}`)"


def rounds_of(row: Row) -> int | None:
    """RETURNS (int | None): How many rounds the result of a model of the paper was
    given; other models have none to be compared by."""
    if MODELS[row["model"]].recipe != "paper":
        return None
    return row["settings"].get(ROUNDS, PAPER_ROUNDS)


def group_by_rounds(rows: Iterable[Row]) -> dict[int, list[Row]]:
    """RETURNS (dict[int, list[dict]]): The results that can be compared: models of the
    paper with as many rounds, and all other models. The paper's rounds come first."""
    rows = list(rows)
    found = {rounds for row in rows if (rounds := rounds_of(row)) is not None}
    return {
        rounds: [row for row in rows if rounds_of(row) in (None, rounds)]
        for rounds in sorted(found, reverse=True)
    }


def title_model(model: str, rows: Iterable[Row]) -> str:
    """Name a model, and its rounds where it was given others than it has by its
    definition.

    model (str): A key of `MODELS`.
    rows (Iterable[dict]): The results of the model that are shown under the name.
    RETURNS (str): The title.
    """
    title = MODELS[model].title
    rounds = {rounds_of(row) for row in rows} - {None}
    if rounds <= {PAPER_ROUNDS}:
        return title
    given = " or ".join(map(str, sorted(filter(None, rounds))))
    return f"{title}, {given} of {PAPER_ROUNDS} rounds"
