"""What a run has left on disk, as far as people look at it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.util import load_config
from spacy.vocab import Vocab

from ..data.docbin import read_docbin
from ..data.origins import annotated_entities
from ..errors import Errors
from ..q.guess_trust import GuesserTrust, Trust
from ..run.dev_data import chooses_by_likelihood
from ..run.folder import (
    CONFIG_FILE,
    CORPUS,
    DEV_FILE,
    DICTIONARY_FILE,
    FOLD,
    GUESSES_FOLDER,
    TRUST_FILE,
    Round,
    find_best,
    model_of_round,
    needs_q,
    read_history,
    read_published,
    round_folder,
)
from ..shards.checkpoint import damage_named
from ..shards.layout import list_shards
from ..shards.recall_file import KnownRecall, read_recall
from ..tasks.score_file import SCORES_ENDING, Scores, read_scores
from ..tasks.train_model import BEST_MODEL


class Training(NamedTuple):
    """How a training went.

    round (int): Its round.
    fold (int | None): The fold it was without, or None if it had all data.
    scores (list[Scores]): What it gave, evaluation by evaluation.
    """

    round: int
    fold: int | None
    scores: list[Scores]


class Corpus(NamedTuple):
    """What is annotated in some texts.

    texts (int): How many.
    tokens (int): How many tokens they have.
    unknown_tokens (int): Tokens about which nothing is stated.
    entities (Counter[str]): The annotated entities by their types.
    """

    texts: int
    tokens: int
    unknown_tokens: int
    entities: Counter[str]


class RunRecord(NamedTuple):
    """A run, finished or not.

    folder (Path): Its folder.
    rounds (list[Round]): The rounds it has finished: at least one.
    best (Round): The round with the best model.
    planned_rounds (int): How many rounds it may have.
    convergence (float): The share of changed tags at which it ends.
    loss (str): The loss.
    start (str): What the first fold models learn from.
    has_q (bool): Whether unknown tokens are estimated.
    is_finished (bool): Whether it is over.
    has_model (bool): Whether its best model is where users look for it.
    trainings (list[Training]): All trainings of these rounds.
    train (Corpus): The training data.
    dev (Corpus): The dev data, if there is any.
    annotators (KnownRecall | None): How much of the dev data is annotated, if models
        were chosen by the likelihood of that; None if dev is complete.
    dictionaries (list[Counter[str]]): The types in the dictionary of each round.
    guessers (list[GuesserTrust]): How far guessers are trusted, if there are any.
    """

    folder: Path
    rounds: list[Round]
    best: Round
    planned_rounds: int
    convergence: float
    loss: str
    start: str
    has_q: bool
    is_finished: bool
    has_model: bool
    trainings: list[Training]
    train: Corpus
    dev: Corpus
    annotators: KnownRecall | None
    dictionaries: list[Counter[str]]
    guessers: list[GuesserTrust]

    @property
    def labels(self) -> list[str]:
        """RETURNS (list[str]): All types, the most frequent ones in dev first."""
        labels = {*self.train.entities, *self.dev.entities}
        return sorted(labels, key=lambda label: (-self.dev.entities[label], label))


def read_run(folder: Path) -> RunRecord:
    """Read what a run has left in its folder.

    folder (Path): The folder.
    RETURNS (RunRecord): The run.
    """
    folder = Path(folder)
    if not all((folder / name).exists() for name in (CONFIG_FILE, CORPUS)):
        raise ValueError(Errors.A404.format(path=folder))
    rounds = read_history(folder)
    best = find_best(rounds)
    if best is None:
        raise ValueError(Errors.A405.format(path=folder))
    config = load_config(folder / CONFIG_FILE, interpolate=True)
    published = read_published(folder)
    has_model = published.best_round == best.round and (folder / BEST_MODEL).exists()
    final = model_of_round(folder, best.round)
    loss = _loss(folder / BEST_MODEL if has_model else final)
    has_q = needs_q(loss)
    return RunRecord(
        folder=folder,
        rounds=rounds,
        best=best,
        planned_rounds=config["adak"]["rounds"] if has_q else 1,
        convergence=config["adak"]["convergence"],
        loss=_short_name(loss),
        start=(config["adak"].get("start") or {}).get("learn_from", "outside"),
        has_q=has_q,
        is_finished=published.is_finished and has_model,
        has_model=has_model,
        trainings=[t for r in rounds for t in _trainings(folder, r.round)],
        train=_count([shard.path for shard in list_shards(folder / CORPUS)]),
        dev=_count([path for path in [folder / DEV_FILE] if path.exists()]),
        annotators=(
            read_recall(folder) if chooses_by_likelihood(config["training"]) else None
        ),
        dictionaries=[_dictionary(folder, r.round) for r in rounds],
        guessers=_guessers(folder / GUESSES_FOLDER / TRUST_FILE),
    )


def _loss(model: Path) -> dict[str, Any]:
    # Unlike that of the run it has the settings of components with a source.
    components = load_config(model / "config.cfg")["components"].values()
    return next(c["loss"] for c in components if c["factory"] == "adak_ner")


def _short_name(loss: dict[str, Any]) -> str:
    """For instance AdaKLoss, of "spacy-adak.AdaKLoss.v1"."""
    return loss["@losses"].removeprefix("spacy-adak.").rpartition(".")[0]


def _trainings(folder: Path, number: int) -> Iterator[Training]:
    for path in sorted(round_folder(folder, number).glob(f"*{SCORES_ENDING}")):
        name = path.name.removesuffix(SCORES_ENDING)
        fold = int(name.rpartition("-")[2]) if name.startswith(f"{FOLD}-") else None
        yield Training(number, fold, read_scores(path))


def _guessers(path: Path) -> list[GuesserTrust]:
    return Trust.from_disk(path).guessers if path.exists() else []


def _dictionary(folder: Path, number: int) -> Counter[str]:
    path = round_folder(folder, number) / DICTIONARY_FILE
    if not path.exists():
        return Counter()
    with damage_named(path):
        return Counter(row["label"] for row in srsly.read_jsonl(path))


def _count(paths: list[Path]) -> Corpus:
    texts = tokens = unknown = 0
    entities: Counter[str] = Counter()
    vocab = Vocab()
    for doc in (doc for path in paths for doc in read_docbin(path, vocab)):
        texts += 1
        tokens += len(doc)
        unknown += int((doc.to_array("ENT_IOB") == 0).sum())
        entities.update(ent.label_ for ent in annotated_entities(doc))
    return Corpus(texts, tokens, unknown, entities)
