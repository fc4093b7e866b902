"""Which encoder a pipeline reads texts with, and whether it is trained."""

from pathlib import Path
from typing import Any, NamedTuple

from thinc.api import Config

from spacy_adak.encoders.sharing import frozen_blocks


class Encoder(NamedTuple):
    """An encoder by the name of its weights, or of its architecture if it begins with
    none, and whether these stay as they are."""

    name: str
    is_frozen: bool


def describe_encoder(config: Config) -> Encoder:
    """RETURNS (Encoder): The encoder of the pipeline that a config is of."""
    config = config.interpolate()
    components = config["components"]
    if "transformer" in components:
        is_frozen = "transformer" in config["training"]["frozen_components"]
        return Encoder(_name(components["transformer"]["model"]), is_frozen)
    tok2vec = components["adak_ner"]["model"]["tok2vec"]
    for block in frozen_blocks(tok2vec):
        return Encoder(_name(block["encoder"]), True)
    return Encoder(_name(tok2vec), False)


def _name(block: dict[str, Any]) -> str:
    if "name" not in block:
        return block["@architectures"]
    # Of weights in a local folder, where that is says nothing to others.
    name = block["name"]
    return Path(name).name if Path(name).exists() else name
