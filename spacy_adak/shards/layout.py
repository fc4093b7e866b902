"""Lay the training data out in folds and shards."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import srsly
from spacy.tokens import Doc

from ..data.docbin import make_docbin
from .checkpoint import damage_named, new_folder
from .folds import assign_folds

# How many documents one task estimates.
_DOCS_PER_SHARD = 2000
# For the documents of all shards in a row, their places in the training data.
_ORDER_FILE = "order.json"


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
    with damage_named(folder / _ORDER_FILE):
        places = srsly.read_json(folder / _ORDER_FILE)
        by_place = dict(zip(places, docs, strict=True))
        return [by_place[place] for place in range(len(docs))]
