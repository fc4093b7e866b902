"""Train one model, as one task of the outer loop. The training is spaCy's own."""

from pathlib import Path
from typing import NamedTuple

from spacy.training.loop import train as train_nlp

from ..encoders.word_features import silence_word_features
from ..pipeline.adak_ner import AdaKRecognizer
from ..pipeline.losses import Loss
from ..shards.checkpoint import new_folder
from .blueprint import Blueprint
from .logs import logging_to
from .progress_file import PROGRESS_LOGGER
from .score_file import SCORES_ENDING
from .steps import plan_steps, sure_steps

# What spaCy calls the models of a training, and we those of a whole run.
BEST_MODEL, LAST_MODEL = "model-best", "model-last"


class TrainingTask(NamedTuple):
    """What a worker needs to know to train a model.

    name (str): For messages.
    blueprint (Blueprint): Of the pipeline it begins with.
    loss (Loss | None): The loss, if it is not that of the config.
    has_word_features (bool): Whether the model may learn something of single words, or
        only knows what an encoder says of them.
    output (Path): Where the model goes: a folder with model-best and model-last.
    """

    name: str
    blueprint: Blueprint
    loss: Loss | None
    has_word_features: bool
    output: Path

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where the training writes what spaCy would print."""
        return self.output.with_name(f"{self.output.name}.log")

    @property
    def progress_path(self) -> Path:
        """RETURNS (Path): Where the training says how far it is."""
        return self.output.with_name(f"{self.output.name}.progress")

    @property
    def scores_path(self) -> Path:
        """RETURNS (Path): Where the training writes how it goes."""
        return self.output.with_name(f"{self.output.name}{SCORES_ENDING}")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether the model exists."""
        return self.output.exists()

    def run(self) -> None:
        """Train the model, unless it exists already."""
        if self.is_done():
            return
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            nlp = self.blueprint.make_pipeline()
            total = plan_steps(nlp, self.blueprint.texts())
            for _, component in nlp.pipeline:
                if isinstance(component, AdaKRecognizer):
                    component.plan_annealing(sure_steps(nlp, total))
                    if self.loss is not None:
                        component.loss = self.loss
                    self.blueprint.estimate_settings(component)
                    if not self.has_word_features:
                        silence_word_features(component.model)
            nlp.config["training"]["logger"] = {
                "@loggers": PROGRESS_LOGGER,
                "path": str(self.progress_path),
                "total_steps": total,
                "scores_path": str(self.scores_path),
                "logger": nlp.config["training"]["logger"],
            }
            with new_folder(self.output) as folder:
                train_nlp(
                    nlp, folder, use_gpu=self.blueprint.use_gpu, stdout=log, stderr=log
                )
