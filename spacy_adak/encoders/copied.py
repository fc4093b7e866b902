"""Give a pipeline the encoder that another one has learnt."""

from typing import Any

from spacy.language import Language
from thinc.api import Model

from .frozen import frozen_encoders


def copy_encoders(source: Language, target: Language) -> None:
    """Copy the weights that read texts, of components that others listen to and of the
    models with a "tok2vec" of their own. What is above them stays as it is.

    source (Language): The pipeline that has learnt.
    target (Language): One of the same config, initialized, which is changed.
    """
    # They are where all models of a run find them, and are not copied about.
    for frozen in frozen_encoders(source):
        frozen.leave_out_shared()
    for name, component in target.pipeline:
        learnt, new = _encoder(source.get_pipe(name)), _encoder(component)
        if learnt is not None and new is not None:
            new.from_bytes(learnt.to_bytes())


def _encoder(component: Any) -> Model | None:
    model = getattr(component, "model", None)
    if not isinstance(model, Model):
        return None
    if getattr(component, "listener_map", None):
        return model
    return model.get_ref("tok2vec") if model.has_ref("tok2vec") else None
