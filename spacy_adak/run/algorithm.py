"""Algorithm 1: rounds of k-fold training, estimation of q, and training on all data.

The loop yields what it has found after every round and prints nothing. What is on disk
is said in `run`.
"""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import srsly
from spacy.util import load_config
from thinc.api import Config

from ..atomic import remove
from ..encoders.sharing import has_frozen_encoder
from ..pipeline.objective import LossName
from ..q.annotators import Annotators
from ..q.candidates import Dictionary
from ..shards.checkpoint import write_jsonl
from ..shards.layout import Shard, list_shards
from ..tasks.encode_texts import EncodingTask
from ..tasks.estimate_shard import EstimationTask, ShardStatistics
from ..tasks.executors import Executor
from ..tasks.look_at_annotators import RecallTask
from ..tasks.train_model import BEST_MODEL, TrainingTask
from .folder import DICTIONARY_FILE, ESTIMATES_FOLDER, Round, Run

# The names of fold models, before their number.
FOLD_MODELS = "fold"


def run_rounds(run: Run, execute: Executor) -> Iterator[Round]:
    """Do what is left to do of a run.

    run (Run): The run.
    execute (Executor): Runs tasks.
    YIELDS (Round): Each round that has been finished.
    """
    if not run.is_finished():
        encode_texts(run, execute)
    while True:
        history = run.history()
        _clean_up(run, len(history))
        if run.is_finished():
            return
        started = time.monotonic()
        number = len(history) + 1
        folder = run.round_folder(number)
        folder.mkdir(exist_ok=True)
        if run.needs_q():
            train_folds(run, number, execute)
            statistics = estimate_q(run, number, execute)
            dictionary = build_dictionary(run, number, statistics)
        else:
            statistics, dictionary = [], Dictionary({})
        final = _training_task(
            run, f"round {number}", number, run.estimates(number), without_fold=None
        )
        execute([final])
        meta = srsly.read_json(final.output / BEST_MODEL / "meta.json")
        performance = meta["performance"]
        score = _dev_score(run.config, performance)
        totals = _add_up(statistics)
        result = Round(
            round=number,
            score=score,
            precision=performance.get("ents_p"),
            recall=performance.get("ents_r"),
            f1=performance.get("ents_f"),
            changed=totals["changed_tokens"] / max(1, totals["unknown_tokens"]),
            estimated_entities=totals["estimated_entities"],
            dictionary_size=len(dictionary),
            dropped=totals["dropped"],
            seconds=round(time.monotonic() - started, 1),
            is_best=score > max((r.score for r in history), default=-1.0),
        )
        rows = [row._asdict() for row in [*history, result]]
        write_jsonl(run.history_path, rows)
        yield result


def encode_texts(run: Run, execute: Executor) -> None:
    """Run frozen encoders on all texts, so that trainings find the rows."""
    if not has_frozen_encoder(load_config(run.config_path)):
        return
    # Only the pipeline it begins with is used.
    training = _training_task(
        run, "frozen encoder", number=1, estimates=None, without_fold=None
    )
    training.frozen.mkdir(exist_ok=True)
    files = (*(shard.path for shard in list_shards(run.corpus)), run.dev_path)
    parts = run.settings.at_once
    execute([EncodingTask(training, files, part, parts) for part in range(parts)])


def train_folds(run: Run, number: int, execute: Executor) -> None:
    """Train M(w_j) on all folds but j, with the q there is and the texts selected."""
    estimates = run.estimates(number - 1)
    loss: LossName | None = None
    has_word_features = True
    start = run.settings.start if number == 1 else "outside"
    if start == "ratio":
        loss = "ratio"
    elif start != "outside":
        annotators = look_at_annotators(run, execute)
        loss = "missing"
        if not annotators.know_all_forms():
            # A form that they do not know could be learnt by heart as O.
            estimates, loss, has_word_features = run.annotation, "ratio", False
    execute(
        [
            _training_task(
                run,
                name=f"round {number}, fold {fold + 1} of {run.settings.folds}",
                number=number,
                estimates=estimates,
                without_fold=fold,
                loss=loss,
                has_word_features=has_word_features,
            )
            for fold in range(run.settings.folds)
        ]
    )


def look_at_annotators(run: Run, execute: Executor) -> Annotators:
    """Find out how likely the annotation is, whatever the truth may be.

    run (Run): The run.
    execute (Executor): Runs tasks.
    RETURNS (Annotators): What annotators do.
    """
    # Only the pipeline it begins with is used.
    training = _training_task(run, "round 1", 1, estimates=None, without_fold=None)
    looks_at_forms = run.settings.start == "forms"
    task = RecallTask(training, run.component, looks_at_forms, run.annotation)
    execute([task])
    return task.annotators()


def estimate_q(run: Run, number: int, execute: Executor) -> list[ShardStatistics]:
    """Estimate q for all data, each fold with the models that the settings name."""
    folder, best_round = run.round_folder(number), run.best_round()
    estimates = folder / ESTIMATES_FOLDER
    estimates.mkdir(exist_ok=True)
    dictionary = None
    if run.settings.dictionary and number > 1:
        dictionary = run.round_folder(number - 1) / DICTIONARY_FILE
    annotation = run.annotation if run.annotation.exists() else None

    def fold_model(fold: int) -> Path:
        return folder / f"{FOLD_MODELS}-{fold}" / BEST_MODEL

    def fold_models(shard: Shard) -> tuple[Path, ...]:
        if run.settings.fold_models == "unseen":
            return (fold_model(shard.fold),)
        return tuple(map(fold_model, range(run.settings.folds)))

    def candidate_model(shard: Shard) -> Path | None:
        if not (run.settings.mask and run.settings.kbest_candidates):
            return None
        if best_round is not None:
            return run.round_folder(best_round) / "final" / BEST_MODEL
        # Before there is M(ŵ): a fold model that has seen the text.
        return fold_model((shard.fold + 1) % run.settings.folds)

    tasks = [
        EstimationTask(
            name=f"round {number}, q for {shard.path.stem}",
            shard=shard.path,
            annotation=annotation,
            last_estimates=run.estimates(number - 1),
            estimates=estimates,
            fold_models=fold_models(shard),
            candidate_model=candidate_model(shard),
            dictionary=dictionary,
            component=run.component,
            temperature=run.settings.temperature_in(number),
            settings=run.settings,
            use_gpu=run.use_gpu,
            code_path=run.code_path,
        )
        for shard in list_shards(run.corpus)
    ]
    execute(tasks)
    return [ShardStatistics(**srsly.read_json(task.statistics_path)) for task in tasks]


def build_dictionary(
    run: Run, number: int, statistics: Sequence[ShardStatistics]
) -> Dictionary:
    """Make the dictionary for the next round of what the fold models found."""
    counts: Counter[tuple[tuple[str, ...], str]] = Counter()
    for shard in statistics:
        for words, label, count in shard.found:
            counts[tuple(words), label] += count
    dictionary = Dictionary.from_counts(counts, run.settings.dictionary_count)
    write_jsonl(run.round_folder(number) / DICTIONARY_FILE, dictionary.to_rows())
    return dictionary


def _training_task(
    run: Run,
    name: str,
    number: int,
    estimates: Path | None,
    without_fold: int | None,
    loss: LossName | None = None,
    has_word_features: bool = True,
) -> TrainingTask:
    if without_fold is None:
        output, index = "final", 0
    else:
        output, index = f"{FOLD_MODELS}-{without_fold}", without_fold + 1
    # Every training has a seed of its own, which depends on nothing but its place.
    seed = run.config["training"]["seed"] or 0
    return TrainingTask(
        name=name,
        config_path=run.config_path,
        corpus=run.corpus,
        estimates=estimates,
        without_fold=without_fold,
        dev_path=run.dev_path,
        loss=loss,
        has_word_features=has_word_features,
        output=run.round_folder(number) / output,
        seed=(seed + 1_000_003 * number + 7919 * index) % 2**31,
        use_gpu=run.use_gpu,
        code_path=run.code_path,
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


def _clean_up(run: Run, number: int) -> None:
    """Remove what no later round will look at."""
    best_round = run.best_round()
    for earlier in range(1, number + 1):
        folder = run.round_folder(earlier)
        unneeded = list(folder.glob(f"{FOLD_MODELS}-*"))
        if earlier not in (best_round, number):
            unneeded += [folder / "final", folder / ESTIMATES_FOLDER]
        for path in unneeded:
            if path.is_dir():
                remove(path)
