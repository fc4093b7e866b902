"""How much of what a transformer computes in training is padding.

    python -m benchmarks.padding --data youku/train.txt conll2003/train.txt \\
        --encoder path/to/one path/to/another

A file goes with the encoder in the same place. Batches are made of its texts in random
order, as the recipes "best" and "paper" of `init-config --gpu` have it. A text longer
than the window of the config would be read in parts, and counts as a whole here.
Results go to `benchmarks/results/`.
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path

import spacy
import srsly
from spacy.training import Example
from spacy.util import registry
from thinc.api import Config

from spacy_adak.encoders.word_pieces import create_word_pieces
from spacy_adak.run.init_config import RECIPES, init_config

from .corpora import make_examples, read_columns
from .pipeline import Row
from .result_files import result_path

_TARGET = 0.15


def measure_padding(examples: Sequence[Example], encoder: Path) -> list[Row]:
    """Make the batches of an epoch by each recipe.

    examples (Sequence[Example]): The texts, in random order.
    encoder (Path): The folder of a transformer.
    RETURNS (list[Row]): How much is padded, by recipe.
    """
    count_pieces = create_word_pieces(str(encoder))
    rows = []
    for recipe in RECIPES:
        text = init_config("en", gpu=True, encoder=str(encoder), recipe=recipe)
        training = Config().from_str(text).interpolate()["training"]
        batcher = registry.resolve({"batcher": training["batcher"]})["batcher"]
        lengths = [list(map(count_pieces, batch)) for batch in batcher(examples)]
        rows.append(
            {
                "recipe": recipe,
                "padding": round(padded_share(lengths), 3),
                "batches": len(lengths),
                "texts_per_batch": round(len(examples) / len(lengths), 1),
            }
        )
    return rows


def padded_share(batches: Iterable[Sequence[int]]) -> float:
    """RETURNS (float): The share of padding in batches of texts of some lengths."""
    read = computed = 0
    for lengths in batches:
        read += sum(lengths)
        computed += max(lengths) * len(lengths)
    return 1 - read / computed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--encoder", type=Path, nargs="+", required=True)
    parser.add_argument("--sentences", type=int, default=100_000)
    args = parser.parse_args()
    if len(args.data) != len(args.encoder):
        parser.error("Give an encoder for each file.")
    nlp = spacy.blank("en")
    rows: list[Row] = []
    for data, encoder in zip(args.data, args.encoder, strict=True):
        examples = make_examples(nlp, read_columns(data, nlp.vocab, args.sentences))
        random.Random(0).shuffle(examples)
        about = {"data": data.parent.name, "encoder": encoder.name}
        rows += [{**about, **row} for row in measure_padding(examples, encoder)]
    for row in rows:
        print(row)
    most = max(row["padding"] for row in rows if row["recipe"] == "best")
    print("reached" if most <= _TARGET else "MISSED", f"padding: at most {_TARGET}")
    srsly.write_jsonl(result_path("padding", parser, args, "sentences"), rows)


if __name__ == "__main__":
    main()
