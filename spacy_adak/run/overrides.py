"""Settings given on the command line, or by a call, in place of those of a config."""

import configparser
import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from inspect import signature
from pathlib import Path
from typing import Any

from spacy.schemas import ConfigSchemaInit, ConfigSchemaNlp, ConfigSchemaTraining
from spacy.util import CONFIG_SECTION_ORDER, load_config, registry
from thinc.api import Config, ConfigValidationError

from ..errors import Errors, describe, refuse_unknown_keys
from ..pipeline.old_settings import old_overrides
from ..pipeline.settings import DEFAULTS
from ..q.adak_block import BLOCKS, AdakSettings
from ..q.settings_block import Block
from .filled_config import is_adak

# What can be set in blocks from which spaCy drops the rest without a word.
SPACY_SETTINGS = {
    "nlp": list(signature(ConfigSchemaNlp).parameters),
    "training": list(signature(ConfigSchemaTraining).parameters),
    "initialize": list(signature(ConfigSchemaInit).parameters),
}
_CHECKED = {"nlp", "components", "corpora", "training", "initialize"}
_VARIABLE = re.compile(r"\$\{([\w.:]+)\}")
_LOSSES = "@losses"


def read_config(config: Config | str | Path, overrides: Mapping[str, Any]) -> Config:
    """Read a config, and put other settings into it.

    Blocks of ours that it leaves to defaults can be overridden as well. An override
    that chooses another loss, start or mode of q takes along the settings in its block
    that the new choice does not have.

    config (Config | str | Path): A config, or its path.
    overrides (Mapping[str, Any]): Settings to override, by dotted names.
    RETURNS (Config): The config, not interpolated.
    """
    try:
        if isinstance(config, Config):
            raw = Config().from_str(config.to_str(), interpolate=False)
        elif not Path(config).is_file():
            raw = load_config(config, interpolate=False)
        else:
            # Some editors put a byte order mark in front.
            text = Path(config).read_text(encoding="utf-8-sig")
            raw = Config(section_order=CONFIG_SECTION_ORDER)
            raw.from_str(text, interpolate=False)
        if not overrides:
            return raw
        components = {
            name for name, block in raw.get("components", {}).items() if is_adak(block)
        }
        for problem in old_overrides(overrides, components):
            raise ValueError(problem)
        left = _override_blocks(raw, overrides, components)
        _make_room(raw, left, components)
        _refuse_unread(left, raw)
        text = raw.to_str(interpolate=False)
        return Config(section_order=raw.section_order).from_str(
            text, overrides=left, interpolate=False
        )
    except ConfigValidationError as error:
        raise ValueError(Errors.A219.format(error=describe(error))) from error
    # A repeated section or setting, or bytes that are not text.
    except (configparser.Error, UnicodeDecodeError) as error:
        raise ValueError(Errors.A234.format(path=config, error=error)) from error


def _override_blocks(
    raw: Config, overrides: Mapping[str, Any], components: Iterable[str]
) -> dict[str, Any]:
    """Replace blocks of ours as a whole, so that other overrides can change single
    settings in them, and give back what is left to override."""
    left = dict(overrides)
    places = [(f"adak.{name}", "adak") for name in BLOCKS]
    places += [(f"components.{name}.loss", f"components.{name}") for name in components]
    for place, section in places:
        block: Any = raw
        for name in section.split("."):
            block = block.get(name)
        if place in left and block is not None:
            block[place.rpartition(".")[2]] = deepcopy(left.pop(place))
    return left


def _make_room(
    raw: Config, overrides: Mapping[str, Any], components: Iterable[str]
) -> None:
    """Give the config the blocks that are overridden, without settings that do not
    apply any more."""
    for name, block in BLOCKS.items():
        chosen = _below(overrides, f"adak.{name}")
        if chosen:
            adak = raw.setdefault("adak", {})
            adak[name] = _for_choice(_mapping(adak.get(name)), chosen, block)
    for name in _below(overrides, "adak.guessers"):
        guessers = raw.setdefault("adak", {}).setdefault("guessers", {})
        guessers.setdefault(name.partition(".")[0], {})
    for component in components:
        chosen = _below(overrides, f"components.{component}.loss")
        if chosen:
            settings = raw["components"][component]
            settings["loss"] = _for_loss(_mapping(settings.get("loss")), chosen)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _below(overrides: Mapping[str, Any], section: str) -> dict[str, Any]:
    """The overrides of a section, by their keys."""
    start = f"{section}."
    return {
        key.removeprefix(start): value
        for key, value in overrides.items()
        if key.startswith(start)
    }


def _for_choice(
    given: Mapping[str, Any], chosen: Mapping[str, Any], block: type[Block]
) -> dict[str, Any]:
    """A block without the settings that a new choice does not have."""
    settings = dict(given)
    if block.CHOICE is not None and block.CHOICE in chosen:
        valid = block.applicable(chosen[block.CHOICE])
        settings = {key: value for key, value in settings.items() if key in valid}
    return settings


def _for_loss(given: Mapping[str, Any], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The same for the block of a loss."""
    settings = dict(given or DEFAULTS["loss"])
    if chosen.get(_LOSSES, settings[_LOSSES]) != settings[_LOSSES]:
        return {}
    return settings


def _refuse_unread(overrides: Iterable[str], written: Config) -> None:
    """Raise an error for the first override that nothing would read.

    overrides (Iterable[str]): The dotted names of the settings.
    written (Config): The config without the overrides.
    """
    text = written.to_str(interpolate=False)
    variables = {name.replace(":", ".") for name in _VARIABLE.findall(text)}
    for override in overrides:
        section, _, key = override.rpartition(".")
        block: Any = written
        top, *below = section.split(".")
        if top == "adak" and below:
            refuse_unknown_keys(below[:1], "[adak]", list(AdakSettings.model_fields))
        for name in section.split("."):
            block = block.get(name) if isinstance(block, Mapping) else None
        if block is None:
            # Reading the config will complain of this.
            continue
        if section in SPACY_SETTINGS:
            valid = SPACY_SETTINGS[section]
        elif section in variables or _is_checked(section, block):
            continue
        else:
            start = f"{section}."
            used = {v.removeprefix(start) for v in variables if v.startswith(start)}
            valid = [*block, *sorted(used.difference(block))]
        refuse_unknown_keys([key], f"[{section}]", valid)


def _is_checked(section: str, block: Mapping[str, Any]) -> bool:
    """Whether what is read from a block is checked where it is read: arguments of
    functions, settings of components, and [adak]."""
    top, _, below = section.partition(".")
    return (
        any(key.startswith("@") for key in block)
        or top == "adak"
        or (bool(below) and top in _CHECKED)
    )


def settings_of_loss(block: Mapping[str, Any]) -> list[str] | None:
    """RETURNS (list[str] | None): The settings that the block of a loss may have, or
    None if its function is not registered.

    block (Mapping[str, Any]): The block.
    """
    name = block.get(_LOSSES)
    if name is None or not registry.has("losses", name):
        return None
    return [_LOSSES, *signature(registry.get("losses", name)).parameters]
