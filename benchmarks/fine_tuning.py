"""Speed of fine-tuning a transformer: `adak_ner` compared with spaCy's `ner`, both
listening to the same transformer and updated with the same batches.

    python -m benchmarks.fine_tuning --data train.txt --encoder path/to/a/transformer

Batches are those of `init-config --gpu`: texts of similar length, as many as fit into a
number of word pieces. Contenders take turns with one thread. "times peer" is the median
over rounds of the CPU seconds of `ner` over those of the contender: above 1 the
contender is faster.
"""

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import configure_minibatch_by_padded_size
from spacy.util import fix_random_seed
from thinc.api import Adam, Config

from spacy_adak.encoders.word_pieces import create_word_pieces
from spacy_adak.run.init_config import init_config

from .corpora import make_examples, read_columns
from .frozen_pipelines import TRANSITION_NER
from .pipeline import PEER, compare
from .result_files import result_path, write_results
from .timing import time_in_turns

LOSSES = ("CRFLoss", "WeightedLoss", "AdaKLoss")
_TARGET = 1.3


def fine_tuning_config(lang: str, encoder: Path) -> Config:
    """RETURNS (Config): What `init-config --gpu` writes for a transformer."""
    return Config().from_str(init_config(lang, gpu=True, encoder=str(encoder)))


def make_pipeline(config: Config, component: Mapping[str, Any]) -> Language:
    """Make a pipeline of a transformer and a component that listens to it.

    config (Config): A config with a transformer, and `adak_ner` listening to it.
    component (Mapping[str, Any]): The component in place of `adak_ner`, with its
        factory.
    RETURNS (Language): The pipeline, not initialized.
    """
    blocks = config["components"]
    nlp = spacy.blank(config["nlp"]["lang"])
    transformer = {k: v for k, v in blocks["transformer"].items() if k != "factory"}
    nlp.add_pipe("transformer", config=transformer)
    settings = {k: v for k, v in component.items() if k != "factory"}
    nlp.add_pipe(component["factory"], config=settings)
    return nlp


def contenders(config: Config) -> dict[str, dict[str, Any]]:
    """RETURNS (dict[str, dict[str, Any]]): Components by name, with their factories."""
    model = config["components"]["adak_ner"]["model"]
    ner = {**TRANSITION_NER, "tok2vec": model["tok2vec"]}
    components = {PEER: {"factory": "ner", "model": ner}}
    for loss in LOSSES:
        components[f"adak_ner, {loss}"] = {
            "factory": "adak_ner",
            "model": model,
            "loss": {"@losses": f"spacy-adak.{loss}.v1"},
        }
    return components


def make_batches(config: Config, examples: list[Example]) -> list[list[Example]]:
    """RETURNS (list[list[Example]]): The batches of one epoch."""
    batcher = config["training"]["batcher"]
    batches = configure_minibatch_by_padded_size(
        size=batcher["size"],
        buffer=batcher["buffer"],
        discard_oversize=False,
        get_length=create_word_pieces(batcher["get_length"]["name"]),
    )
    return [list(batch) for batch in batches(examples)]


def make_task(
    config: Config, component: Mapping[str, Any], docs: list[Doc]
) -> Callable[[], dict[str, float]]:
    """RETURNS (Callable[[], dict[str, float]]): Trains for an epoch, and gives the
    losses."""
    fix_random_seed(0)
    nlp = make_pipeline(config, component)
    examples = make_examples(nlp, docs)
    batches = make_batches(config, examples)
    nlp.initialize(lambda: examples)
    optimizer = Adam(1e-4, use_averages=False)

    def train() -> dict[str, float]:
        losses: dict[str, float] = {}
        for batch in batches:
            nlp.update(batch, sgd=optimizer, drop=0.1, losses=losses)
        return losses

    return train


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="column file, BIO")
    parser.add_argument("--encoder", type=Path, required=True, help="a folder")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--sentences", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    config = fine_tuning_config(args.lang, args.encoder)
    docs = read_columns(args.data, spacy.blank(args.lang).vocab, args.sentences)
    tasks = {
        name: make_task(config, component, docs)
        for name, component in contenders(config).items()
    }
    times = time_in_turns(tasks, args.seconds)
    rows = list(compare("training", times, sum(map(len, docs))))
    for row in rows:
        print(row)
    ours = rows[1 + LOSSES.index("WeightedLoss")]
    reached = ours["times_peer"] >= _TARGET
    print("reached" if reached else "MISSED", f"{ours['contender']}: {_TARGET}")
    path = result_path("fine_tuning", parser, args, "sentences", "seconds")
    write_results(path, args, rows, ["transformers", "spacy-transformers"])


if __name__ == "__main__":
    main()
