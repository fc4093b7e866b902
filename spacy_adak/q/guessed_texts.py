"""Texts with guesses and annotation, and what is known of spans before anybody guesses:
how many of them are entities, and how many of those annotators mark.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from spacy.tokens import Doc

from ..annotation.completeness import is_meant_to_be_complete
from ..data.complete_types import types_complete_in
from ..recall.complete_texts import annotated_unasked
from .known_forms import Annotators
from .voices import Guesses, Place


class GuessedText(NamedTuple):
    """A text, as far as guesses are compared with it.

    words (Sequence[str]): Its words.
    is_complete (bool): Whether all of its entities are annotated.
    complete_types (frozenset[str]): The types whose entities are, if it is not.
    entities (frozenset): Start, end and label of each entity that annotators have
        marked by themselves.
    decided (frozenset): The same for those that were decided upon when a model
        suggested them. Guesses of these are not compared.
    guesses (Guesses): The guesses by the name of the guesser.
    """

    words: Sequence[str]
    is_complete: bool
    entities: frozenset[Place]
    decided: frozenset[Place]
    guesses: Guesses
    complete_types: frozenset[str] = frozenset()

    @classmethod
    def read(cls, doc: Doc, guesses: Guesses) -> "GuessedText":
        """RETURNS (GuessedText): A document and what was guessed of it."""
        entities = {(e.start, e.end, e.label_) for e in annotated_unasked(doc)}
        decided = {(e.start, e.end, e.label_) for e in doc.ents} - entities
        return cls(
            [token.text for token in doc],
            is_meant_to_be_complete(doc),
            frozenset(entities),
            frozenset(decided),
            guesses,
            frozenset(types_complete_in(doc)),
        )

    def is_complete_for(self, label: str) -> bool:
        """RETURNS (bool): Whether all entities of a type are annotated."""
        return self.is_complete or label in self.complete_types


def form_of(words: Sequence[str], start: int, end: int) -> str:
    """RETURNS (str): The form of a span, whatever its tokens are."""
    return "".join(words[start:end])


class AnnotatorsByType(NamedTuple):
    """What annotators do with each type where they are not asked for all entities.

    annotators (Annotators): What they do on the whole.
    recall_per_type (Mapping[str, float]): The recall of types that have one of their
        own.
    """

    annotators: Annotators
    recall_per_type: Mapping[str, float]

    def of(self, label: str) -> Annotators:
        """RETURNS (Annotators): What they do with entities of a type."""
        if label not in self.recall_per_type:
            return self.annotators
        return self.annotators.with_recall(self.recall_per_type[label])


class Chance:
    """How many spans of a length are entities, whatever guessers say.

    texts (Sequence[GuessedText]): All texts.
    annotators (AnnotatorsByType): How many entities they mark.
    """

    def __init__(
        self, texts: Sequence[GuessedText], annotators: AnnotatorsByType
    ) -> None:
        # How many texts are alike in length, and in what they are complete for.
        self._texts: Counter[tuple[int, bool, frozenset[str]]] = Counter()
        self._entities: Counter[tuple[str, int]] = Counter()
        for text in texts:
            size = len(text.words)
            self._texts[size, text.is_complete, text.complete_types] += 1
            for start, end, label in text.entities:
                self._entities[label, end - start] += 1
        self._annotators = annotators
        self._spans: dict[tuple[str, int], float] = {}

    def of_entity(self, label: str, length: int) -> float:
        """RETURNS (float): The probability that a span is an entity."""
        if (label, length) not in self._spans:
            recall = self._annotators.of(label).recall
            self._spans[label, length] = sum(
                count
                * max(0, size - length + 1)
                * (1.0 if is_complete or label in types else recall)
                for (size, is_complete, types), count in self._texts.items()
            )
        # Half an entity more: what was never seen is not impossible.
        return (self._entities[label, length] + 0.5) / (
            self._spans[label, length] + 1.0
        )

    def spans(self, texts: Iterable[GuessedText], length: int) -> int:
        """RETURNS (int): How many spans of a length there are in some texts."""
        return sum(max(0, len(text.words) - length + 1) for text in texts)
