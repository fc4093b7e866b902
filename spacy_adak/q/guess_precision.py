"""The precision of guesses, estimated by comparing them with the annotation.

In an incomplete text, an unmarked guess is not necessarily wrong. If annotators mark a
share r of the entities, independently of the guessers, then N guesses of precision π
agree with N · π · r annotated entities. So each guess there is worth r of one in a
complete text, where it is known whether it is right. Estimates shrink towards the
precision of random spans, as far as chance explains the counts. So a useless guesser,
or one about which nothing is known, has no effect.
"""

import math
from typing import NamedTuple

import numpy
from scipy.special import expit, logsumexp
from scipy.stats import binom

from ..recall.intervals import Interval, share

# How sure it is, before anything is counted, that guesses are worth no more than what
# is known already: chance, or what others say.
_NOTHING_NEW = 0.9
# The shares that a guess may be right with, if they are worth anything else.
_SHARES = (numpy.arange(10_000) + 0.5) / 10_000
# However many guesses were right: the next one may be wrong, and of the entities that
# nobody has guessed some are always left.
_LEAST, _MOST = 1e-6, 0.98


class Tally(NamedTuple):
    """Guesses, and how many of them are seen to be right.

    complete (int): How many there are in texts that are annotated completely.
    right_in_complete (int): How many of these are right.
    incomplete (int): How many there are in other texts.
    right_in_incomplete (int): How many of these are annotated.
    chance (float): How many would be right if they were drawn at random.
    """

    complete: int = 0
    right_in_complete: int = 0
    incomplete: int = 0
    right_in_incomplete: int = 0
    chance: float = 0.0

    def plus(self, is_complete: bool, is_right: bool, chance: float) -> "Tally":
        """RETURNS (Tally): The same with one more guess.

        is_complete (bool): Whether its text is annotated completely.
        is_right (bool): Whether it is annotated.
        chance (float): How probable it is to be right, if it was drawn at random.
        """
        complete, incomplete = int(is_complete), int(not is_complete)
        return Tally(
            self.complete + complete,
            self.right_in_complete + complete * is_right,
            self.incomplete + incomplete,
            self.right_in_incomplete + incomplete * is_right,
            self.chance + chance,
        )

    @property
    def guesses(self) -> int:
        """RETURNS (int): How many guesses there are."""
        return self.complete + self.incomplete

    def by_chance(self) -> float:
        """RETURNS (float): The share that would be right by chance."""
        return bounded(self.chance / max(self.guesses, 1))

    def precision(self, prior: float, recall: float) -> float:
        """Estimate the share of these guesses that are right. What incomplete texts
        say assumes that annotators mark guessed entities as often as others: it comes
        first, and is no more than a prior where complete texts tell.

        prior (float): The share that is assumed before anything is counted.
        recall (float): r.
        RETURNS (float): The share.
        """
        rough = updated(prior, self.right_in_incomplete, self.incomplete, recall)
        return updated(rough, self.right_in_complete, self.complete)

    def precision_of_part(self, whole: "Tally", value: float, recall: float) -> float:
        """Estimate the same of a part of more guesses, whose share is the prior.
        Nothing is counted twice if this is all of them.

        whole (Tally): The guesses that these are a part of.
        value (float): The share of those that are right.
        recall (float): r.
        RETURNS (float): The share.
        """
        return value if self.guesses == whole.guesses else self.precision(value, recall)

    def interval(self, value: float, recall: float) -> Interval:
        """RETURNS (Interval): An estimated share with its 95 % interval.

        value (float): The share.
        recall (float): r.
        """
        exposure = max(1, round(self.complete + recall * self.incomplete))
        right = min(self.right_in_complete + self.right_in_incomplete, exposure)
        _, low, high = share(right, exposure)
        return Interval(value, min(low, value), max(high, value))


def updated(prior: float, right: int, trials: int, seen: float = 1.0) -> float:
    """What a share is thought to be after some trials. Either it is what it was taken
    to be, or it may be anything; the log-odds of both count as they are probable.

    prior (float): What the share was taken to be.
    right (int): How many trials were right and seen to be so.
    trials (int): How many there were.
    seen (float): The probability that a trial that is right is seen to be so.
    RETURNS (float): The share.
    """
    if not trials:
        return prior
    log_likelihoods = binom.logpmf(right, trials, seen * _SHARES)
    log_likelihood = float(logsumexp(log_likelihoods)) - math.log(len(_SHARES))
    weights = numpy.exp(log_likelihoods - log_likelihoods.max())
    mean = bounded(float(weights @ _SHARES / weights.sum()))
    as_before = float(binom.logpmf(right, trials, seen * prior))
    log_ratio = log_odds(_NOTHING_NEW) + as_before - log_likelihood
    nothing_new = float(expit(log_ratio))
    before, after = log_odds(bounded(prior)), log_odds(mean)
    return bounded(float(expit(nothing_new * before + (1 - nothing_new) * after)))


def log_odds(share: float) -> float:
    """RETURNS (float): The log-odds of a probability."""
    return math.log(share) - math.log1p(-share)


def bounded(share: float) -> float:
    """RETURNS (float): The share, moved away from exactly 0 and 1."""
    return min(max(share, _LEAST), _MOST)
