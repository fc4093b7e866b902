"""Pipelines that a user names."""

from pathlib import Path

import spacy
from spacy.language import Language

from ..errors import Errors, is_explained


def load_pipeline(model: str | Path) -> Language:
    """Load a pipeline, or say which one can't be loaded and why.

    model (str | Path): Its name or path.
    RETURNS (Language): The pipeline.
    """
    try:
        return spacy.load(model)
    except Exception as error:  # a file that is damaged fails in any way
        if is_explained(error) and not isinstance(error, OSError):
            raise
        why = error if isinstance(error, OSError) else repr(error)
        raise ValueError(Errors.A402.format(model=model, error=why)) from error
