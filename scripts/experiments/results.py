"""The results of cells: one JSON object a line, added when a cell is finished."""

import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .cells import Cell

PACKAGES = ("spacy-adak", "spacy", "spacy-transformers", "thinc", "torch", "numpy")
Row = dict[str, Any]


def read_results(path: Path) -> list[Row]:
    """RETURNS (list[dict]): The results there are; none if there is no file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def add_result(path: Path, row: Row) -> None:
    """Add a result, so that it is there in full or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf8") if path.exists() else ""
    beside = path.with_name(f".{path.name}")
    beside.write_text(before + json.dumps(row) + "\n", encoding="utf8")
    os.replace(beside, path)


def make_row(
    cell: Cell,
    *,
    config: str,
    encoder: str,
    settings: dict[str, Any],
    scores: dict[str, dict[str, float]],
    rounds: int,
    trainings: int,
    seconds: float,
) -> Row:
    """RETURNS (dict): What is worth knowing of a finished cell."""
    return {
        "cell": cell.name,
        **cell._asdict(),
        "config": config,
        "encoder": encoder,
        "settings": settings,
        **scores,
        "rounds": rounds,
        "trainings": trainings,
        "seconds": round(seconds, 1),
        "versions": {name: version(name) for name in PACKAGES},
    }


def find_scores(
    rows: Iterable[Row], dataset: str, scheme: str, ratio: float, model: str
) -> list[dict[str, float]]:
    """RETURNS (list[dict]): Scores on test, one for each seed."""
    wanted = (dataset, scheme, ratio, model)
    return [
        row["test"]
        for row in rows
        if (row["dataset"], row["scheme"], row["ratio"], row["model"]) == wanted
    ]
