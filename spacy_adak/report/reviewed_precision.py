"""Precision from predictions that a person has judged.

`adak sample --predictions` draws them at random from each type and range of
probability. With N_s predictions in a stratum, of which the share p_s of those judged
is right, and N in all,

    precision = Σ_s N_s p_s / N

where what the annotation decides is a stratum that is judged as a whole. Each p_s has
Wilson's interval. Half widths add up as the roots of squares do, weighted by N_s / N. A
bootstrap by text allows for errors that come together in a text; it knows of none where
all that was judged is right. So the ends are the outer ones of both.
"""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy

from ..data.decisions import Decision, FormDecision, PlaceDecision, read_decisions
from ..data.suggestions import Suggestion, read_suggestions
from ..data.summary import Summary
from ..errors import Errors, Warnings
from ..recall.intervals import Interval, ratio_by_text, share
from .predictions import Prediction, Where

_ANNOTATED = "annotated"


class ReviewedPrecision(NamedTuple):
    """The precision that decisions tell.

    overall (Interval): Of all predictions.
    per_type (dict[str, Interval]): Of those of each type, if any was judged.
    judged (int): How many predictions were judged by a person.
    drawn (int): How many were drawn.
    known (int): Of how many the annotation says whether they are right.
    covered (float): The share of predictions in strata with a judgement.
    """

    overall: Interval
    per_type: dict[str, Interval]
    judged: int
    drawn: int
    known: int
    covered: float

    def of(self, label: str | None) -> Interval | None:
        """RETURNS (Interval | None): The precision of a type, or with None of all."""
        return self.overall if label is None else self.per_type.get(label)

    def describe(self) -> str:
        """RETURNS (str): What it rests on."""
        rest = (
            ""
            if self.covered > 1 - 1e-9
            else f", and is that of {100 * self.covered:.0f} % of all: of the others "
            "none was judged"
        )
        return (
            f"Precision rests on {self.judged:,} predictions drawn at random and "
            f"judged, and on {self.known:,} that the annotation decides{rest}."
        )


class _Judged(NamedTuple):
    """A prediction of which it is known whether it is right."""

    text: int
    label: str
    stratum: str
    places: int
    is_right: bool


def estimate_precision(
    predictions: Sequence[Prediction], sample: Path, decisions: Path
) -> ReviewedPrecision:
    """Estimate precision from decisions about predictions that were drawn.

    predictions (Sequence[Prediction]): All predictions on the data.
    sample (Path): Those that were drawn.
    decisions (Path): The decisions, as the page of `adak review` has saved them.
    RETURNS (ReviewedPrecision): The precision.
    """
    drawn = [s for s in read_suggestions(sample, Summary()) if s.draw is not None]
    if not drawn:
        raise ValueError(Errors.A415.format(path=sample))
    answers = _answers(drawn, read_decisions(decisions, Summary()))
    if not answers:
        raise ValueError(Errors.A417.format(decisions=decisions, sample=sample))
    if len(answers) < len(drawn):
        message = Warnings.W400.format(judged=len(answers), drawn=len(drawn))
        warnings.warn(message, stacklevel=3)
    _check_same(predictions, drawn, sample)
    places: dict[Where, list[Prediction]] = defaultdict(list)
    for prediction in predictions:
        places[prediction.where].append(prediction)
    judged = []
    for where, members in places.items():
        first = members[0]
        for member in members:
            if member.is_right is not None:
                stratum = f"{_ANNOTATED} {where[3]}"
                judged.append(
                    _Judged(member.text, where[3], stratum, 1, member.is_right)
                )
        unknown = sum(member.is_right is None for member in members)
        if unknown and where in answers:
            judged.append(
                _Judged(first.text, where[3], first.stratum, unknown, answers[where])
            )
    sizes: dict[str, int] = defaultdict(int)
    labels: dict[str, str] = {}
    for prediction in predictions:
        label = prediction.where[3]
        is_known = prediction.is_right is not None
        stratum = f"{_ANNOTATED} {label}" if is_known else prediction.stratum
        sizes[stratum] += 1
        labels[stratum] = label
    covered = {row.stratum for row in judged}
    per_type = {}
    for label in sorted({labels[stratum] for stratum in covered}):
        of_type = {s: n for s, n in sizes.items() if labels[s] == label}
        per_type[label] = _combine([r for r in judged if r.label == label], of_type)
    return ReviewedPrecision(
        _combine(judged, sizes),
        per_type,
        len(answers),
        len(drawn),
        sum(prediction.is_right is not None for prediction in predictions),
        sum(sizes[stratum] for stratum in covered) / len(predictions),
    )


def _answers(
    drawn: Sequence[Suggestion], decisions: Sequence[Decision]
) -> dict[Where, bool]:
    """Which of the predictions that were drawn are right, as far as was decided. One
    with another type or other bounds is not. A decision about a place wins over one
    about its form."""
    places: dict[Where, PlaceDecision] = {}
    forms: dict[tuple[str, str], FormDecision] = {}
    for decision in decisions:
        if decision.kind != "missed":
            continue
        if isinstance(decision, PlaceDecision):
            was = decision.suggested or decision
            places[decision.text, was.start, was.end, was.label] = decision
        else:
            label = (decision.suggested or decision).label
            forms[decision.form, label] = decision
    answers = {}
    for suggestion in drawn:
        where = suggestion.place[:4]
        about = places.get(where) or forms.get((suggestion.form, suggestion.label))
        if about is not None and about.answer != "ignore":
            answers[where] = about.answer == "accept" and about.suggested is None
    return answers


def _check_same(
    predictions: Sequence[Prediction], drawn: Sequence[Suggestion], sample: Path
) -> None:
    sizes: dict[str, int] = defaultdict(int)
    for prediction in predictions:
        if prediction.is_right is None:
            sizes[prediction.stratum] += 1
    for suggestion in drawn:
        assert suggestion.draw is not None
        stratum, size = suggestion.draw.stratum, suggestion.draw.size
        now = sizes[stratum]
        if now != size:
            raise ValueError(
                Errors.A416.format(path=sample, stratum=stratum, size=size, now=now)
            )


def _combine(judged: Sequence[_Judged], sizes: dict[str, int]) -> Interval:
    """The precision in some strata, from those of them in which some are judged."""
    strata: dict[str, list[_Judged]] = defaultdict(list)
    for row in judged:
        strata[row.stratum].append(row)
    total = sum(sizes[stratum] for stratum in strata)
    value = below = above = 0.0
    right: dict[int, float] = defaultdict(float)
    all_: dict[int, float] = defaultdict(float)
    for stratum, rows in strata.items():
        count = sum(row.places for row in rows)
        part = sizes[stratum] / total
        hits = sum(row.is_right for row in rows)
        wilson = share(hits, len(rows))
        estimate = sum(row.places * row.is_right for row in rows) / count
        value += part * estimate
        below += (part * (wilson.value - wilson.low)) ** 2
        above += (part * (wilson.high - wilson.value)) ** 2
        for row in rows:
            weight = sizes[stratum] / count * row.places
            right[row.text] += weight * row.is_right
            all_[row.text] += weight
    by_text = ratio_by_text(
        numpy.array([right[text] for text in all_]), numpy.array(list(all_.values()))
    )
    return Interval(
        value,
        min(value - below**0.5, by_text.low),
        max(value + above**0.5, by_text.high),
    ).within(0.0, 1.0)
