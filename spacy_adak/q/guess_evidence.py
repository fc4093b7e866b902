"""What guesses say of the paths of a text, as weights of tags."""

from typing import NamedTuple

import numpy

from ..annotation.known import Known, allowed_tags, entity_starting_tags
from ..crf.tags import LabelledSpan, TagSet, split_tag
from .guess_precision import log_odds
from .guess_trust import Trust
from .voices import Guesses, voices_of

# A guess that is less probable is no candidate for q.
_LEAST_PROBABILITY = 0.05


class GuessedSpan(NamedTuple):
    """A span that somebody guesses.

    span (LabelledSpan): Where and what.
    log_ratio (float): How much more likely just these guessers are to guess it if it is
        an entity than if it is none, as a logarithm.
    probability (float): The share of such guesses that are entities.
    """

    span: LabelledSpan
    log_ratio: float
    probability: float


class Evidence(NamedTuple):
    """What guesses say of a text.

    spans (list[GuessedSpan]): What is guessed.
    missed (dict[str, float]): The same logarithm for entities of a type that nobody
        guesses.
    """

    spans: list[GuessedSpan]
    missed: dict[str, float]

    def weights(self, length: int, tagset: TagSet) -> numpy.ndarray:
        """The evidence for each path: a path gains `log_ratio` for each of its entities
        that is guessed, and `missed` for each that is not. An entity that shares some
        of its tags with a guess of its type gains in proportion, as guessers err in
        bounds, too.

        length (int): L, the tokens of the text.
        tagset (TagSet): The tags.
        RETURNS (ndarray): (L, N), what each tag weighs.
        """
        weights = numpy.zeros((length, len(tagset)))
        for tag in entity_starting_tags(tagset):
            _, entity_type = split_tag(tagset.tags[tag])
            weights[:, tag] = self.missed.get(entity_type, 0.0)
        for guess in self.spans:
            gain = guess.log_ratio - self.missed.get(guess.span.type, 0.0)
            weights[_cells(guess.span, tagset)] += gain / _length(guess.span)
        return weights

    def likely_spans(self) -> list[LabelledSpan]:
        """RETURNS (list[LabelledSpan]): Guesses that may be candidates for q."""
        return [
            guess.span
            for guess in self.spans
            if guess.probability >= _LEAST_PROBABILITY
        ]

    def only_guesses(self, length: int, tagset: TagSet) -> numpy.ndarray:
        """What is to be thought of a text by guesses alone: entities are what is
        guessed, each with the odds of its probability.

        length (int): L, the tokens of the text.
        tagset (TagSet): The tags.
        RETURNS (ndarray): (L, N), what each tag weighs; -inf for tags that nobody
            guesses.
        """
        weights = numpy.full((length, len(tagset)), -numpy.inf)
        weights[:, 0] = 0.0
        for guess in self.spans:
            cells = _cells(guess.span, tagset)
            share = log_odds(guess.probability) / _length(guess.span)
            weights[cells] = numpy.maximum(weights[cells], share)
        return weights


NO_EVIDENCE = Evidence([], {})


def evidence_of(
    trust: Trust, guesses: Guesses, known: Known, tagset: TagSet
) -> Evidence:
    """Weigh the guesses of a text.

    trust (Trust): How far guessers are trusted.
    guesses (Guesses): What they guess, in tokens of the text that is learnt from.
    known (Known): What is known of the text. A guess that it contradicts is wrong.
    tagset (TagSet): The tags.
    RETURNS (Evidence): The evidence.
    """
    names = frozenset(guesses)
    allowed = allowed_tags(known, tagset)
    weighed = [
        GuessedSpan(LabelledSpan(*place), *trust.precision[voices, place[2]])
        for place, voices in voices_of(guesses, trust.bands).items()
        if (voices, place[2]) in trust.precision and place[2] in tagset.types
    ]
    return Evidence(
        [guess for guess in weighed if allowed[_cells(guess.span, tagset)].all()],
        {
            label: weight
            for (seen_by, label), weight in trust.missed.items()
            if seen_by == names
        },
    )


def _length(span: LabelledSpan) -> int:
    return span.end - span.start


def _cells(span: LabelledSpan, tagset: TagSet) -> tuple[numpy.ndarray, list[int]]:
    """The tokens of a span with the tags they have in it."""
    tokens = numpy.arange(span.start, span.end)
    return tokens, tagset.span_tags(span.type, _length(span))
