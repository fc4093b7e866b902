"""Find what is wrong with the settings of a config, as they are written."""

from collections.abc import Iterator, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

from thinc.api import Config

from ..data.corruption import DROP_ENTITIES
from ..errors import Errors, refuse_unknown_keys
from ..pipeline.adak_ner import make_adak_ner
from ..pipeline.old_settings import describe_old_settings, old_settings
from ..shards.references import reader_block
from .filled_config import is_adak
from .overrides import SPACY_SETTINGS, settings_of_loss


def problems_of_settings(config: Config) -> Iterator[str]:
    """Find settings that nothing reads, encoders that do not exist, and augmenters that
    come too late.

    config (Config): The config, interpolated.
    YIELDS (str): What is wrong.
    """
    checked = [
        (name, config.get(name, {}), valid) for name, valid in SPACY_SETTINGS.items()
    ]
    parameters = ["factory", *list(signature(make_adak_ner).parameters)[2:]]
    kind = "components.adak_ner"
    for name, block in config["components"].items():
        if not is_adak(block):
            continue
        section = f"components.{name}"
        if moved := old_settings(block, kind):
            yield describe_old_settings(moved, kind)
        checked.append((section, block.keys() - moved, parameters))
        loss = block.get("loss")
        if isinstance(loss, Mapping) and (valid := settings_of_loss(loss)):
            checked.append((f"{section}.loss", loss, valid))
    for section, keys, valid in checked:
        try:
            refuse_unknown_keys(keys, f"[{section}]", valid)
        except ValueError as error:
            yield str(error)
    yield from _missing_folders(config["components"], "components")
    to_load = config.get("initialize", {}).get("components", {})
    yield from _missing_folders(to_load, "initialize.components")
    for corpus in ("train", "dev"):
        augmenter = (reader_block(config, corpus).get("augmenter") or {}).get(
            "@augmenters"
        )
        if augmenter == DROP_ENTITIES:
            yield Errors.A223.format(augmenter=augmenter, corpus=corpus)


def _missing_folders(block: Mapping[str, Any], where: str) -> Iterator[str]:
    """Names of encoders that are paths, and lead nowhere."""
    for key, value in block.items():
        setting = f"{where}.{key}"
        if isinstance(value, Mapping):
            yield from _missing_folders(value, setting)
        elif (
            key == "name"
            and not block.keys().isdisjoint(("@architectures", "@model_loaders"))
            and isinstance(value, str)
            and (_looks_like_path(value) or Path(value).is_file())
            and not Path(value).expanduser().is_dir()
        ):
            yield Errors.A214.format(path=value, setting=setting)


def _looks_like_path(name: str) -> bool:
    # A model on the hub is called "model" or "organisation/model".
    return name.startswith((".", "/", "~")) or name.count("/") > 1
