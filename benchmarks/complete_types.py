"""The cost of a training step on texts that are complete for some types, compared with
texts that do not state it.

    python -m benchmarks.complete_types

The same texts are learnt from twice, once with the statement that all of them are
complete for one of their types; both take turns. A step is `nlp.update` with the
default encoder. "loss" is the part that differs: reading the batch, the loss and its
gradient. Times are CPU times, so that other work on the machine counts less.
"""

import argparse
import random
import time
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


class Learner:
    """A component that learns from texts.

    loss (str): The name of its loss.
    texts (int): How many.
    tokens (int): How long each is.
    complete (bool): Whether they are complete for a type.
    """

    def __init__(self, loss: str, texts: int, tokens: int, complete: bool) -> None:
        self.nlp = spacy.blank("xx")
        block = {"@losses": f"spacy-adak.{loss}.v1"}
        component = self.nlp.add_pipe("adak_ner", config={"loss": block})
        assert isinstance(component, AdaKRecognizer)
        self.examples = make_examples(self.nlp, texts, tokens, complete)
        self.optimizer = self.nlp.initialize(lambda: self.examples)
        self.component = component
        docs = [example.predicted for example in self.examples]
        self.scores = component.tag_scores(docs)

    def step(self) -> None:
        """Learn once."""
        self.nlp.update(self.examples, sgd=self.optimizer)

    def compute_loss(self) -> None:
        """Do what differs of a step."""
        self.component.get_loss(self.examples, self.scores)


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
        silent, complete = (
            Learner(loss, args.texts, args.tokens, stated) for stated in (False, True)
        )
        row: dict[str, object] = {"loss": loss}
        for name, tasks in {
            "step": {"silent": silent.step, "complete": complete.step},
            "loss": {"silent": silent.compute_loss, "complete": complete.compute_loss},
        }.items():
            times = time_in_turns(tasks, args.seconds, time.process_time)
            row[f"{name}_milliseconds"] = round(1000 * median(times["silent"]), 2)
            ratio = median_ratio(times["complete"], times["silent"])
            row[f"{name}_ratio"] = round(ratio, 3)
        rows.append(row)
        print(rows[-1], flush=True)
    path = result_path("complete_types", parser, args, "texts", "tokens")
    srsly.write_jsonl(path, [vars(args), *rows])


if __name__ == "__main__":
    main()
