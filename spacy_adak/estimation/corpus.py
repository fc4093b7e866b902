"""Read the training data once, and lay it out in folds and shards."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import load_model_from_config, resolve_dot_names
from thinc.api import Config

from ..data.docbin import make_docbin
from .checkpoint import new_folder
from .folds import assign_folds

# How many documents one task estimates.
_DOCS_PER_SHARD = 2000
# For the documents of all shards in a row, their places in the training data.
_ORDER_FILE = "order.json"


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
    """Have a corpus read in another way, with the augmenter it had.

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


class Shard(NamedTuple):
    """A part of a fold.

    fold (int): Which fold.
    path (Path): A `.spacy` file.
    """

    fold: int
    path: Path


def write_shards(docs: list[Doc], folder: Path, n_folds: int, seed: int) -> None:
    """Divide documents into folds, and folds into files of limited size. Their order
    is written down beside.

    docs (list[Doc]): The documents.
    folder (Path): Where to put the files.
    n_folds (int): How many folds.
    seed (int): Of the division.
    """
    folds = assign_folds((doc.text for doc in docs), n_folds, seed)
    with new_folder(folder) as beside:
        order: list[int] = []
        for fold in range(n_folds):
            members = [place for place, f in enumerate(folds) if f == fold]
            order += members
            for i in range(0, len(members), _DOCS_PER_SHARD):
                places = members[i : i + _DOCS_PER_SHARD]
                shard = make_docbin([docs[place] for place in places])
                number = i // _DOCS_PER_SHARD
                shard.to_disk(beside / f"fold-{fold}-{number:04d}.spacy")
        srsly.write_json(beside / _ORDER_FILE, order)


def list_shards(folder: Path) -> list[Shard]:
    """RETURNS (list[Shard]): The shards in a folder, in order."""

    def numbers(path: Path) -> tuple[int, int]:
        _, fold, number = path.stem.split("-")
        return int(fold), int(number)

    paths = sorted(folder.glob("fold-*.spacy"), key=numbers)
    return [Shard(numbers(path)[0], path) for path in paths]


def in_given_order(docs: Sequence[Doc], folder: Path) -> list[Doc]:
    """Bring documents back into the order in which they were given.

    docs (Sequence[Doc]): The documents of all shards, in order.
    folder (Path): The folder of the shards.
    RETURNS (list[Doc]): The documents.
    """
    places = srsly.read_json(folder / _ORDER_FILE)
    by_place = dict(zip(places, docs, strict=True))
    return [by_place[place] for place in range(len(docs))]
