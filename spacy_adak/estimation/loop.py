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
from ..pipeline.objective import LossName
from .candidates import Dictionary
from .checkpoint import write_jsonl
from .corpus import Shard, list_shards
from .encoding_task import EncodingTask
from .estimation_task import EstimationTask, ShardStatistics
from .executors import Executor
from .frozen_encoders import has_frozen_encoder
from .recall_task import RecallTask
from .run import DICTIONARY_FILE, ESTIMATES_FOLDER, Round, Run
from .settings import AdakSettings
from .training import TrainingTask

# The names of fold models, before their number. Those that know of forms come after the
# others of round 0.
FOLD_MODELS, FORM_FOLD_MODELS = "fold", "form-fold"


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
        performance = srsly.read_json(final.output / "model-best" / "meta.json")[
            "performance"
        ]
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
    loss: LossName | None = None
    start = run.settings.start if number == 1 else "outside"
    if start == "forms":
        loss = None if find_forms(run, execute) else "missing"
    elif start != "outside":
        loss = start
    estimates = run.estimates(number - 1)
    steps = 1.0 if estimates is None else run.settings.fold_steps
    execute(_fold_trainings(run, number, estimates, loss, steps))


def _fold_trainings(
    run: Run,
    number: int,
    estimates: Path | None,
    loss: LossName | None,
    steps: float,
    models: str = FOLD_MODELS,
) -> list[TrainingTask]:
    return [
        _training_task(
            run,
            name=f"round {number}, {models} {fold + 1} of {run.settings.folds}",
            number=number,
            estimates=estimates,
            without_fold=fold,
            loss=loss,
            steps=steps,
            models=models,
        )
        for fold in range(run.settings.folds)
    ]


def find_forms(run: Run, execute: Executor) -> bool:
    """Round 0: find out which forms annotators do not know, and what follows for q.

    run (Run): The run.
    execute (Executor): Runs tasks.
    RETURNS (bool): Whether there is a q for the first round; there is none if they seem
        to know all forms.
    """
    folder = run.round_folder(0)
    folder.mkdir(exist_ok=True)
    # Only the pipeline it begins with is used.
    training = _training_task(run, "round 0", 0, estimates=None, without_fold=None)
    by_string = RecallTask(training, run.component, None, folder / "strings")
    execute([by_string])
    if by_string.annotators().know_all_forms():
        return False
    execute(_fold_trainings(run, 0, by_string.estimates, "weighted", steps=1.0))
    # The first round has all texts.
    settings = run.settings.model_copy(update={"min_sample_score": 0.0})
    finding = settings.model_copy(update={"q": "hard", "mask": False})
    found = folder / "found"
    found.mkdir(exist_ok=True)
    execute(_estimation_tasks(run, 0, finding, by_string.estimates, found, None))
    by_form = RecallTask(training, run.component, found, folder / "forms")
    execute([by_form])
    if by_form.annotators().know_all_forms():
        return False
    steps = run.settings.fold_steps
    execute(
        _fold_trainings(run, 0, by_form.estimates, "weighted", steps, FORM_FOLD_MODELS)
    )
    estimates = folder / ESTIMATES_FOLDER
    estimates.mkdir(exist_ok=True)
    execute(
        _estimation_tasks(run, 0, settings, found, estimates, None, FORM_FOLD_MODELS)
    )
    return True


def estimate_q(run: Run, number: int, execute: Executor) -> list[ShardStatistics]:
    """Estimate q for all data, each fold with the model that has not seen it."""
    estimates = run.round_folder(number) / ESTIMATES_FOLDER
    estimates.mkdir(exist_ok=True)
    dictionary = None
    if run.settings.dictionary and number > 1:
        dictionary = run.round_folder(number - 1) / DICTIONARY_FILE
    tasks = _estimation_tasks(
        run, number, run.settings, run.estimates(number - 1), estimates, dictionary
    )
    execute(tasks)
    return [ShardStatistics(**srsly.read_json(task.statistics_path)) for task in tasks]


def _estimation_tasks(
    run: Run,
    number: int,
    settings: AdakSettings,
    last_estimates: Path | None,
    estimates: Path,
    dictionary: Path | None,
    models: str = FOLD_MODELS,
) -> list[EstimationTask]:
    folder = run.round_folder(number)
    best_round = run.best_round()

    def candidate_model(shard: Shard) -> Path:
        if best_round is not None:
            return run.round_folder(best_round) / "final" / "model-best"
        # Before there is M(ŵ): a fold model that has seen the text.
        seen_by = (shard.fold + 1) % run.settings.folds
        return folder / f"{models}-{seen_by}" / "model-best"

    return [
        EstimationTask(
            name=f"round {number}, q for {shard.path.stem}",
            shard=shard.path,
            last_estimates=last_estimates,
            estimates=estimates,
            fold_model=folder / f"{models}-{shard.fold}" / "model-best",
            candidate_model=candidate_model(shard),
            dictionary=dictionary,
            component=run.component,
            temperature=run.settings.temperature_in(max(number, 1)),
            settings=settings,
            use_gpu=run.use_gpu,
            code_path=run.code_path,
        )
        for shard in list_shards(run.corpus)
    ]


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
    steps: float = 1.0,
    models: str = FOLD_MODELS,
) -> TrainingTask:
    if without_fold is None:
        output, index = "final", 0
    else:
        output, index = f"{models}-{without_fold}", without_fold + 1
        if models == FORM_FOLD_MODELS:
            index += run.settings.folds
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
        steps=steps,
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
    if number and run.round_folder(0).exists():
        # Logs stay.
        for path in run.round_folder(0).iterdir():
            if path.is_dir():
                remove(path)
    for earlier in range(1, number + 1):
        folder = run.round_folder(earlier)
        unneeded = list(folder.glob(f"{FOLD_MODELS}-*"))
        if earlier not in (best_round, number):
            unneeded += [folder / "final", folder / ESTIMATES_FOLDER]
        for path in unneeded:
            if path.is_dir():
                remove(path)
