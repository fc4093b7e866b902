"""How time and memory of `adak_ner` grow with the number of its labels.

    python -m benchmarks.many_labels

A prediction of a document of 128 tokens, and an update with 8 of them, with the default
HashEmbedCNN and made-up words, in turns with one thread. What counts is the median of
the ratios of the rounds to those with 10 labels. Results go to `benchmarks/results/`.
"""

import argparse
import random
import statistics
from functools import partial
from typing import Any, cast

import spacy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.util import fix_random_seed
from torch.autograd.profiler import profile

from spacy_adak.pipeline.adak_ner import AdaKRecognizer

from .result_files import result_path
from .timing import median_ratio, time_in_turns

LABELS = (10, 30, 100, 101, 300, 1000)
TOKENS, DOCS = 128, 8
TRAIN_STEPS = 3
MOST_TIMES_TEN_LABELS = 15.0


def make_examples(nlp: Language, labels: list[str]) -> list[Example]:
    """RETURNS (list[Example]): Documents in which every ninth token begins an entity,
    and the others are not annotated."""
    rng = random.Random(0)
    examples = []
    for _ in range(DOCS):
        words = [f"w{rng.randrange(2000)}" for _ in range(TOKENS)]
        reference = Doc(nlp.vocab, words=words)
        reference.set_ents(
            [
                Span(reference, start, start + rng.randint(1, 3), rng.choice(labels))
                for start in range(2, TOKENS - 4, 9)
            ],
            default="missing",
        )
        examples.append(Example(Doc(nlp.vocab, words=words), reference))
    return examples


def make_tasks(n_labels: int) -> dict[str, partial]:
    """RETURNS (dict[str, partial]): What to time with that many labels."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    component = cast(AdaKRecognizer, nlp.add_pipe("adak_ner"))
    labels = [f"T{i}" for i in range(n_labels)]
    examples = make_examples(nlp, labels)
    component.initialize(lambda: examples, nlp=nlp, labels=labels)
    sgd = nlp.create_optimizer()
    for _ in range(TRAIN_STEPS):
        nlp.update(examples, sgd=sgd)
    words = [token.text for token in examples[0].predicted]
    return {
        "predict": partial(_predict, nlp, words),
        "update": partial(nlp.update, examples, sgd=sgd),
    }


def _predict(nlp: Language, words: list[str]) -> Doc:
    return nlp(Doc(nlp.vocab, words=words))


def largest_array(task: partial) -> int:
    """RETURNS (int): The most bytes that torch asks for at once."""
    with profile(profile_memory=True) as profiler:
        task()
    events = profiler.kineto_results.events()
    return max(event.nbytes() for event in events if event.name() == "[memory]")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=80.0, help="per task")
    args = parser.parse_args()
    torch.set_num_threads(1)
    tasks = {n_labels: make_tasks(n_labels) for n_labels in LABELS}
    rows: list[dict[str, Any]] = []
    for what in ("predict", "update"):
        runs = {str(n_labels): tasks[n_labels][what] for n_labels in LABELS}
        times = time_in_turns(runs, args.seconds)
        for n_labels in LABELS:
            seconds = times[str(n_labels)]
            rows.append(
                {
                    "what": what,
                    "labels": n_labels,
                    "milliseconds": round(statistics.median(seconds) * 1e3, 1),
                    "quartiles": [
                        round(quartile * 1e3, 1)
                        for quartile in statistics.quantiles(seconds, n=4)[::2]
                    ],
                    "times_10_labels": round(median_ratio(seconds, times["10"]), 2),
                    "rounds": len(seconds),
                    "largest_array_mb": round(
                        largest_array(tasks[n_labels][what]) / 2**20, 1
                    ),
                }
            )
            print(rows[-1], flush=True)
    ratios = [row["times_10_labels"] for row in rows if row["labels"] == LABELS[-1]]
    is_reached = max(ratios) <= MOST_TIMES_TEN_LABELS
    print("reached" if is_reached else "MISSED", "1,000 labels: at most 15 times 10")
    settings = {**vars(args), "tokens": TOKENS, "docs": DOCS, "threads": 1}
    settings["versions"] = {"torch": torch.__version__, "spacy": spacy.__version__}
    path = result_path("many_labels", parser, args, "seconds")
    srsly.write_jsonl(path, [settings, *rows])


if __name__ == "__main__":
    main()
