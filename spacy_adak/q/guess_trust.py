"""How far guessers are to be trusted, found by comparing guesses with the annotation.

Guessers may depend on each other. So spans are grouped by the set of guessers that
agree on them, and each set has its own precision, shrunk towards that of its best
member. Two guessers that always agree count as one.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..annotation.completeness import is_meant_to_be_complete
from ..data.complete_types import types_complete_in
from ..recall.complete_texts import annotated_unasked
from ..recall.intervals import Interval, share
from ..shards.checkpoint import damage_named, write_json
from .guess_precision import Tally, bounded, log_odds, updated
from .voices import Guesses, Place, Voice, bands_of_scores, voices_of


class GuessedText(NamedTuple):
    """A text, as far as guesses are compared with it.

    length (int): Its tokens.
    is_complete (bool): Whether all of its entities are annotated.
    complete_types (frozenset[str]): The types whose entities are, if it is not.
    entities (frozenset): Start, end and label of each entity that annotators have
        marked by themselves.
    decided (frozenset): The same for those that were decided upon when a model
        suggested them. Guesses of these are not compared.
    guesses (Guesses): The guesses by the name of the guesser.
    """

    length: int
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
            len(doc),
            is_meant_to_be_complete(doc),
            frozenset(entities),
            frozenset(decided),
            guesses,
            frozenset(types_complete_in(doc)),
        )

    def is_complete_for(self, label: str) -> bool:
        """RETURNS (bool): Whether all entities of a type are annotated."""
        return self.is_complete or label in self.complete_types


class GuesserTrust(NamedTuple):
    """How far a guesser is trusted where it guesses entities of a type.

    guesser (str): Its name.
    label (str): The type.
    guesses (int): How many it has made.
    precision (Interval): The share of them that are entities.
    by_chance (float): The same for spans of these lengths drawn at random.
    recall (Interval | None): The share of the annotated entities that it guesses; None
        if there are none.
    """

    guesser: str
    label: str
    guesses: int
    precision: Interval
    by_chance: float
    recall: Interval | None


class Trust(NamedTuple):
    """How far all guessers are trusted.

    guessers (list[GuesserTrust]): Each by itself, for people.
    bands (dict[str, list[float]]): The bounds between the bands of a guesser's scores.
    precision (dict): That of spans which a set of voices guesses, with a label, as the
        log-odds beyond chance and as the share itself.
    missed (dict): What an entity of a label weighs that none of a set of guessers has
        guessed, where all of them have seen the text.
    """

    guessers: list[GuesserTrust]
    bands: dict[str, list[float]]
    precision: dict[tuple[frozenset[Voice], str], tuple[float, float]]
    missed: dict[tuple[frozenset[str], str], float]

    def _to_json(self) -> dict[str, Any]:
        return {
            "guessers": [list(row) for row in self.guessers],
            "bands": self.bands,
            "precision": [
                [sorted(voices), label, *values]
                for (voices, label), values in self.precision.items()
            ],
            "missed": [
                [sorted(names), label, value]
                for (names, label), value in self.missed.items()
            ],
        }

    def to_disk(self, path: Path) -> None:
        """Write it to a JSON file."""
        write_json(path, self._to_json())

    @classmethod
    def from_disk(cls, path: Path) -> "Trust":
        """RETURNS (Trust): As it was written to a file."""
        with damage_named(path):
            # Another reader of JSON changes the last digit of some numbers.
            data = json.loads(path.read_text(encoding="utf8"))
            return cls(
                [_read_guesser(*row) for row in data["guessers"]],
                data["bands"],
                {
                    (frozenset((name, band) for name, band in voices), label): (w, p)
                    for voices, label, w, p in data["precision"]
                },
                {(frozenset(names), label): v for names, label, v in data["missed"]},
            )


def _read_guesser(
    guesser: str,
    label: str,
    guesses: int,
    precision: list[float],
    by_chance: float,
    recall: list[float] | None,
) -> GuesserTrust:
    found = None if recall is None else Interval(*recall)
    return GuesserTrust(guesser, label, guesses, Interval(*precision), by_chance, found)


def estimate_trust(
    texts: Sequence[GuessedText],
    recall: float,
    recall_per_type: Mapping[str, float] | None = None,
) -> Trust:
    """Compare guesses with the annotation.

    texts (Sequence[GuessedText]): All texts that guessers have seen.
    recall (float): r, the share of entities that annotators mark in texts that are not
        annotated completely.
    recall_per_type (Mapping[str, float]): The same for types where it is another one.
    RETURNS (Trust): How far guessers are trusted.
    """
    bands = bands_of_scores(text.guesses for text in texts)
    seen = _Recall(recall, recall_per_type or {})
    chance = _Chance(texts, seen)
    alone: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    by_voice: defaultdict[tuple[Voice, str], Tally] = defaultdict(Tally)
    by_voices: defaultdict[tuple[frozenset[Voice], str], Tally] = defaultdict(Tally)
    for text in texts:
        for (start, end, label), voices in voices_of(text.guesses, bands).items():
            if (start, end, label) in text.decided:
                continue
            trial = (
                text.is_complete_for(label),
                (start, end, label) in text.entities,
                chance.of_entity(label, end - start),
            )
            for voice in voices:
                alone[voice[0], label] = alone[voice[0], label].plus(*trial)
                by_voice[voice, label] = by_voice[voice, label].plus(*trial)
            by_voices[voices, label] = by_voices[voices, label].plus(*trial)
    precision_alone = {
        key: tally.precision(tally.by_chance(), seen.of(key[1]))
        for key, tally in alone.items()
    }
    # What is a part of something larger is drawn towards the whole.
    of_voice = {
        (voice, label): tally.precision_of_part(
            alone[voice[0], label], precision_alone[voice[0], label], seen.of(label)
        )
        for (voice, label), tally in by_voice.items()
    }
    precision = {}
    for (voices, label), tally in sorted(by_voices.items(), key=_by_names):
        best = max(voices, key=lambda voice: (of_voice[voice, label], voice))
        value = tally.precision_of_part(
            by_voice[best, label], of_voice[best, label], seen.of(label)
        )
        weight = log_odds(value) - log_odds(tally.by_chance())
        precision[voices, label] = weight, value
    hits, entities = _count_hits(texts)
    return Trust(
        [
            GuesserTrust(
                name,
                label,
                tally.guesses,
                tally.interval(precision_alone[name, label], seen.of(label)),
                tally.by_chance(),
                share(hits[name, label], entities[name, label])
                if entities[name, label]
                else None,
            )
            for (name, label), tally in sorted(alone.items())
        ],
        bands,
        precision,
        _missed(texts, chance),
    )


def _by_names(item: tuple[tuple[frozenset[Voice], str], Tally]) -> tuple[Any, str]:
    (voices, label), _ = item
    return sorted(voices), label


class _Recall(NamedTuple):
    """How many of the entities annotators mark where they are not asked for all."""

    overall: float
    per_type: Mapping[str, float]

    def of(self, label: str) -> float:
        return self.per_type.get(label, self.overall)


class _Chance:
    """The share of the spans of a length that are entities, without guessers.

    texts (Sequence[GuessedText]): All texts.
    recall (_Recall): r.
    """

    def __init__(self, texts: Sequence[GuessedText], recall: _Recall) -> None:
        # How many texts are alike in length, and in what they are complete for.
        self._texts: Counter[tuple[int, bool, frozenset[str]]] = Counter()
        self._entities: Counter[tuple[str, int]] = Counter()
        for text in texts:
            self._texts[text.length, text.is_complete, text.complete_types] += 1
            for start, end, label in text.entities:
                self._entities[label, end - start] += 1
        self._recall = recall
        self._spans: dict[tuple[str, int], float] = {}

    def of_entity(self, label: str, length: int) -> float:
        """RETURNS (float): The probability that a span is an entity."""
        if (label, length) not in self._spans:
            self._spans[label, length] = sum(
                count
                * max(0, size - length + 1)
                * (1.0 if is_complete or label in types else self._recall.of(label))
                for (size, is_complete, types), count in self._texts.items()
            )
        # Half an entity more: what was never seen is not impossible.
        return (self._entities[label, length] + 0.5) / (
            self._spans[label, length] + 1.0
        )

    def spans(self, texts: Iterable[GuessedText], length: int) -> int:
        """RETURNS (int): How many spans of a length there are in some texts."""
        return sum(max(0, text.length - length + 1) for text in texts)


def _count_hits(
    texts: Iterable[GuessedText],
) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """How many annotated entities each guesser has seen, and how many it guesses."""
    hits: Counter[tuple[str, str]] = Counter()
    entities: Counter[tuple[str, str]] = Counter()
    for text in texts:
        for name, guesses in text.guesses.items():
            found = {guess[:3] for guess in guesses}
            for entity in text.entities:
                entities[name, entity[2]] += 1
                hits[name, entity[2]] += entity in found
    return hits, entities


def _missed(
    texts: Sequence[GuessedText], chance: _Chance
) -> dict[tuple[frozenset[str], str], float]:
    """The log-odds of an entity that nobody guesses, beyond those of any other span."""
    by_guessers: defaultdict[frozenset[str], list[GuessedText]] = defaultdict(list)
    for text in texts:
        if text.guesses:
            by_guessers[frozenset(text.guesses)].append(text)
    missed = {}
    for names, seen in sorted(by_guessers.items(), key=lambda item: sorted(item[0])):
        guessed: Counter[tuple[str, int]] = Counter()
        annotated: Counter[tuple[str, int]] = Counter()
        # Of a label, in texts that are complete or not.
        hits: Counter[tuple[str, bool]] = Counter()
        entities: Counter[tuple[str, bool]] = Counter()
        for text in seen:
            places = {g[:3] for guesses in text.guesses.values() for g in guesses}
            for start, end, label in places:
                guessed[label, end - start] += 1
            for start, end, label in text.entities:
                annotated[label, end - start] += 1
                where = label, text.is_complete_for(label)
                entities[where] += 1
                hits[where] += (start, end, label) in places
        labels = sorted({label for label, _ in annotated})
        for label in labels:
            lengths = {n: c for (of, n), c in annotated.items() if of == label}
            total = sum(lengths.values())
            by_chance = sum(
                count * guessed[label, n] / max(chance.spans(seen, n), 1)
                for n, count in lengths.items()
            )
            prior = bounded(by_chance / total)
            # As with precision, complete texts have the last word: guessers may have
            # been made from the very annotation.
            found = prior
            for where in ((label, False), (label, True)):
                found = updated(found, hits[where], entities[where])
            missed[names, label] = math.log1p(-found) - math.log1p(-prior)
    return missed
