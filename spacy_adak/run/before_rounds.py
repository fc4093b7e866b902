"""What is computed for the texts of a run once, before its first round."""

from collections.abc import Callable

from spacy.util import load_config

from ..encoders.sharing import has_frozen_encoder
from ..q.guess_trust import Trust
from ..shards.layout import list_shards
from ..shards.recall_file import KnownRecall
from ..shards.references import tokenizing_pipeline
from ..shards.text_lengths import write_text_lengths
from ..tasks.encode_texts import EncodingTask
from ..tasks.executors import Executor
from .annotator_recall import find_recall, needs_recall
from .consult_guessers import ask_guessers, find_trust
from .folder import Run


def prepare_rounds(
    run: Run,
    execute: Executor,
    on_recall: Callable[[KnownRecall], None],
    on_trust: Callable[[Trust], None],
) -> None:
    """Compute what all rounds need. What is on disk already is not computed again.

    run (Run): The run.
    execute (Executor): Runs tasks.
    on_recall (Callable): Called with the recall of the annotators, if it is needed.
    on_trust (Callable): Called with how far guessers are trusted, if there are any.
    """
    encode_texts(run, execute)
    if run.looks_at_guesses():
        ask_guessers(run, execute)
    if needs_recall(run):
        recall = find_recall(run, execute)
        on_recall(recall)
        if run.looks_at_guesses() and (trust := find_trust(run, recall)):
            on_trust(trust)
    if run.config["training"]["max_epochs"] > 0:
        write_text_lengths(tokenizing_pipeline(run.config), run.corpus)


def encode_texts(run: Run, execute: Executor) -> None:
    """Run frozen encoders on all texts, so that trainings find the rows."""
    # Only the first fold models may have one.
    config_path = run.first_folds_config_path
    if config_path != run.config_path and not (run.needs_q() or needs_recall(run)):
        return
    if not has_frozen_encoder(load_config(config_path)):
        return
    blueprint = run.blueprint(1)._replace(config_path=config_path)
    blueprint.frozen.mkdir(exist_ok=True)
    files = (*(shard.path for shard in list_shards(run.corpus)), run.dev_path)
    parts = run.settings.at_once
    execute([EncodingTask(blueprint, files, part, parts) for part in range(parts)])
