"""The guesses for the texts of a run: those that a document carries, and those of
guessers that were asked, whose answers have a file for each shard."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy
import srsly
from spacy.attrs import ORTH
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..data.guesses import Guess, guesses_of
from .checkpoint import damage_named, write_json


def answers_path(folder: Path, guesser: str, source: Path) -> Path:
    """RETURNS (Path): The file with the guesses for the texts of a shard."""
    return folder / guesser / f"{source.stem}.json"


def write_answers(path: Path, answers: Sequence[Sequence[Guess]]) -> None:
    """Write the guesses for the texts of a file, in order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, {"texts": answers})


def read_guesses(
    folder: Path, source: Path, docs: Sequence[Doc]
) -> list[dict[str, list[Guess]]]:
    """Read all guesses for the texts of a file.

    folder (Path): The folder with the answers of guessers.
    source (Path): The file.
    docs (Sequence[Doc]): Its texts, in order.
    RETURNS (list[dict[str, list[Guess]]]): The guesses for each text by the name of the
        guesser, in tokens of these documents.
    """
    guesses = [guesses_of(doc) for doc in docs]
    for path in sorted(folder.glob(f"*/{source.stem}.json")):
        with damage_named(path):
            answers = srsly.read_json(path)["texts"]
            for text, answer in zip(guesses, answers, strict=True):
                text[path.parent.name] = [Guess(*guess) for guess in answer]
    return guesses


def in_predicted_tokens(
    example: Example, guesses: Mapping[str, Sequence[Guess]]
) -> dict[str, list[Guess]]:
    """Put guesses in terms of the predicted document.

    example (Example): A text.
    guesses (Mapping[str, Sequence[Guess]]): The guesses in tokens of the reference.
    RETURNS (dict[str, list[Guess]]): Those that align with predicted tokens.
    """
    predicted, reference = example.predicted, example.reference
    if numpy.array_equal(predicted.to_array(ORTH), reference.to_array(ORTH)):
        return {name: list(of_guesser) for name, of_guesser in guesses.items()}
    return {
        name: [
            Guess(aligned.start, aligned.end, guess.label, guess.score)
            for guess in of_guesser
            for aligned in example.get_aligned_spans_y2x(
                [Span(reference, guess.start, guess.end, label=guess.label)]
            )
        ]
        for name, of_guesser in guesses.items()
    }
