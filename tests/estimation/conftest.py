import os
from pathlib import Path
from typing import NamedTuple

# Read when the library is imported: nothing is ever looked up on the network.
os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
from spacy.language import Language
from thinc.api import Config

from spacy_adak.estimation.run import Round
from spacy_adak.estimation.train import train

from .samples import TINY, make_config, write_data


class FinishedRun(NamedTuple):
    config: Config
    folder: Path
    nlp: Language
    history: list[Round]


@pytest.fixture(scope="session")
def tiny_config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A config of two short rounds, with its data."""
    data = write_data(tmp_path_factory.mktemp("data"))
    return make_config(**TINY, **data)


@pytest.fixture(scope="session")
def finished(
    tiny_config: Config, tmp_path_factory: pytest.TempPathFactory
) -> FinishedRun:
    """A run that was never stopped. Not to be changed."""
    folder = tmp_path_factory.mktemp("finished") / "output"
    return FinishedRun(tiny_config, folder, *train(tiny_config, folder))
