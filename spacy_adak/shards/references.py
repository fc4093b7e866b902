"""Read data with the reader of a config, and have a config read other data."""

from collections.abc import Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model_from_config, resolve_dot_names
from thinc.api import Config


def tokenizing_pipeline(config: Config) -> Language:
    """RETURNS (Language): The pipeline of a config without any component."""
    config = config.copy()
    config["nlp"]["pipeline"] = []
    config["components"] = {}
    config["initialize"]["components"] = {}
    return load_model_from_config(config, auto_fill=True)


def read_references(config: Config, corpus: str) -> Iterator[Doc]:
    """Read the reference documents of a corpus with the user's own reader.

    config (Config): The config, interpolated.
    corpus (str): "train" or "dev".
    YIELDS (Doc): The documents, before any augmentation.
    """
    nlp = tokenizing_pipeline(config)
    config = nlp.config.interpolate()
    block = reader_block(config, corpus)
    if block.get("augmenter") is not None:
        block["augmenter"] = None
    (read,) = resolve_dot_names(config, [config["training"][f"{corpus}_corpus"]])
    for example in read(nlp):
        if block.get("gold_preproc"):
            # From here on the tokens are those of the reference.
            example.reference.has_unknown_spaces = True
        if len(example.reference):
            yield example.reference


def reader_block(config: Config, corpus: str) -> dict[str, Any]:
    """The block of a reader, or an empty one if one function makes all readers.

    config (Config): The config.
    corpus (str): "train" or "dev".
    RETURNS (dict[str, Any]): The block.
    """
    block: Any = config
    for name in config["training"][f"{corpus}_corpus"].split("."):
        block = block.get(name, {}) if isinstance(block, dict) else {}
    return block


def replace_reader(config: Config, corpus: str, block: dict[str, Any]) -> None:
    """Replace the reader of a corpus, and keep its augmenter.

    config (Config): The config, which is changed.
    corpus (str): "train" or "dev".
    block (dict[str, Any]): The block of the new reader.
    """
    augmenter = reader_block(config, corpus).get("augmenter")
    *sections, name = config["training"][f"{corpus}_corpus"].split(".")
    parent: dict[str, Any] = config
    for section in sections:
        if any(key.startswith("@") for key in parent[section]):
            parent[section] = {}
        parent = parent[section]
    parent[name] = {**block, "augmenter": augmenter}
