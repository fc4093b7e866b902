"""A run that other tests look at."""

from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from thinc.api import Config

from spacy_adak.run.folder import Round


class FinishedRun(NamedTuple):
    """A run that was never stopped."""

    config: Config
    folder: Path
    nlp: Language
    history: list[Round]
