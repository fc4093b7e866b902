"""The first fold models over a transformer that stays as it is.

Over a frozen transformer, whose rows are remembered, a training takes a fraction of the
time of one that trains the transformer.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from thinc.api import Config

from ..errors import Errors
from .init_config import init_config

# How trainings over a frozen encoder go.
_TRAINING = ("batcher", "optimizer", "dropout", "accumulate_gradient")
_LISTENER = "Listener"
_LOADERS = ("encoder_loader", "piecer_loader")


def frozen_start_problems(config: Config, component: str) -> Iterator[str]:
    """Check whether there is a transformer to freeze.

    config (Config): The config of a run, interpolated.
    component (str): The name of the `adak_ner` component.
    YIELDS (str): What is wrong.
    """
    if listened_to(config, component) is None:
        yield Errors.A233.format(name=component)


def with_frozen_transformer(config: Config, component: str) -> Config:
    """Make the config of the first fold models: a small network over the transformer,
    as in the recipe "best" over a frozen encoder.

    config (Config): The config of a run, with its variables.
    component (str): The name of the `adak_ner` component.
    RETURNS (Config): The config.
    """
    recipe = Config().from_str(init_config(encoder=""), interpolate=False)
    transformer = listened_to(config.interpolate(), component)
    assert transformer is not None
    frozen = config.copy()
    components, training = frozen["components"], frozen["training"]
    model = recipe["components"]["adak_ner"]["model"]
    encoder = model["tok2vec"]["embed"]["*"]["frozen"]
    encoder["encoder"] = components[transformer]["model"]
    encoder.update(_loaders(config, transformer))
    encoder["shared"] = config["paths"].get("rows")
    components[component]["model"] = model
    if not any(_listens(block) for block in components.values()):
        del components[transformer]
        frozen["nlp"]["pipeline"].remove(transformer)
        for setting in ("frozen_components", "annotating_components"):
            names = training[setting]
            training[setting] = [name for name in names if name != transformer]
    for setting in _TRAINING:
        training[setting] = recipe["training"][setting]
    if training["max_epochs"] > 0:
        epochs = recipe["training"]["max_epochs"]
        training["max_epochs"] = min(epochs, training["max_epochs"])
    return frozen


def _loaders(config: Config, transformer: str) -> dict[str, Any]:
    """Where a transformer of spacy-curated-transformers is loaded from."""
    block = config["initialize"]["components"].get(transformer, {})
    return {name: block[name] for name in _LOADERS if block.get(name)}


def listened_to(config: Config, component: str) -> str | None:
    """Find the component whose transformer a component listens to. One that comes from
    another pipeline has no model in the config.

    config (Config): The config of a run, interpolated.
    component (str): The name of the component that listens.
    RETURNS (str | None): The name of the other one.
    """
    components = config["components"]
    if not _listens(components[component]):
        return None
    before = config["nlp"]["pipeline"]
    for name in reversed(before[: before.index(component)]):
        if "transformer" in str(components[name].get("factory")):
            return name if "model" in components[name] else None
    return None


def _listens(block: Any) -> bool:
    if not isinstance(block, Mapping):
        return False
    return _LISTENER in block.get("@architectures", "") or any(
        _listens(inner) for inner in block.values()
    )
