"""What a run of the experiments is made of: how much of everything there is, and where
its cells get their data and settings from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.util import dict_to_dot
from thinc.api import Config

from scripts.datasets import config_path
from spacy_adak.packaging.meta import training_settings
from spacy_adak.q.adak_block import read_settings
from spacy_adak.run.filled_config import fill_own_settings
from spacy_adak.run.folder import needs_q
from spacy_adak.run.overrides import read_config

from .cells import Cell
from .corpora import training_data
from .models import MODELS, NER, ROUNDS, model_settings

# Settings that say where an encoder is. Which one it is, is noted apart from them.
_PLACES = (".name", ".shared")
# There are no ruled-out spans in the data of cells that could be looked at.
WITHOUT_EFFECT = (".incorrect_spans_key",)


class Profile(NamedTuple):
    """How much of everything there is in a run of the experiments.

    datasets (Sequence[str]): Which datasets; those of the experiment if there are none.
    documents (int | None): How many documents each split has, or all.
    settings (dict[str, Any]): Overrides of the config.
    of_paper (dict[str, Any]): Overrides of configs with the recipe of the paper.
    """

    datasets: Sequence[str]
    documents: int | None
    settings: dict[str, Any]
    of_paper: dict[str, Any]


PROFILES = {
    "full": Profile((), None, {}, {}),
    "short": Profile((), None, {}, {ROUNDS: 3}),
    "quick": Profile(
        ("sample",),
        30,
        {
            "training.max_epochs": 1,
            "components.adak_ner.model.tok2vec.width": 16,
            "components.adak_ner.model.tok2vec.embed_size": 50,
            # The dictionary is used from the second round on.
            "adak.rounds": 2,
            "adak.convergence": 0.0,
            "adak.executor": "serial",
        },
        {},
    ),
}


class Run(NamedTuple):
    """Where the cells of a run get their data and settings from, and put results.

    root (Path): The folder of the project.
    profile (str): A key of `PROFILES`.
    overrides (dict[str, Any]): Settings of all cells, by dotted names.
    gpu_id (int): The GPU, or -1.
    local_data (Path | None): A folder to copy the files of datasets from.
    """

    root: Path
    profile: str
    overrides: dict[str, Any]
    gpu_id: int = -1
    local_data: Path | None = None

    @property
    def results_path(self) -> Path:
        """RETURNS (Path): The file with the results."""
        return self.root / "experiments" / self.profile / "results.jsonl"

    def output(self, cell: Cell) -> Path:
        """RETURNS (Path): Where a cell is trained."""
        return self.root / "training" / "experiments" / self.profile / cell.name

    def config_path(self, cell: Cell) -> Path:
        """RETURNS (Path): The config of a cell."""
        recipe = MODELS[cell.model].recipe
        return config_path(cell.dataset, cell.config, self.root, recipe)

    def overrides_of(self, cell: Cell) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What a cell overrides in its config."""
        profile = PROFILES[self.profile]
        is_of_paper = MODELS[cell.model].recipe == "paper"
        return {
            **model_settings(cell.model, cell.config),
            **profile.settings,
            **(profile.of_paper if is_of_paper else {}),
            **self.overrides,
            "system.seed": cell.seed,
        }

    def overrides_with_data(self, cell: Cell, corpus: Path) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The same, with the data of the cell."""
        return {
            **self.overrides_of(cell),
            "paths.train": str(training_data(corpus, cell)),
            "paths.dev": str(corpus / "dev.spacy"),
        }

    def config(self, cell: Cell) -> Config:
        """RETURNS (Config): The config of a cell, with its overrides and all settings
        of ours."""
        config = read_config(self.config_path(cell), self.overrides_of(cell))
        return fill_own_settings(config.interpolate())

    def settings(self, cell: Cell) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): What a cell is trained with, by dotted names."""
        config = self.config(cell)
        networks = {
            name: {"model": block["model"]}
            for name, block in config["components"].items()
            if "model" in block
        }
        settings = {
            **training_settings(config),
            **{
                key: value
                for key, value in dict_to_dot({"components": networks}).items()
                if not key.endswith(_PLACES)
            },
        }
        if self.planned_trainings(cell) == 1:
            # There are no rounds that these would be the settings of.
            settings = {k: v for k, v in settings.items() if not k.startswith("adak.")}
        return settings

    def planned_trainings(self, cell: Cell) -> int:
        """RETURNS (int): How many models are trained for a cell, at most."""
        config = self.config(cell)
        loss = config["components"]["adak_ner"]["loss"]
        if cell.model == NER or not needs_q(loss):
            return 1
        return read_settings(config).trainings
