"""A run of Algorithm 1: its folder, what is in it, and the rounds it has finished.

Everything that a run needs to continue after a crash is on disk:

    config.cfg             the settings of the run
    first-folds.cfg        those of the first fold models, where these have a frozen
                           transformer
    corpus/                the data in folds and shards
    sources.json           digests of the files that the data is from
    dev.spacy              the dev data that models are scored on
    frozen/                frozen encoders and, until the run is done, their rows for
                           all texts; models of the rounds have their encoder here
    likelihood/            how likely the annotation is, given a path; where a run
                           starts from "missing", "forms" or "guesses"
    annotators/            while the recall of annotators is estimated, models for that
    recall.json            the recall of annotators, if it is needed
    guesses/               the guesses for all texts, and how far guessers are trusted
    first-q/               what the first fold models learn from, if there are guesses
    round-NN/fold-j/       M(w_j), trained without fold j
    round-NN/estimates/    q for all shards, and statistics
    round-NN/dictionary.jsonl
    round-NN/final/        M(w'), trained on everything with this q
    round-NN/*.scores.jsonl  how each training went; kept when models are removed
    history.jsonl          one line per finished round
    published.json         which round model-best is from, and whether the run is over

The results are in the same folder: dictionary.jsonl, train-completed.spacy, and the
models.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.util import registry
from thinc.api import Config

from ..encoders.sharing import FOLDER as FROZEN
from ..q.adak_block import AdakSettings
from ..shards.checkpoint import damage_named
from ..shards.recall_file import RECALL_FILE
from ..tasks.blueprint import Blueprint
from ..tasks.train_model import BEST_MODEL

CONFIG_FILE = "config.cfg"
FIRST_FOLDS_FILE = "first-folds.cfg"
CORPUS = "corpus"
DEV_FILE = "dev.spacy"
DICTIONARY_FILE = "dictionary.jsonl"
HISTORY_FILE = "history.jsonl"
PUBLISHED_FILE = "published.json"
SOURCES_FILE = "sources.json"
COMPLETED_FILE = "train-completed.spacy"
REPORT_FILE = "report.html"
ESTIMATES_FOLDER = "estimates"
LIKELIHOOD_FOLDER = "likelihood"
ANNOTATORS_FOLDER = "annotators"
GUESSES_FOLDER = "guesses"
FIRST_Q_FOLDER = "first-q"
TRUST_FILE = "trust.json"
# The training of a round on all texts, and that without a fold, before its number.
FINAL = "final"
FOLD = "fold"
# The parts of a round that are timed; the last one is `FINAL`.
FOLD_MODELS = "folds"
ESTIMATION = "q"
# What a run begins with, and what it makes, as patterns. Models are not among them:
# they are replaced whoever trained them, as in spaCy's own training.
GIVEN = (CONFIG_FILE, DEV_FILE)
MADE = (
    CORPUS,
    FIRST_FOLDS_FILE,
    SOURCES_FILE,
    FROZEN,
    LIKELIHOOD_FOLDER,
    ANNOTATORS_FOLDER,
    RECALL_FILE,
    GUESSES_FOLDER,
    FIRST_Q_FOLDER,
    "round-[0-9][0-9]*",
    HISTORY_FILE,
    PUBLISHED_FILE,
    DICTIONARY_FILE,
    COMPLETED_FILE,
    REPORT_FILE,
)


class Round(NamedTuple):
    """The results of a round.

    round (int): From 1 on.
    score (float): The dev score that models are chosen by, from
        [training.score_weights].
    precision (float): On dev.
    recall (float): On dev.
    f1 (float): On dev.
    changed (float): The share of unknown tokens whose tag on the path of q changed.
    estimated_entities (int): Unannotated entities on the path of q.
    dictionary_size (int): Entities in the dictionary made in this round.
    dropped (int): Texts left out of the folds' training data of the next round.
    seconds (float): How long the round took, since the run was last resumed.
    is_best (bool): Whether its model is the best so far.
    dev_per_type (dict[str, dict[str, float]]): p, r and f of each entity type on dev.
    estimated_per_type (dict[str, int]): The estimated entities of each type.
    seconds_per_part (dict[str, float]): How long the fold models ("folds"), q ("q") and
        the model on all data ("final") took, since the run was last resumed.
    """

    round: int
    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    changed: float
    estimated_entities: int
    dictionary_size: int
    dropped: int
    seconds: float
    is_best: bool
    dev_per_type: dict[str, dict[str, float]]
    estimated_per_type: dict[str, int]
    seconds_per_part: dict[str, float]


class Published(NamedTuple):
    """What a run has put where the user looks for it.

    best_round (int | None): The round that model-best is from, if it is there.
    is_finished (bool): Whether everything else is there as well, and no run to go on.
    """

    best_round: int | None = None
    is_finished: bool = False


def needs_q(loss: Mapping[str, Any]) -> bool:
    """RETURNS (bool): Whether the loss that a block makes looks at q at all."""
    return registry.resolve({"loss": dict(loss)})["loss"].uses_q


def read_history(folder: Path) -> list[Round]:
    """RETURNS (list[Round]): The rounds of the run in a folder that are finished."""
    path = folder / HISTORY_FILE
    if not path.exists():
        return []
    with damage_named(path):
        history = [Round(**row) for row in srsly.read_jsonl(path)]
        if not history:
            raise ValueError("it is empty")
        return history


def read_published(folder: Path) -> Published:
    """RETURNS (Published): What the run in a folder has published."""
    path = folder / PUBLISHED_FILE
    if not path.exists():
        return Published()
    with damage_named(path):
        return Published(**srsly.read_json(path))


def round_folder(folder: Path, number: int) -> Path:
    """RETURNS (Path): Where a round of the run in a folder puts its files."""
    return folder / f"round-{number:02d}"


def model_of_round(folder: Path, number: int) -> Path:
    """RETURNS (Path): The best model of a round of the run in a folder, which has been
    trained on all texts. Its frozen encoders are those of the run."""
    return round_folder(folder, number) / FINAL / BEST_MODEL


def find_best(history: Sequence[Round]) -> Round | None:
    """RETURNS (Round | None): The round with M(ŵ), if one is finished."""
    return next((round_ for round_ in reversed(history) if round_.is_best), None)


class Run(NamedTuple):
    """A run of the algorithm in a folder.

    folder (Path): Where everything goes.
    config_path (Path): The config, in that folder.
    config (Config): The same, interpolated.
    settings (AdakSettings): The settings of the outer loop.
    component (str): The name of the `adak_ner` component.
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    ruled_out (int): How many spans of the data are known not to be entities; told of a
        new run only.
    """

    folder: Path
    config_path: Path
    config: Config
    settings: AdakSettings
    component: str
    use_gpu: int
    code_path: Path | None
    ruled_out: int = 0

    @property
    def first_folds_config_path(self) -> Path:
        """RETURNS (Path): The config of the first fold models."""
        if self.settings.start.frozen_encoder:
            return self.folder / FIRST_FOLDS_FILE
        return self.config_path

    @property
    def history_path(self) -> Path:
        """RETURNS (Path): One line per finished round."""
        return self.folder / HISTORY_FILE

    def history(self) -> list[Round]:
        """RETURNS (list[Round]): The rounds that are finished."""
        return read_history(self.folder)

    @property
    def corpus(self) -> Path:
        """RETURNS (Path): The training data in shards. Where it is, a run has begun."""
        return self.folder / CORPUS

    @property
    def dev_path(self) -> Path:
        """RETURNS (Path): The dev documents that models can be scored on."""
        return self.folder / DEV_FILE

    @property
    def likelihood(self) -> Path:
        """RETURNS (Path): The likelihood of the annotation, if it is looked at."""
        return self.folder / LIKELIHOOD_FOLDER

    @property
    def guesses(self) -> Path:
        """RETURNS (Path): What guessers say, if any are asked."""
        return self.folder / GUESSES_FOLDER

    @property
    def trust_path(self) -> Path:
        """RETURNS (Path): How far guessers are trusted, if there are guesses."""
        return self.guesses / TRUST_FILE

    @property
    def first_q(self) -> Path:
        """RETURNS (Path): What the first fold models learn from, if there are
        guesses."""
        return self.folder / FIRST_Q_FOLDER

    def round_folder(self, round_: int) -> Path:
        """RETURNS (Path): Where a round puts its files."""
        return round_folder(self.folder, round_)

    def final_model(self, round_: int) -> Path:
        """RETURNS (Path): M(w') of a round: a folder with model-best and model-last."""
        return self.round_folder(round_) / FINAL

    def fold_model(self, round_: int, fold: int) -> Path:
        """RETURNS (Path): M(w_j) of a round, likewise."""
        return self.round_folder(round_) / f"{FOLD}-{fold}"

    def estimates(self, round_: int) -> Path | None:
        """RETURNS (Path | None): The folder with q as estimated in a round, if any."""
        folder = self.round_folder(round_) / ESTIMATES_FOLDER
        return folder if folder.exists() else None

    def blueprint(
        self,
        round_: int,
        estimates: Path | None = None,
        without_fold: int | None = None,
    ) -> Blueprint:
        """Describe what a training begins with.

        round_ (int): The round, or 0 for what comes before the first one.
        estimates (Path | None): The folder with q, if it was estimated.
        without_fold (int | None): The fold to train without.
        RETURNS (Blueprint): How to make the pipeline, and which data it reads.
        """
        # Every training has its own seed, which depends only on its place.
        place = 0 if without_fold is None else without_fold + 1
        seed = self.config["training"]["seed"] or 0
        is_first_fold = round_ <= 1 and without_fold is not None
        return Blueprint(
            config_path=(
                self.first_folds_config_path if is_first_fold else self.config_path
            ),
            corpus=self.corpus,
            dev_path=self.dev_path,
            seed=(seed + 1_000_003 * round_ + 7919 * place) % 2**31,
            use_gpu=self.use_gpu,
            code_path=self.code_path,
            estimates=estimates,
            without_fold=without_fold,
            encoder_of=self._encoder_of(round_, without_fold),
        )

    def _encoder_of(self, round_: int, without_fold: int | None) -> Path | None:
        """The model whose encoder a training begins with: on all texts the best one so
        far, M(ŵ), and without a fold the last one that was trained without it. A model
        that has seen the fold could give away what is annotated there. What the fold
        models of the first round learn is no q; their encoder may be another one."""
        if not self.settings.warm_start:
            return None
        if without_fold is None:
            best = self.best_round()
            return None if best is None else self.final_model(best) / BEST_MODEL
        if round_ <= 2:
            return None
        return self.fold_model(round_ - 1, without_fold) / BEST_MODEL

    def needs_q(self) -> bool:
        """RETURNS (bool): Whether the loss looks at q at all."""
        return needs_q(self.config["components"][self.component]["loss"])

    def looks_at_guesses(self) -> bool:
        """RETURNS (bool): Whether it matters what guessers say."""
        return self.needs_q() and self.settings.start.has_likelihood

    def best_round(self) -> int | None:
        """RETURNS (int | None): The number of the round with M(ŵ), if there is one."""
        best = find_best(self.history())
        return None if best is None else best.round

    def has_all_rounds(self) -> bool:
        """RETURNS (bool): Whether there is no round left to do."""
        history = self.history()
        if not history:
            return False
        last = history[-1]
        # What the first round changes was no estimate before.
        converged = last.round > 1 and last.changed < self.settings.convergence
        best, patience = self.best_round(), self.settings.patience
        assert best is not None
        exhausted = 0 < patience <= last.round - best
        has_all = last.round >= self.settings.rounds
        return not self.needs_q() or converged or exhausted or has_all
