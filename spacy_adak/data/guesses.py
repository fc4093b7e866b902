"""What other models take to be entities, as span groups of a document.

The group "guessed" has the guesses of a model without a name, "guessed:NAME" those of
one with a name, with `attrs["scores"]` where it has scores. A group that is there but
empty says that the model has seen the text and found nothing.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc, Span

from .origins import GUESSED_KEY, SCORES, set_scored_spans

GUESSER_PREFIX = f"{GUESSED_KEY}:"


class Guess(NamedTuple):
    """A span that a model takes to be an entity.

    start (int): Its first token.
    end (int): The token after its last one.
    label (str): Its label.
    score (float | None): How sure the model is of it, on whatever scale; None if it
        does not say.
    """

    start: int
    end: int
    label: str
    score: float | None = None


def guesses_of(doc: Doc) -> dict[str, list[Guess]]:
    """Read the guesses that a document carries.

    doc (Doc): The document.
    RETURNS (dict[str, list[Guess]]): The guesses by the name of the guesser. One that
        has not seen the text is not there.
    """
    return {
        key.removeprefix(GUESSER_PREFIX): to_guesses(
            group, group.attrs.get(SCORES) or ()
        )
        for key, group in doc.spans.items()
        if key == GUESSED_KEY or key.startswith(GUESSER_PREFIX)
    }


def named_guesses(doc: Doc) -> dict[str, list[Guess]]:
    """RETURNS (dict[str, list[Guess]]): The same of guessers with a name."""
    return {
        name: guesses
        for name, guesses in guesses_of(doc).items()
        if name != GUESSED_KEY
    }


def to_guesses(
    spans: Iterable[Span], scores: Iterable[float | None] = ()
) -> list[Guess]:
    """RETURNS (list[Guess]): Spans as guesses, each once.

    spans (Iterable[Span]): The spans.
    scores (Iterable[float | None]): Their scores; of those behind the last none is
        known.
    """
    listed = list(spans)
    known = [*scores][: len(listed)]
    known += [None] * (len(listed) - len(known))
    found = {
        (span.start, span.end, span.label_): score
        for span, score in zip(listed, known, strict=True)
        if span.start < span.end
    }
    return [Guess(*place, score) for place, score in sorted(found.items())]


def guesses_key(name: str) -> str:
    """RETURNS (str): The key of `Doc.spans` for the guesses of a model."""
    return GUESSED_KEY if name == GUESSED_KEY else f"{GUESSER_PREFIX}{name}"


def set_guesses(doc: Doc, name: str, guesses: Sequence[Guess]) -> None:
    """Write the guesses of a model to a document.

    doc (Doc): The document, which is changed.
    name (str): The name of the guesser.
    guesses (Sequence[Guess]): The guesses.
    """
    spans = [Span(doc, g.start, g.end, label=g.label) for g in guesses]
    set_scored_spans(doc, guesses_key(name), spans, [guess.score for guess in guesses])
