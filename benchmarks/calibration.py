"""Calibration: how often spans of a given probability are right, before and after
fitting.

    python -m benchmarks.calibration output/model-best --name youku_entity_0.2 \\
        --dev dev.spacy --test test.spacy

The calibration is fitted to dev. Dev and test must be annotated completely. A result
has the expected calibration error (ten bins of equal width, weighted by how many spans
are in them) and the Brier score of the spans that the pipeline finds.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus
from spacy.util import load_model, minibatch

from spacy_adak.crf.calibration import IDENTITY
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.calibration import fit_calibration

BINS = 10
RESULTS = Path("benchmarks/results/calibration.jsonl")


def calibration_error(scores: numpy.ndarray, right: numpy.ndarray) -> float:
    """The mean distance between how sure a model is and how often it is right.

    scores (ndarray): Probabilities.
    right (ndarray): 1 where the span is right, else 0.
    RETURNS (float): The expected calibration error.
    """
    bins = numpy.minimum((scores * BINS).astype(int), BINS - 1)
    return float(
        sum(
            abs(scores[bins == i].sum() - right[bins == i].sum())
            for i in numpy.unique(bins)
        )
        / max(1, len(scores))
    )


def scored_spans(
    nlp: Language, recognizer: AdaKRecognizer, path: Path
) -> Iterator[tuple[float, bool]]:
    """YIELDS (tuple[float, bool]): The probability of each span that is found, and
    whether it is right."""
    for batch in minibatch(Corpus(path)(nlp), 256):
        predicted: list[Doc] = [example.predicted for example in batch]
        for example, found in zip(batch, recognizer.predict(predicted), strict=True):
            aligned = example.get_aligned_spans_y2x(example.reference.ents)
            gold = {(span.start, span.end, span.label_) for span in aligned}
            for span, probability in found:
                assert probability is not None
                yield probability, tuple(span) in gold


def measure(nlp: Language, recognizer: AdaKRecognizer, path: Path) -> dict[str, float]:
    """RETURNS (dict[str, float]): Calibration error, Brier score and accuracy."""
    scores, right = map(
        numpy.array, zip(*scored_spans(nlp, recognizer, path), strict=True)
    )
    return {
        "ece": round(calibration_error(scores, right), 4),
        "brier": round(float(((scores - right) ** 2).mean()), 4),
        "mean": round(float(scores.mean()), 4),
        "right": round(float(right.mean()), 4),
        "spans": len(scores),
    }


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path)
    parser.add_argument("--name", required=True, help="of the result")
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--test", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    nlp = load_model(arguments.model)
    (name,) = (n for n in nlp.pipe_names if nlp.get_pipe_meta(n).factory == "adak_ner")
    recognizer = nlp.get_pipe(name)
    assert isinstance(recognizer, AdaKRecognizer)
    splits = {"dev": arguments.dev, "test": arguments.test}
    recognizer.calibration = IDENTITY
    row: dict[str, object] = {"name": arguments.name}
    row["before"] = {s: measure(nlp, recognizer, p) for s, p in splits.items()}
    recognizer.calibration = fit_calibration(nlp, name, Corpus(arguments.dev)(nlp))
    row["calibration"] = recognizer.calibration._asdict()
    row["after"] = {s: measure(nlp, recognizer, p) for s, p in splits.items()}
    print(json.dumps(row))
    with arguments.output.open("a", encoding="utf8") as file:
        file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
