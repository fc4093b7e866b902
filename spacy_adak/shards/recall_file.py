"""The estimates of a run about its annotators, in a file for all of its tasks."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..pipeline.losses import RECALL_PER_TYPE
from .checkpoint import damage_named, write_json

RECALL_FILE = "recall.json"


class KnownRecall(NamedTuple):
    """How completely the training data of a run is annotated.

    annotation_recall (float): The share of all entities that annotators have marked.
    low (float): The lower end of its 95 % interval.
    high (float): The upper end.
    ratio_target (float | None): The share of tokens that are part of an entity.
    is_identifiable (bool): Whether the data can tell.
    description (str): All of that in a line, with where it is from.
    per_type (Mapping[str, float]): The recall of each type, if annotators were not
        asked for all types alike.
    """

    annotation_recall: float
    low: float
    high: float
    ratio_target: float | None
    is_identifiable: bool
    description: str
    per_type: Mapping[str, float] = {}

    def settings(self) -> dict[str, Any]:
        """RETURNS (dict): What a component is told that estimates nothing itself."""
        return {
            "annotation_recall": self.annotation_recall,
            "ratio_target": self.ratio_target,
            RECALL_PER_TYPE: dict(self.per_type),
        }


def write_recall(folder: Path, recall: KnownRecall) -> KnownRecall:
    """Write down what was found out.

    folder (Path): The folder of the run.
    recall (KnownRecall): The recall.
    RETURNS (KnownRecall): As it was written, so that a run that is resumed goes on with
        the same numbers.
    """
    write_json(folder / RECALL_FILE, recall._asdict())
    return _read(folder / RECALL_FILE)


def read_recall(folder: Path) -> KnownRecall | None:
    """RETURNS (KnownRecall | None): What was found out in a run, if it was asked."""
    path = folder / RECALL_FILE
    return _read(path) if path.exists() else None


def _read(path: Path) -> KnownRecall:
    with damage_named(path):
        # Another reader of JSON makes 0.30000000000000004 of a recall given as 0.3.
        return KnownRecall(**json.loads(path.read_text(encoding="utf8")))
