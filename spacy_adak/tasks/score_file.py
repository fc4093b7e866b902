"""How a training goes, a line per evaluation. The file stays when its models go."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.language import Language

from ..pipeline.adak_ner import AdaKRecognizer
from ..shards.checkpoint import damage_named

SCORES_ENDING = ".scores.jsonl"


class Scores(NamedTuple):
    """The state of a training when its model is scored.

    step (int): The step, from 0 on.
    epoch (int): How many passes over the data are completed.
    seconds (float): How long the training has run.
    score (float): The dev score that models are chosen by, from
        [training.score_weights].
    precision (float): On dev.
    recall (float): On dev.
    f1 (float): On dev.
    f1_per_type (dict[str, float]): On dev.
    loss (float): The mean loss of a step since the last line.
    best_paths_weight (float | None): λ, if the loss looks at the K best paths.
    """

    step: int
    epoch: int
    seconds: float
    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    f1_per_type: dict[str, float]
    loss: float
    best_paths_weight: float | None


def score_writer(path: Path, nlp: Language) -> Callable[[dict[str, Any]], None]:
    """Begin the file of a training.

    path (Path): The file; what a training that was killed has left there is removed.
    nlp (Language): The pipeline that is trained.
    RETURNS (Callable): Adds a line, given what spaCy tells a logger of an evaluation.
    """
    path.write_text("", encoding="utf8")
    components = [p for _, p in nlp.pipeline if isinstance(p, AdaKRecognizer)]
    last_step = -1

    def write(info: dict[str, Any]) -> None:
        nonlocal last_step
        scores = info["other_scores"]
        loss = sum(float(info["losses"].get(c.name, 0.0)) for c in components)
        weights = [c.loss.best_paths_weight(c.progress) for c in components]
        row = Scores(
            step=info["step"],
            epoch=info["epoch"],
            seconds=info["seconds"],
            score=float(info["score"]),
            precision=scores.get("ents_p"),
            recall=scores.get("ents_r"),
            f1=scores.get("ents_f"),
            f1_per_type={
                label: prf["f"]
                for label, prf in (scores.get("ents_per_type") or {}).items()
            },
            loss=loss / (info["step"] - last_step),
            best_paths_weight=weights[0] if weights else None,
        )
        last_step = info["step"]
        with path.open("a", encoding="utf8") as file:
            file.write(f"{json.dumps(row._asdict(), ensure_ascii=False)}\n")

    return write


def read_scores(path: Path) -> list[Scores]:
    """RETURNS (list[Scores]): What was written of a training, or is so far."""
    with damage_named(path):
        return [Scores(**row) for row in srsly.read_jsonl(path, skip=True)]
