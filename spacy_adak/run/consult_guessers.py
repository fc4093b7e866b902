"""Ask the guessers of a run, and estimate how far they can be trusted."""

from pathlib import Path

from spacy.vocab import Vocab

from ..data.docbin import read_docbin
from ..q.guess_trust import GuessedText, Trust, estimate_trust
from ..q.known_forms import Annotators
from ..q.marked_forms import count_forms, marked_words
from ..shards.guess_files import read_guesses
from ..shards.layout import list_shards
from ..shards.recall_file import KnownRecall
from ..tasks.ask_guesser import GuessingTask
from ..tasks.executors import Executor
from .folder import Run


def ask_guessers(run: Run, execute: Executor) -> None:
    """Ask all guessers that the config names about all texts.

    run (Run): The run.
    execute (Executor): Runs tasks.
    """
    if not run.settings.guessers:
        return
    run.guesses.mkdir(exist_ok=True)
    parts = run.settings.at_once
    execute(
        [
            GuessingTask(
                guesser=name,
                config_path=run.config_path,
                files=_files(run),
                folder=run.guesses,
                part=part,
                parts=parts,
                use_gpu=run.use_gpu,
                code_path=run.code_path,
            )
            for name in run.settings.guessers
            for part in range(parts)
        ]
    )


def find_trust(run: Run, recall: KnownRecall) -> Trust | None:
    """Compare guesses with the annotation, or read what was found before the run was
    stopped.

    run (Run): The run, whose guessers have been asked.
    recall (KnownRecall): How many of the entities annotators have marked.
    RETURNS (Trust | None): How far guessers are trusted, which is also on disk; None if
        there are no guesses.
    """
    if run.trust_path.exists():
        return Trust.from_disk(run.trust_path)
    docs = {path: list(read_docbin(path, Vocab())) for path in _files(run)}
    texts = [
        GuessedText.read(*each)
        for path, of_file in docs.items()
        for each in zip(of_file, read_guesses(run.guesses, path, of_file), strict=True)
    ]
    if not any(text.guesses for text in texts):
        return None
    run.guesses.mkdir(exist_ok=True)
    # The dev data is not by annotators who leave something out.
    shards = [docs[shard.path] for shard in list_shards(run.corpus)]
    marked = [marked_words(doc) for of_shard in shards for doc in of_shard]
    annotators = Annotators.from_forms(recall.annotation_recall, *count_forms(marked))
    trust = estimate_trust(texts, annotators, recall.per_type)
    trust.to_disk(run.trust_path)
    return Trust.from_disk(run.trust_path)


def _files(run: Run) -> tuple[Path, ...]:
    return (*(shard.path for shard in list_shards(run.corpus)), run.dev_path)
