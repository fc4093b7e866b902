"""Which guessers guess each span of a text, and how sure they are."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..data.guesses import Guess

# Scores are told apart by as many bands, if there are so many guesses in each.
_BANDS = 3
_FEWEST_IN_BAND = 30

# A guesser, and in which band its score is.
Voice = tuple[str, int]
Guesses = Mapping[str, Sequence[Guess]]
Place = tuple[int, int, str]


def bands_of_scores(texts: Iterable[Guesses]) -> dict[str, list[float]]:
    """Divide the scores of each guesser into bands with about as many guesses.

    texts (Iterable[Guesses]): The guesses of all texts.
    RETURNS (dict[str, list[float]]): The bounds between its bands.
    """
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for text in texts:
        for name, guesses in text.items():
            scores[name] += [g.score for g in guesses if g.score is not None]
    bands = {}
    for name, values in sorted(scores.items()):
        values.sort()
        n = min(_BANDS, len(values) // _FEWEST_IN_BAND)
        bounds = sorted({values[len(values) * i // n] for i in range(1, n)})
        bands[name] = [bound for bound in bounds if bound > values[0]]
    return bands


def _band(bounds: Sequence[float], score: float | None) -> int:
    """In which band a score is; -1 if there is none."""
    return -1 if score is None else sum(score >= bound for bound in bounds)


def voices_of(
    guesses: Guesses, bands: Mapping[str, Sequence[float]]
) -> dict[Place, frozenset[Voice]]:
    """Find who guesses each span.

    guesses (Guesses): The guesses of a text by the name of the guesser.
    bands (Mapping[str, Sequence[float]]): The bounds between bands of scores.
    RETURNS (dict): The voices by start, end and label.
    """
    found: defaultdict[Place, set[Voice]] = defaultdict(set)
    for name, of_guesser in guesses.items():
        for guess in of_guesser:
            voice = name, _band(bands.get(name, ()), guess.score)
            found[guess.start, guess.end, guess.label].add(voice)
    return {place: frozenset(voices) for place, voices in sorted(found.items())}
