"""What is written down of a finished round, and what is kept of its files."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import srsly
from thinc.api import Config

from ..atomic import remove
from ..tasks.estimate_shard import ShardStatistics
from ..tasks.train_model import BEST_MODEL
from .folder import ESTIMATES_FOLDER, FOLD, Round, Run


def dev_performance(output: Path) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): How the best model of a training did on dev.

    output (Path): Where the training has put its models.
    """
    return srsly.read_json(output / BEST_MODEL / "meta.json")["performance"]


def sum_up(
    config: Config,
    number: int,
    performance: dict[str, Any],
    statistics: Sequence[ShardStatistics],
    dictionary_size: int,
    seconds: float,
    seconds_per_part: dict[str, float],
) -> Round:
    """Make the line that the history has of a round.

    config (Config): The config of the run.
    number (int): Which round.
    performance (dict[str, Any]): How its model on all texts did on dev.
    statistics (Sequence[ShardStatistics]): What is to be known of each shard.
    dictionary_size (int): Entities in the dictionary made in this round.
    seconds (float): How long the round took.
    seconds_per_part (dict[str, float]): How long each of its parts took.
    RETURNS (Round): The line, as if its model were not the best so far.
    """
    totals = _add_up(statistics)
    estimated = sum((Counter(s.estimated_entities) for s in statistics), Counter())
    return Round(
        round=number,
        score=_dev_score(config, performance),
        precision=performance.get("ents_p"),
        recall=performance.get("ents_r"),
        f1=performance.get("ents_f"),
        changed=totals["changed_tokens"] / max(1, totals["unknown_tokens"]),
        estimated_entities=estimated.total(),
        dictionary_size=dictionary_size,
        dropped=totals["dropped"],
        seconds=seconds,
        is_best=False,
        dev_per_type=performance.get("ents_per_type") or {},
        estimated_per_type=dict(sorted(estimated.items())),
        seconds_per_part=seconds_per_part,
    )


def _dev_score(config: Config, performance: dict[str, Any]) -> float:
    """The weighted score by which spaCy itself chooses the best model of a training."""
    weights = config["training"]["score_weights"]
    return sum(
        weight * (performance.get(name) or 0.0)
        for name, weight in weights.items()
        if weight
    )


def _add_up(statistics: Sequence[ShardStatistics]) -> Counter[str]:
    totals: Counter[str] = Counter()
    for shard in statistics:
        for name, value in shard._asdict().items():
            if isinstance(value, int):
                totals[name] += value
    return totals


def remove_unneeded(run: Run, number: int) -> None:
    """Remove what no later round will look at.

    run (Run): The run.
    number (int): The last round that is finished.
    """
    best_round = run.best_round()
    for earlier in range(1, number + 1):
        folder = run.round_folder(earlier)
        unneeded: list[Path] = []
        if earlier != number or not run.settings.warm_start:
            unneeded += folder.glob(f"{FOLD}-*")
        if earlier not in (best_round, number):
            unneeded += [run.final_model(earlier), folder / ESTIMATES_FOLDER]
        for path in unneeded:
            if path.is_dir():
                remove(path)
