"""Precision, recall and F1 from gold annotations that are incomplete, or drawn.

Assume that annotators mark each entity with probability r, independently of the
pipeline. Then they have marked the share r of the entities that it finds. With M
predictions that are annotated, A annotated entities and P predictions,

    recall = M / A,    precision = M / (r · P)

are unbiased, apart from the uncertainty of r. In texts that are annotated completely r
is 1. The interval of each score is that of a bootstrap by text, in which r is drawn
from its own interval; F1 is computed from each draw.

Where a person has judged predictions that were drawn at random, precision is what these
tell. Texts that were drawn for annotation count by their weights.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from spacy.training import Example
from wasabi import table

from ..annotation.completeness import is_meant_to_be_complete
from ..data.sample_marks import sample_weight
from ..recall.intervals import (
    RESAMPLES,
    Interval,
    interval,
    ratio_by_text,
    resample_ratio,
)
from ..recall.pooled import AnnotatorRecall
from .predictions import in_gold
from .reviewed_precision import ReviewedPrecision


class CountedText(NamedTuple):
    """What is counted in a text, by entity type.

    annotated (Counter[str]): Annotated entities.
    predicted (Counter[str]): Entities found.
    matched (Counter[str]): Those that are both.
    is_complete (bool): Whether the text is annotated completely.
    weight (float): How much the text counts.
    """

    annotated: Counter[str]
    predicted: Counter[str]
    matched: Counter[str]
    is_complete: bool
    weight: float = 1.0

    @classmethod
    def of(cls, example: Example, *, is_weighted: bool = False) -> "CountedText":
        """Count.

        example (Example): A predicted and a gold document.
        is_weighted (bool): Whether the weight that `adak sample` gave the text counts.
        RETURNS (CountedText): What is counted.
        """
        gold = example.reference
        annotated = {(ent.start, ent.end, ent.label_) for ent in gold.ents}
        predicted = list(in_gold(example))
        return cls(
            Counter(label for _, _, label in annotated),
            Counter(label for _, _, label in predicted),
            Counter(span[2] for span in annotated.intersection(predicted)),
            is_meant_to_be_complete(gold),
            (sample_weight(gold) or 1.0) if is_weighted else 1.0,
        )


class CorrectedScore(NamedTuple):
    """A score with intervals; precision and F1 are None if r is not known.

    p (Interval | None): Precision.
    r (Interval): Recall.
    f (Interval | None): F1.
    support (int): How many annotated entities it rests on.
    """

    p: Interval | None
    r: Interval
    f: Interval | None
    support: int

    def to_dict(self) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The score, each value with its interval."""
        values: dict[str, Any] = {}
        for key, score in zip("prf", self[:3], strict=True):
            values[key] = None if score is None else score.value
            ends = None if score is None else [score.low, score.high]
            values[f"{key}_interval"] = ends
        return {**values, "support": self.support}


class CorrectedScores(NamedTuple):
    """The scores of a pipeline on incomplete or drawn gold.

    overall (CorrectedScore): Over all entities.
    per_type (dict[str, CorrectedScore]): Of each entity type.
    annotators (AnnotatorRecall | None): The annotators' recall, as far as it is known.
    """

    overall: CorrectedScore
    per_type: dict[str, CorrectedScore]
    annotators: AnnotatorRecall | None

    def recall_to_dict(self) -> dict[str, Any] | None:
        """RETURNS (dict[str, Any] | None): The annotators' recall, as far as it is
        known."""
        if self.annotators is None:
            return None
        value, low, high = self.annotators.recall
        return {
            "value": value,
            "interval": [low, high],
            "is_identifiable": self.annotators.is_identifiable,
            "methods": [estimate.method for estimate in self.annotators.used],
        }

    def to_table(self) -> str:
        """RETURNS (str): The scores with their intervals as a table for people."""
        rows = {**self.per_type, "all": self.overall}
        return table(
            [
                (label, *map(_percent, score[:3]), f"{score.support:,}")
                for label, score in rows.items()
            ],
            header=("", "P", "R", "F", "Support"),
            aligns=("l", "r", "r", "r", "r"),
            divider=True,
        )


def correct_scores(
    texts: Sequence[CountedText],
    annotators: AnnotatorRecall | None,
    reviewed: ReviewedPrecision | None = None,
) -> CorrectedScores:
    """Score predictions on gold that is incomplete.

    texts (Sequence[CountedText]): What is counted in each text.
    annotators (AnnotatorRecall | None): The recall of the annotators of the gold.
    reviewed (ReviewedPrecision | None): The precision that a person's decisions tell,
        which takes the place of the corrected one.
    RETURNS (CorrectedScores): The scores.
    """
    labels = sorted({label for text in texts for label in text.annotated})

    def score(label: str | None) -> CorrectedScore:
        counted = _Counts.of(texts, label)
        if reviewed is not None:
            precision = reviewed.of(label)
            draws = None if precision is None else _draw(precision)
            return _score(counted, precision, draws)
        if annotators is None:
            return _score(counted, None, None)
        recall = annotators.recall
        if label is not None:
            recall = annotators.per_type.get(label, recall)
        return _score(counted, *_corrected_precision(counted, recall))

    per_type = {label: score(label) for label in labels}
    return CorrectedScores(score(None), per_type, annotators)


class _Counts(NamedTuple):
    """What is counted in each text, by weight, of one type or all."""

    annotated: numpy.ndarray
    predicted: numpy.ndarray
    matched: numpy.ndarray
    is_complete: numpy.ndarray
    support: int

    @classmethod
    def of(cls, texts: Sequence[CountedText], label: str | None) -> "_Counts":
        def count(counter: Counter[str]) -> int:
            return counter.total() if label is None else counter[label]

        weights = numpy.array([text.weight for text in texts])
        annotated = numpy.array([count(text.annotated) for text in texts])
        return cls(
            annotated * weights,
            numpy.array([count(text.predicted) for text in texts]) * weights,
            numpy.array([count(text.matched) for text in texts]) * weights,
            numpy.array([text.is_complete for text in texts]),
            int(annotated.sum()),
        )


def _corrected_precision(
    counts: _Counts, annotators: Interval
) -> tuple[Interval, numpy.ndarray]:
    """Precision, and what it is for texts and recalls drawn again and again."""
    sure = numpy.where(counts.is_complete, counts.matched, 0)
    by_chance = counts.matched - sure
    found = counts.predicted
    value = _precision(
        _ratio(sure, found), _ratio(by_chance, found), numpy.array(annotators.value)
    )
    draws = _precision(
        resample_ratio(sure, found), resample_ratio(by_chance, found), _draw(annotators)
    )
    return interval(float(value), draws), draws


def _score(
    counts: _Counts, precision: Interval | None, precision_draws: numpy.ndarray | None
) -> CorrectedScore:
    recall = ratio_by_text(counts.matched, counts.annotated)
    if precision is None or precision_draws is None:
        return CorrectedScore(None, recall, None, counts.support)
    f_score = _harmonic_mean(numpy.array(precision.value), numpy.array(recall.value))
    # Equal seeds draw the same texts, so that draws of recall and corrected precision
    # belong together.
    recall_draws = resample_ratio(counts.matched, counts.annotated)
    f_draws = _harmonic_mean(precision_draws, recall_draws)
    f_interval = interval(float(f_score), f_draws)
    return CorrectedScore(precision, recall, f_interval, counts.support)


def _percent(score: Interval | None) -> str:
    if score is None:
        return "-"
    value, low, high = (100 * number for number in score)
    return f"{value:.2f} ({low:.1f} to {high:.1f})"


def _ratio(above: numpy.ndarray, below: numpy.ndarray) -> float:
    return float(above.sum() / max(below.sum(), 1e-9))


def _precision(
    sure: float | numpy.ndarray, by_chance: float | numpy.ndarray, r: numpy.ndarray
) -> numpy.ndarray:
    return numpy.minimum(sure + by_chance / r, 1.0)


def _harmonic_mean(p: numpy.ndarray, r: numpy.ndarray) -> numpy.ndarray:
    return 2 * p * r / numpy.where(p + r > 0, p + r, 1.0)


def _draw(recall: Interval) -> numpy.ndarray:
    """Recalls from a normal distribution on each side of the estimate."""
    deviations = numpy.random.default_rng(1).standard_normal(RESAMPLES)
    low, high = recall.deviations
    draws = recall.value + deviations * numpy.where(deviations < 0, low, high)
    return draws.clip(0.01, 1.0)
