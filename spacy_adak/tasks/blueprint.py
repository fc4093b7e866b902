"""The pipeline that a training begins with, and how to make it."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.util import load_config, load_model
from thinc.api import Config

from ..encoders.copied import copy_encoders
from ..encoders.frozen import frozen_encoders
from ..encoders.sharing import FOLDER as FROZEN
from ..encoders.sharing import share_frozen_encoders
from ..pipeline.adak_ner import AdaKRecognizer
from ..shards.recall_file import read_recall
from ..shards.references import replace_reader
from ..shards.text_lengths import (
    TextOfLength,
    has_text_lengths,
    read_text_lengths,
)
from ..shards.with_q import READER
from .worker import prepare_worker


class Blueprint(NamedTuple):
    """How to make the pipeline that a training begins with. Data goes by path.

    config_path (Path): The config of the run.
    corpus (Path): The folder with the shards of the training data.
    dev_path (Path): A `.spacy` file with documents that are annotated completely.
    seed (int): Of its weights, and of the training.
    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import first.
    estimates (Path | None): The folder with q for the training data, if it was
        estimated.
    without_fold (int | None): The fold to train without.
    encoder_of (Path | None): A model with the encoder to begin with, instead of that
        of the config.
    """

    config_path: Path
    corpus: Path
    dev_path: Path
    seed: int
    use_gpu: int
    code_path: Path | None
    estimates: Path | None = None
    without_fold: int | None = None
    encoder_of: Path | None = None

    @property
    def frozen(self) -> Path:
        """RETURNS (Path): The frozen encoders of the run, next to its config."""
        return self.config_path.with_name(FROZEN)

    def make_pipeline(self) -> Language:
        """RETURNS (Language): The pipeline, initialized."""
        prepare_worker(self.use_gpu, self.code_path)
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
        if self.encoder_of is not None:
            copy_encoders(load_model(self.encoder_of), nlp)
        return nlp

    def estimate_settings(self, component: AdaKRecognizer) -> None:
        """Pass the estimates about the annotators to the component. They are those of
        all folds, so they are the same in all trainings of a run.

        component (AdaKRecognizer): The component.
        """
        recall = read_recall(self.config_path.parent)
        if recall is not None:
            component.cfg.update(recall.settings())

    def texts(self) -> Iterator[TextOfLength] | None:
        """RETURNS (Iterator[TextOfLength] | None): What the training reads, if the run
        has written down how long texts are."""
        if not has_text_lengths(self.corpus):
            return None
        return read_text_lengths(self.corpus, self.estimates, self.without_fold)

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
