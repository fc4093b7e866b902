"""`adak_ner` compared with spaCy's `ner` on positives only: some entities, and no O.

Both are trained on the same examples, in which everything but the entities that were
kept is missing, for the same number of steps with the same encoder, and scored on
complete data.

    python -m benchmarks.partial_annotation --train train.txt --dev dev.txt
"""

import argparse
import random
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from spacy_adak.data.corruption import drop_entities

from .corpora import make_examples, read_columns
from .result_files import result_path


def shuffled_batches(examples: list[Example], seed: int) -> Iterator[list[Example]]:
    """Batches of examples in an order that is new in each epoch, without end."""
    order = random.Random(seed)
    while True:
        order.shuffle(examples)
        yield from minibatch(examples, size=32)


def loss(name: str) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The block of a loss."""
    return {"@losses": f"spacy-adak.{name}.v1"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--train", type=Path, required=True, help="column file, BIO")
    parser.add_argument("--dev", type=Path, required=True, help="column file, BIO")
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--ratio", type=float, default=0.5, help="entities kept")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    vocab = spacy.blank("en").vocab
    train = drop_entities(
        read_columns(args.train, vocab, args.sentences), args.ratio, seed=args.seed
    )
    dev = read_columns(args.dev, vocab, args.sentences)
    rows = []
    for factory, config in [
        ("ner", {}),
        ("adak_ner", {"loss": {**loss("AdaKLoss"), "annealing_steps": args.steps}}),
        ("adak_ner", {"loss": loss("FuzzyLoss")}),
        ("adak_ner", {"loss": loss("CRFLoss")}),
    ]:
        fix_random_seed(args.seed)
        nlp = spacy.blank("en")
        nlp.add_pipe(factory, config=config)
        examples = make_examples(nlp, train)
        optimizer = nlp.initialize(partial(iter, examples))
        for batch in islice(shuffled_batches(examples, args.seed), args.steps):
            nlp.update(batch, sgd=optimizer, drop=0.1)
        scores = nlp.evaluate(make_examples(nlp, dev))
        row = {
            "component": factory,
            **config.get("loss", {}),
            **{key: round(100 * scores[f"ents_{key}"], 2) for key in "prf"},
        }
        print(row, flush=True)
        rows.append(row)
    settings = {**vars(args), "train": args.train.name, "dev": args.dev.name}
    sizes = ("sentences", "ratio", "steps", "seed")
    path = result_path("partial_annotation", parser, args, *sizes)
    srsly.write_jsonl(path, [settings, *rows])


if __name__ == "__main__":
    main()
