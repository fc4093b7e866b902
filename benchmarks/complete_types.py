"""What a step costs where texts are complete for some types, beside one where they say
nothing about it.

    python -m benchmarks.complete_types

The same texts are learnt from twice, once with the statement that all of them are
complete for one of their types. A step is reading the batch, computing the loss and its
gradient; both take turns. No encoder is run, because it would hide what differs.
"""

import argparse
import random
from collections.abc import Callable
from functools import partial
from statistics import median

import spacy
import srsly
import torch
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_adak.data.complete_types import state_complete
from spacy_adak.pipeline.adak_ner import AdaKRecognizer

from .result_files import result_path
from .timing import median_ratio, time_in_turns

TYPES = ("PER", "ORG", "LOC", "MISC")
LOSSES = ("AdaKLoss", "WeightedLoss", "FuzzyLoss", "CRFLoss")


def make_examples(
    nlp: spacy.language.Language, texts: int, tokens: int, complete: bool
) -> list[Example]:
    """RETURNS (list[Example]): Texts with some entities; everything else is missing."""
    rng = random.Random(0)
    examples = []
    for _ in range(texts):
        words = [f"w{rng.randrange(500)}" for _ in range(tokens)]
        doc = Doc(nlp.vocab, words=words)
        starts = [i for i in range(0, tokens - 2, 3) if rng.random() < 0.2]
        doc.set_ents(
            [Span(doc, i, i + 2, label=rng.choice(TYPES)) for i in starts],
            default="missing",
        )
        if complete:
            state_complete(doc, TYPES[:1])
        examples.append(Example(Doc(nlp.vocab, words=words), doc))
    return examples


def make_step(
    loss: str, texts: int, tokens: int, complete: bool
) -> Callable[[], object]:
    """RETURNS (Callable[[], object]): What a step does after the encoder."""
    nlp = spacy.blank("xx")
    block = {"@losses": f"spacy-adak.{loss}.v1"}
    component = nlp.add_pipe("adak_ner", config={"loss": block})
    assert isinstance(component, AdaKRecognizer)
    examples = make_examples(nlp, texts, tokens, complete)
    nlp.initialize(lambda: examples)
    scores = component.tag_scores([example.predicted for example in examples])
    return partial(component.get_loss, examples, scores)


def main() -> None:
    """Time both, for each loss."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=10.0, help="for each loss")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for loss in LOSSES:
        tasks = {
            name: make_step(loss, args.texts, args.tokens, complete)
            for name, complete in (("silent", False), ("complete", True))
        }
        times = time_in_turns(tasks, args.seconds)
        rows.append(
            {
                "loss": loss,
                "milliseconds": round(1000 * median(times["silent"]), 2),
                "ratio": round(median_ratio(times["complete"], times["silent"]), 3),
                "rounds": len(times["silent"]),
            }
        )
        print(rows[-1], flush=True)
    path = result_path("complete_types", parser, args, "texts", "tokens")
    srsly.write_jsonl(path, [vars(args), *rows])


if __name__ == "__main__":
    main()
