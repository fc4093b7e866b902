"""Train one model, as one task of the outer loop. The training is spaCy's own."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_nlp
from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config, require_gpu

from ..encoders.frozen import frozen_encoders
from ..encoders.sharing import FOLDER as FROZEN
from ..encoders.sharing import share_frozen_encoders
from ..encoders.word_features import silence_word_features
from ..errors import Errors
from ..pipeline.adak_ner import AdaKRecognizer
from ..pipeline.objective import LossName
from ..shards.checkpoint import new_folder
from ..shards.layout import list_shards
from ..shards.references import replace_reader
from ..shards.with_q import READER
from .logs import logging_to
from .progress_file import PROGRESS_LOGGER
from .steps import plan_steps, sure_steps

# What spaCy calls the models of a training, and we those of a whole run.
BEST_MODEL, LAST_MODEL = "model-best", "model-last"


class TrainingTask(NamedTuple):
    """What a worker needs to know to train a model. Data goes by path.

    name (str): For messages.
    config_path (Path): The config of the run.
    corpus (Path): The folder with the shards of the training data.
    estimates (Path | None): The folder with q for them, if it was estimated.
    without_fold (int | None): The fold to train without.
    dev_path (Path): A `.spacy` file with documents that are annotated completely.
    loss (LossName | None): The loss, if it is not that of the config.
    has_word_features (bool): Whether the model may learn something of single words, or
        only knows what an encoder says of them.
    output (Path): Where the model goes: a folder with model-best and model-last.
    seed (int): For this training.
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    """

    name: str
    config_path: Path
    corpus: Path
    estimates: Path | None
    without_fold: int | None
    dev_path: Path
    loss: LossName | None
    has_word_features: bool
    output: Path
    seed: int
    use_gpu: int
    code_path: Path | None

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where the training writes what spaCy would print."""
        return self.output.with_name(f"{self.output.name}.log")

    @property
    def progress_path(self) -> Path:
        """RETURNS (Path): Where the training says how far it is."""
        return self.output.with_name(f"{self.output.name}.progress")

    @property
    def frozen(self) -> Path:
        """RETURNS (Path): The frozen encoders of the run, beside its config."""
        return self.config_path.with_name(FROZEN)

    def is_done(self) -> bool:
        """RETURNS (bool): Whether the model is there."""
        return self.output.exists()

    def run(self) -> None:
        """Train the model, unless it is there already."""
        if self.is_done():
            return
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            nlp = self.make_pipeline()
            total = plan_steps(nlp)
            for _, component in nlp.pipeline:
                if isinstance(component, AdaKRecognizer):
                    component.plan_annealing(sure_steps(nlp, total))
                    if self.loss is not None:
                        component.loss = self.loss
                    self._estimate_settings(component)
                    if not self.has_word_features:
                        silence_word_features(component.model)
            nlp.config["training"]["logger"] = {
                "@loggers": PROGRESS_LOGGER,
                "path": str(self.progress_path),
                "total_steps": total,
                "logger": nlp.config["training"]["logger"],
            }
            with new_folder(self.output) as folder:
                train_nlp(nlp, folder, use_gpu=self.use_gpu, stdout=log, stderr=log)

    def make_pipeline(self) -> Language:
        """RETURNS (Language): The pipeline, initialized for this training."""
        if self.use_gpu >= 0:
            require_gpu(self.use_gpu)
        import_code(self.code_path)
        nlp = init_nlp(self._config(), use_gpu=self.use_gpu)
        initialize = nlp.config.interpolate()["initialize"]["components"]
        for name, component in nlp.pipeline:
            if isinstance(component, AdaKRecognizer):
                # One that comes from another pipeline is not initialized.
                for label in initialize.get(name, {}).get("labels", ()):
                    component.add_label(label)
        # All models of the run find it in one place.
        for encoder in frozen_encoders(nlp):
            encoder.leave_out_shared()
        return nlp

    def _estimate_settings(self, component: AdaKRecognizer) -> None:
        """What the loss has to know of the data. It is that of all folds, so that all
        trainings of a run are told the same."""
        if component.loss == "missing":
            self.annotation_recall(component)
        elif component.loss == "ratio":
            dev = _read_docs([self.dev_path], component.vocab)
            component.estimate_ratio_target(dev)

    def annotation_recall(self, component: AdaKRecognizer) -> float:
        """Tell the component how many of the entities are annotated, unless it is said
        in its settings.

        component (AdaKRecognizer): The component.
        RETURNS (float): The share.
        """
        shards = [shard.path for shard in list_shards(self.corpus)]
        component.estimate_annotation_recall(
            _read_docs(shards, component.vocab),
            _read_docs([self.dev_path], component.vocab),
        )
        return component.given_or_estimated("annotation_recall", Errors.A114)

    def _config(self) -> Config:
        config = load_config(self.config_path, interpolate=False)
        config["training"]["seed"] = self.seed
        share_frozen_encoders(config, self.frozen)
        # The data was read with the user's own readers; the rest is plain spaCy.
        train_reader = {
            "@readers": READER,
            "path": str(self.corpus),
            "estimates": None if self.estimates is None else str(self.estimates),
            "without_fold": self.without_fold,
        }
        dev_reader = {
            "@readers": "spacy.Corpus.v1",
            "path": str(self.dev_path),
            "gold_preproc": False,
        }
        replace_reader(config, "train", train_reader)
        replace_reader(config, "dev", dev_reader)
        return config


def _read_docs(paths: Iterable[Path], vocab: Vocab) -> Iterator[Doc]:
    for path in paths:
        yield from DocBin().from_disk(path).get_docs(vocab)
