"""How far guessers are to be trusted, found by comparing guesses with the annotation.

Guessers may depend on each other. So spans are grouped by the set of guessers that
agree on them, and each set has its own precision, shrunk towards that of its best
member. Two guessers that always agree count as one.

Nor are the guesses of one guesser alike. A gazetteer is right wherever a long name
occurs, and nearly always wrong about a digit that is a name somewhere. So each length
has a precision of its own, and so has each form that is guessed more than once.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..recall.intervals import Interval, share
from ..shards.checkpoint import damage_named, write_json
from .guess_precision import Tally, bounded, updated
from .guessed_texts import AnnotatorsByType, Chance, GuessedText, form_of
from .known_forms import Annotators
from .voices import Place, Voice, bands_of_scores, voices_of


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
    precision (dict): That of spans of a length which a set of voices guesses, with a
        label, as the log-odds beyond chance and as the share itself.
    forms (dict): The same for forms that are guessed more than once.
    missed (dict): What an entity of a label weighs that none of a set of guessers has
        guessed, where all of them have seen the text.
    """

    guessers: list[GuesserTrust]
    bands: dict[str, list[float]]
    precision: dict[tuple[frozenset[Voice], str, int], tuple[float, float]]
    forms: dict[tuple[frozenset[Voice], str, str], tuple[float, float]]
    missed: dict[tuple[frozenset[str], str], float]

    def of_place(
        self, voices: frozenset[Voice], place: Place, words: Sequence[str]
    ) -> tuple[float, float] | None:
        """RETURNS (tuple[float, float] | None): The log-odds beyond chance of a place
        that some voices guess, and the precision; None if nothing is known of it.

        voices (frozenset[Voice]): Who guesses it.
        place (Place): Start, end and label.
        words (Sequence[str]): The words of its text.
        """
        start, end, label = place
        by_form = self.forms.get((voices, label, form_of(words, start, end)))
        return by_form or self.precision.get((voices, label, end - start))

    def _to_json(self) -> dict[str, Any]:
        return {
            "guessers": [list(row) for row in self.guessers],
            "bands": self.bands,
            "precision": [
                [sorted(voices), label, length, *values]
                for (voices, label, length), values in self.precision.items()
            ],
            "forms": [
                [sorted(voices), label, form, *values]
                for (voices, label, form), values in self.forms.items()
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
                    (_read_voices(voices), label, length): (weight, value)
                    for voices, label, length, weight, value in data["precision"]
                },
                {
                    (_read_voices(voices), label, form): (weight, value)
                    for voices, label, form, weight, value in data["forms"]
                },
                {(frozenset(names), label): v for names, label, v in data["missed"]},
            )


def _read_voices(voices: list[list[Any]]) -> frozenset[Voice]:
    return frozenset((name, band) for name, band in voices)


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
    annotators: Annotators,
    recall_per_type: Mapping[str, float] | None = None,
) -> Trust:
    """Compare guesses with the annotation.

    texts (Sequence[GuessedText]): All texts that guessers have seen.
    annotators (Annotators): How many entities they mark in texts that are not
        annotated completely, and how many of those whose form they know.
    recall_per_type (Mapping[str, float]): The share of entities that they mark, for
        types where it is another one.
    RETURNS (Trust): How far guessers are trusted.
    """
    bands = bands_of_scores(text.guesses for text in texts)
    seen = AnnotatorsByType(annotators, recall_per_type or {})
    chance = Chance(texts, seen)
    alone: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    by_voice: defaultdict[tuple[Voice, str], Tally] = defaultdict(Tally)
    by_voices: defaultdict[tuple[frozenset[Voice], str], Tally] = defaultdict(Tally)
    by_length: defaultdict[tuple[frozenset[Voice], str, int], Tally]
    by_length = defaultdict(Tally)
    by_form: defaultdict[tuple[frozenset[Voice], str, int, str], Tally]
    by_form = defaultdict(Tally)
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
            length, form = end - start, form_of(text.words, start, end)
            key = voices, label, length
            by_length[key] = by_length[key].plus(*trial)
            of_form = (*key, form)
            by_form[of_form] = by_form[of_form].plus(*trial)
    precision_alone = {
        key: tally.precision(tally.by_chance(), seen.of(key[1]).recall)
        for key, tally in alone.items()
    }
    # What is a part of something larger is drawn towards the whole.
    of_voice = {
        (voice, label): tally.precision_of_part(
            alone[voice[0], label],
            precision_alone[voice[0], label],
            seen.of(label).recall,
        )
        for (voice, label), tally in by_voice.items()
    }
    worth = {key: tally.worth(seen.of(key[1]).recall) for key, tally in alone.items()}
    of_voices = {}
    worth_of_voices = {}
    for (voices, label), tally in by_voices.items():
        best = max(voices, key=lambda voice: (of_voice[voice, label], voice))
        of_voices[voices, label] = tally.precision_of_part(
            by_voice[best, label], of_voice[best, label], seen.of(label).recall
        )
        worth_of_voices[voices, label] = max(worth[name, label] for name, _ in voices)
    precision = {}
    for (voices, label, length), tally in sorted(by_length.items(), key=_by_names):
        value = of_voices[voices, label]
        if tally.guesses < by_voices[voices, label].guesses:
            value = tally.precision_of_length(
                value, worth_of_voices[voices, label], seen.of(label).recall
            )
        precision[voices, label, length] = tally.beyond_chance(value), value
    forms = {}
    for (voices, label, length, form), tally in sorted(by_form.items(), key=_by_names):
        # One place alone tells nothing of others.
        if tally.guesses > 1:
            _, of_length = precision[voices, label, length]
            value = tally.precision_of_form(
                of_length, worth_of_voices[voices, label], seen.of(label)
            )
            forms[voices, label, form] = tally.beyond_chance(value), value
    hits, entities = _count_hits(texts)
    return Trust(
        [
            GuesserTrust(
                name,
                label,
                tally.guesses,
                tally.interval(precision_alone[name, label], seen.of(label).recall),
                tally.by_chance(),
                share(hits[name, label], entities[name, label])
                if entities[name, label]
                else None,
            )
            for (name, label), tally in sorted(alone.items())
        ],
        bands,
        precision,
        forms,
        _missed(texts, chance),
    )


def _by_names(item: tuple[tuple[Any, ...], Tally]) -> tuple[Any, ...]:
    (voices, *of_what), _ = item
    return sorted(voices), of_what


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
    texts: Sequence[GuessedText], chance: Chance
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
