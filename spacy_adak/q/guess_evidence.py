"""The evidence of guesses for the paths of a text, as weights of tags.

It is used twice. In q it is one more observation next to the fold models: a guess
multiplies the odds of an entity.

The first fold models see the same text as the guessers. If a guess is repeated at all
occurrences of a word, these are not independent observations. A model that was rewarded
for each of them would learn to repeat the guesser with all of its errors. So it gets
hints only from guessers that hardly ever err.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy
import srsly

from ..annotation.known import Known, allowed_tags, entity_starting_tags
from ..crf.tags import LabelledSpan, TagSet, split_tag
from ..shards.checkpoint import damage_named, write_json
from .guess_precision import log_odds
from .guess_trust import Trust
from .voices import Guesses, voices_of

# Less probable guesses are not candidates for q.
_LEAST_PROBABILITY = 0.05
# Fold models learn from guesses with at least this precision, and from the silence of
# guessers with at least this recall.
_SURE = 0.9


class GuessedSpan(NamedTuple):
    """A span that somebody guesses.

    span (LabelledSpan): The span.
    log_ratio (float): The log-likelihood ratio: how much more often exactly these
        guessers guess a span that is an entity than one that is not.
    probability (float): The share of such guesses that are entities.
    """

    span: LabelledSpan
    log_ratio: float
    probability: float


class Evidence(NamedTuple):
    """The guesses for a text, weighed.

    spans (list[GuessedSpan]): The guessed spans.
    missed (dict[str, float]): The log-likelihood ratio of entities that nobody guesses,
        by type.
    """

    spans: list[GuessedSpan]
    missed: dict[str, float]

    def weights(self, length: int, tagset: TagSet) -> numpy.ndarray:
        """The evidence for each path: a path gains `log_ratio` for each of its entities
        that is guessed, and `missed` for each that is not. An entity that shares some
        of its tags with a guess of its type gains in proportion, because guessers also
        get bounds wrong.

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

    def hints(self, length: int, tagset: TagSet) -> numpy.ndarray:
        """What the first fold models learn from guesses: those that are hardly ever
        wrong, each with the odds of its probability, and that there is no entity where
        guessers that hardly ever miss one are silent.

        length (int): L, the tokens of the text.
        tagset (TagSet): The tags.
        RETURNS (ndarray): (L, N), what each tag weighs.
        """
        spans = [
            guess._replace(log_ratio=min(log_odds(guess.probability), guess.log_ratio))
            for guess in self.spans
            if guess.probability >= _SURE
        ]
        missed = {
            label: weight
            for label, weight in self.missed.items()
            if weight <= math.log1p(-_SURE)
        }
        return Evidence(spans, missed).weights(length, tagset)

    def likely_spans(self) -> list[LabelledSpan]:
        """RETURNS (list[LabelledSpan]): Guesses that may be candidates for q."""
        return [
            guess.span
            for guess in self.spans
            if guess.probability >= _LEAST_PROBABILITY
        ]

    def only_guesses(self, length: int, tagset: TagSet) -> numpy.ndarray:
        """The weights if there are only guesses: only guessed spans are entities, each
        with the odds of its probability.

        length (int): L, the tokens of the text.
        tagset (TagSet): The tags.
        RETURNS (ndarray): (L, N), the weight of each tag; -inf for tags that nobody
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
    trust: Trust,
    guesses: Guesses,
    words: Sequence[str],
    known: Known,
    tagset: TagSet,
) -> Evidence:
    """Weigh the guesses of a text.

    trust (Trust): How far guessers are trusted.
    guesses (Guesses): What they guess, in tokens of the text that is learnt from.
    words (Sequence[str]): The words of the text.
    known (Known): What is known of the text. A guess that it contradicts is wrong.
    tagset (TagSet): The tags.
    RETURNS (Evidence): The evidence.
    """
    names = frozenset(guesses)
    allowed = allowed_tags(known, tagset)
    weighed = [
        GuessedSpan(LabelledSpan(*place), *trusted)
        for place, voices in voices_of(guesses, trust.bands).items()
        if place[2] in tagset.types
        and (trusted := trust.of_place(voices, place, words)) is not None
    ]
    return Evidence(
        [guess for guess in weighed if allowed[_cells(guess.span, tagset)].all()],
        {
            label: weight
            for (seen_by, label), weight in trust.missed.items()
            if seen_by == names
        },
    )


def write_evidence(folder: Path, shard: Path, evidence: Sequence[Evidence]) -> None:
    """Write the evidence for the texts of a shard, in predicted tokens.

    folder (Path): The folder.
    shard (Path): The file with the texts.
    evidence (Sequence[Evidence]): The evidence for each text.
    """
    write_json(_evidence_path(folder, shard), {"texts": evidence})


def read_evidence(folder: Path, shard: Path) -> list[Evidence]:
    """RETURNS (list[Evidence]): What was written for a shard; nothing if there are no
    guesses."""
    path = _evidence_path(folder, shard)
    if not path.exists():
        return []
    with damage_named(path):
        return [
            Evidence(
                [GuessedSpan(LabelledSpan(*span), *values) for span, *values in spans],
                missed,
            )
            for spans, missed in srsly.read_json(path)["texts"]
        ]


def _evidence_path(folder: Path, shard: Path) -> Path:
    return folder / f"{shard.stem}.guesses.json"


def _length(span: LabelledSpan) -> int:
    return span.end - span.start


def _cells(span: LabelledSpan, tagset: TagSet) -> tuple[numpy.ndarray, list[int]]:
    """The tokens of a span with the tags they have in it."""
    tokens = numpy.arange(span.start, span.end)
    return tokens, tagset.span_tags(span.type, _length(span))
