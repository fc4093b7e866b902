"""How long the texts are that a training reads.

A training plans its steps before the first one, by counting batches. What batches are
made by is the length of texts: it is written down once in a run, so that no training
has to read all texts only to count.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import srsly
from spacy.language import Language

from .checkpoint import damage_named, write_json
from .layout import list_shards
from .with_q import ShardEstimates, estimates_path, read_shard

_FILE = "lengths.json"


class TextOfLength(NamedTuple):
    """Stands for an example where only its length matters.

    tokens (int): How many tokens it has.
    """

    tokens: int

    def __len__(self) -> int:
        return self.tokens


def has_text_lengths(corpus: Path) -> bool:
    """RETURNS (bool): Whether it is written down how long all texts are."""
    return (corpus / _FILE).exists()


def write_text_lengths(nlp: Language, corpus: Path) -> None:
    """Write down how long all texts are, unless that is done already.

    nlp (Language): The pipeline to tokenize with.
    corpus (Path): The folder of shards.
    """
    if not has_text_lengths(corpus):
        lengths = {
            shard.path.name: [
                len(example.predicted) for example in read_shard(nlp, shard.path, None)
            ]
            for shard in list_shards(corpus)
        }
        write_json(corpus / _FILE, lengths)


def read_text_lengths(
    corpus: Path, estimates: Path | None, without_fold: int | None
) -> Iterator[TextOfLength]:
    """Go through the texts of a training, as `create_estimated_corpus` reads them.

    corpus (Path): The folder of shards.
    estimates (Path | None): The folder with q for them, if it was estimated.
    without_fold (int | None): The fold to leave out.
    YIELDS (TextOfLength): The length of each text.
    """
    with damage_named(corpus / _FILE):
        lengths = dict(srsly.read_json(corpus / _FILE))
    for shard in list_shards(corpus):
        if shard.fold == without_fold:
            continue
        tokens = lengths[shard.path.name]
        if estimates is not None and without_fold is not None:
            found = ShardEstimates.from_disk(estimates_path(estimates, shard.path))
            tokens = [tokens[i] for i in sorted(found.selected)]
        yield from map(TextOfLength, tokens)
