"""Give a pipeline the encoder that another one has learnt."""

from typing import Any

from spacy.language import Language
from thinc.api import Model, PyTorchShim


def copy_encoders(source: Language, target: Language) -> None:
    """Copy the weights that read texts, of components that others listen to and of the
    models with a "tok2vec" of their own. What is above them stays as it is, and so do
    frozen encoders: all models of a run have the same.

    source (Language): The pipeline that has learnt.
    target (Language): One of the same config, initialized, which is changed.
    """
    for name, component in target.pipeline:
        learnt, new = _encoder(source.get_pipe(name)), _encoder(component)
        if learnt is not None and new is not None:
            _copy_weights(learnt, new)


def _encoder(component: Any) -> Model | None:
    model = getattr(component, "model", None)
    if not isinstance(model, Model):
        return None
    if getattr(component, "listener_map", None):
        return model
    return model.get_ref("tok2vec") if model.has_ref("tok2vec") else None


def _copy_weights(learnt: Model, new: Model) -> None:
    # Weights alone: to load a model would undo the settings of its training.
    for source, target in zip(learnt.walk(), new.walk(), strict=True):
        for name in source.param_names:
            if source.has_param(name):
                target.set_param(name, source.get_param(name).copy())
        for old, shim in zip(source.shims, target.shims, strict=True):
            if isinstance(shim, PyTorchShim):
                shim._model.load_state_dict(old._model.state_dict())
