"""A config with all defaults."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from spacy.util import load_model_from_config, registry
from thinc.api import Config

from ..pipeline.settings import DEFAULTS
from ..q.adak_block import fill_block

_FACTORY = "adak_ner"


class FilledConfig(NamedTuple):
    """A config with all defaults.

    to_write (Config): With its variables. A component with a source keeps nothing but
        that, or trainings would begin with a new one.
    resolved (Config): Interpolated, and with the settings of sourced components.
    """

    to_write: Config
    resolved: Config

    @property
    def component(self) -> str:
        """RETURNS (str): The name of the `adak_ner` component."""
        (name,) = adak_components(self.resolved)
        return name


def fill_config(raw: Config) -> FilledConfig:
    """Fill in what a config leaves to defaults. This makes its pipeline, so it is done
    once in a run.

    raw (Config): The config, not interpolated.
    RETURNS (FilledConfig): The config with all defaults.
    """
    filled = load_model_from_config(raw, auto_fill=True).config
    resolved = filled.interpolate()
    for name, block in raw["components"].items():
        if "source" in block:
            filled["components"][name] = block
    filled["adak"] = fill_block(raw.get("adak", {}))
    return FilledConfig(filled, resolved)


def fill_own_settings(config: Config) -> Config:
    """Fill in the settings of ours only, for which no pipeline has to be made.

    config (Config): The config, interpolated.
    RETURNS (Config): The same with these settings.
    """
    filled = config.copy()
    for name, block in filled["components"].items():
        if is_adak(block):
            merged = Config(dict(DEFAULTS)).merge(block)
            loss = registry.fill({"loss": merged["loss"]})["loss"]
            filled["components"][name] = {**merged, "loss": loss}
    filled["adak"] = fill_block(filled.get("adak", {}))
    return filled


def adak_components(config: Mapping[str, Any]) -> list[str]:
    """RETURNS (list[str]): The components of the pipeline that are `adak_ner`s."""
    return [
        name
        for name in config["nlp"]["pipeline"]
        if is_adak(config["components"].get(name, {}))
    ]


def is_adak(block: Mapping[str, Any]) -> bool:
    """RETURNS (bool): Whether a block of a config is that of an `adak_ner`."""
    return block.get("factory") == _FACTORY
