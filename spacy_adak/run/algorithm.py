"""Algorithm 1 of the paper: rounds of k-fold training, estimation of q, and training on
all data.

Its steps, in the order of the paper, are the functions that `run_round` calls. D is the
corpus in shards, each of one fold; q, the scores s_i and the dictionary H are files of
the rounds, described in `folder`. What the first q is, and what is found out before the
first round, is in `first_folds` and `before_rounds`. The loop yields its results
after every round and prints nothing.

What the paper has before its loop: `write_shards` has divided D into folds when a run
begins. H is empty, every s_i is 1, and there is no M(ŵ) until a round has made them.
"""

import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import srsly

from ..errors import Warnings
from ..q.candidates import Dictionary
from ..q.guess_trust import Trust
from ..shards.checkpoint import damage_named, write_jsonl
from ..shards.layout import Shard, list_shards
from ..shards.recall_file import KnownRecall
from ..tasks.estimate_shard import EstimationTask, ShardStatistics
from ..tasks.executors import Executor
from ..tasks.train_model import BEST_MODEL, TrainingTask
from .before_rounds import prepare_rounds
from .finished_round import dev_performance, remove_unneeded, sum_up
from .first_folds import Lesson, first_lesson
from .folder import (
    DICTIONARY_FILE,
    ESTIMATES_FOLDER,
    ESTIMATION,
    FINAL,
    FOLD_MODELS,
    Round,
    Run,
)


def run_rounds(
    run: Run,
    execute: Executor,
    on_recall: Callable[[KnownRecall], None] = lambda recall: None,
    on_trust: Callable[[Trust], None] = lambda trust: None,
) -> Iterator[Round]:
    """Do the remaining rounds of a run.

    run (Run): The run.
    execute (Executor): Runs tasks.
    on_recall (Callable): Called with the recall of the annotators, if it is needed.
    on_trust (Callable): Called with how far guessers are trusted, if there are any.
    YIELDS (Round): Each round that has been finished.
    """
    if not run.has_all_rounds():
        prepare_rounds(run, execute, on_recall, on_trust)
    while True:
        finished = len(run.history())
        remove_unneeded(run, finished)
        if run.has_all_rounds():
            return
        yield run_round(run, finished + 1, execute)


def run_round(run: Run, number: int, execute: Executor) -> Round:
    """One iteration of Algorithm 1.

    run (Run): The run.
    number (int): Which round, from 1 on.
    execute (Executor): Runs tasks.
    RETURNS (Round): What came of it, which is also on disk.
    """
    started = time.monotonic()
    seconds: dict[str, float] = {}
    run.round_folder(number).mkdir(exist_ok=True)
    statistics: list[ShardStatistics] = []
    dictionary = Dictionary({})
    # Without a loss that looks at q, training on all data is all there is to do.
    if run.needs_q():
        # Sample selection. When q was estimated, `select` in `q/selection.py` has noted
        # beside it the texts with s_i >= s: D' is what a fold model reads with that q.
        with _timed(seconds, FOLD_MODELS):
            train_fold_models(run, number, execute)
        heard = find_heard(run, number)
        # q by Eq. 6 over S, s_i and e_i, for all folds at a time.
        with _timed(seconds, ESTIMATION):
            statistics = estimate_q(run, number, heard, execute)
        dictionary = build_dictionary(run, number, statistics)
    with _timed(seconds, FINAL):
        performance = train_on_all_texts(run, number, execute)
    total = round(time.monotonic() - started, 1)
    result = sum_up(
        run.config, number, performance, statistics, len(dictionary), total, seconds
    )
    return keep_if_best(run, result)


@contextmanager
def _timed(seconds: dict[str, float], part: str) -> Iterator[None]:
    started = time.monotonic()
    yield
    seconds[part] = round(time.monotonic() - started, 1)


def train_fold_models(run: Run, number: int, execute: Executor) -> None:
    """Train M(w_j) on D' without D'_j, for each fold j: Eq. 7 with the q there is."""
    lesson = Lesson(run.estimates(number - 1))
    if number == 1:
        lesson = first_lesson(run, execute)
    execute(
        [
            TrainingTask(
                name=f"round {number}, fold {fold + 1} of {run.settings.folds}",
                blueprint=run.blueprint(number, lesson.estimates, without_fold=fold),
                loss=lesson.loss,
                has_word_features=lesson.has_word_features,
                output=run.fold_model(number, fold),
            )
            for fold in range(run.settings.folds)
        ]
    )


def find_heard(run: Run, number: int) -> list[int]:
    """Choose the fold models whose opinion counts: those that find something. Warns of
    the others, whose q would teach that their texts have no entities.

    run (Run): The run.
    number (int): Which round.
    RETURNS (list[int]): The folds of these models; all folds if none finds anything.
    """
    folds = range(run.settings.folds)
    performances = [dev_performance(run.fold_model(number, fold)) for fold in folds]
    # Nothing is known of it where dev has no entities.
    heard = [fold for fold in folds if performances[fold].get("ents_f") != 0.0]
    if len(heard) < len(folds):
        silent = [str(fold + 1) for fold in folds if fold not in heard]
        message = (Warnings.W217 if heard else Warnings.W218).format(
            round=number, folds=", ".join(silent)
        )
        warnings.warn(message, stacklevel=2)
    return heard or list(folds)


def estimate_q(
    run: Run, number: int, heard: Sequence[int], execute: Executor
) -> list[ShardStatistics]:
    """Estimate q for all data, each fold with the models that the settings name, among
    the paths S that the annotation, the K best of M(ŵ) and the dictionary allow.

    run (Run): The run.
    number (int): Which round.
    heard (Sequence[int]): The folds of the fold models whose opinion counts.
    execute (Executor): Runs tasks.
    RETURNS (list[ShardStatistics]): What is to be known of each shard.
    """
    folds = run.settings.folds
    best_round = run.best_round()
    estimates = run.round_folder(number) / ESTIMATES_FOLDER
    estimates.mkdir(exist_ok=True)
    dictionary = None
    if run.settings.has_dictionary and number > 1:
        dictionary = run.round_folder(number - 1) / DICTIONARY_FILE
    likelihood = run.likelihood if run.likelihood.exists() else None

    def fold_model(fold: int) -> Path:
        return run.fold_model(number, fold) / BEST_MODEL

    def fold_models(shard: Shard) -> tuple[Path, ...]:
        if run.settings.fold_models == "unseen" and shard.fold in heard:
            return (fold_model(shard.fold),)
        return tuple(map(fold_model, heard))

    def candidate_model(shard: Shard) -> Path | None:
        if run.settings.mask is None or not run.settings.mask.kbest:
            return None
        if best_round is not None:
            return run.final_model(best_round) / BEST_MODEL
        # Before there is M(ŵ): a fold model that has seen the text.
        others = [(shard.fold + i) % folds for i in range(1, folds)]
        return fold_model(next((f for f in others if f in heard), shard.fold))

    tasks = [
        EstimationTask(
            name=f"round {number}, q for {shard.path.stem}",
            shard=shard.path,
            likelihood=likelihood,
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
    return [_read_statistics(task.statistics_path) for task in tasks]


def _read_statistics(path: Path) -> ShardStatistics:
    with damage_named(path):
        return ShardStatistics(**srsly.read_json(path))


def build_dictionary(
    run: Run, number: int, statistics: Sequence[ShardStatistics]
) -> Dictionary:
    """Make H for the next round: the entities e_i that fold models have found more than
    c times."""
    counts: Counter[tuple[tuple[str, ...], str]] = Counter()
    for shard in statistics:
        for words, label, count in shard.found:
            counts[tuple(words), label] += count
    dictionary = Dictionary.from_counts(counts, run.settings.dictionary_count)
    write_jsonl(run.round_folder(number) / DICTIONARY_FILE, dictionary.to_rows())
    return dictionary


def train_on_all_texts(run: Run, number: int, execute: Executor) -> dict[str, Any]:
    """Train M(w') on everything with the new q.

    run (Run): The run.
    number (int): Which round.
    execute (Executor): Runs tasks.
    RETURNS (dict[str, Any]): How its best model did on dev.
    """
    task = TrainingTask(
        name=f"round {number}",
        blueprint=run.blueprint(number, run.estimates(number)),
        loss=None,
        has_word_features=True,
        output=run.final_model(number),
    )
    execute([task])
    return dev_performance(task.output)


def keep_if_best(run: Run, result: Round) -> Round:
    """Record the results of a round. Its model becomes M(ŵ) if it is better on dev than
    those of all earlier rounds."""
    history = run.history()
    best = max((earlier.score for earlier in history), default=-1.0)
    result = result._replace(is_best=result.score > best)
    write_jsonl(run.history_path, [row._asdict() for row in [*history, result]])
    return result
