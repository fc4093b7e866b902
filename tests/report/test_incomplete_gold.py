from collections import Counter

import numpy
import pytest

from spacy_adak.recall.estimate import RecallEstimate
from spacy_adak.recall.intervals import Interval
from spacy_adak.recall.pooled import AnnotatorRecall, pool_estimates
from spacy_adak.report.incomplete_gold import CountedText, correct_scores


def annotators(recall: float, half: float = 0.0) -> AnnotatorRecall:
    interval = Interval(recall, recall - half, recall + half)
    found = pool_estimates([RecallEstimate("complete texts", interval, {}, "made")])
    assert found is not None
    return found


def draw(
    rng: numpy.random.Generator,
    texts: int,
    *,
    precision: float,
    recall: float,
    marked: float,
    is_complete: bool = False,
) -> list[CountedText]:
    """Texts of which annotators mark a share, whatever a pipeline finds."""
    found = []
    for _ in range(texts):
        entities = int(rng.poisson(2.0))
        right = int(rng.binomial(entities, recall))
        wrong = int(rng.poisson(2.0 * recall * (1 - precision) / precision))
        matched = int(rng.binomial(right, marked))
        annotated = matched + int(rng.binomial(entities - right, marked))
        counts = annotated, right + wrong, matched
        found.append(
            CountedText(*(Counter({"A": count}) for count in counts), is_complete)
        )
    return found


def test_corrected_scores_are_those_of_complete_gold() -> None:
    rng = numpy.random.default_rng(0)
    texts = draw(rng, 20_000, precision=0.8, recall=0.6, marked=0.3)
    scores = correct_scores(texts, annotators(0.3)).overall
    assert scores.p is not None
    assert scores.f is not None
    assert scores.p.value == pytest.approx(0.8, abs=0.02)
    assert scores.r.value == pytest.approx(0.6, abs=0.01)
    assert scores.f.value == pytest.approx(2 * 0.8 * 0.6 / 1.4, abs=0.02)


def test_intervals_cover_the_truth_at_the_rate_they_claim() -> None:
    rng = numpy.random.default_rng(1)
    covered = Counter[str]()
    truth = {"p": 0.8, "r": 0.6, "f": 2 * 0.8 * 0.6 / 1.4}
    for _ in range(200):
        texts = draw(rng, 300, precision=0.8, recall=0.6, marked=0.4)
        estimate = float(rng.normal(0.4, 0.03))
        scores = correct_scores(texts, annotators(estimate, 1.96 * 0.03)).overall
        for key, value in truth.items():
            interval = getattr(scores, key)
            covered[key] += interval.low <= value <= interval.high
    assert min(covered.values()) >= 180


def test_uncertain_recall_of_annotators_makes_precision_uncertain() -> None:
    rng = numpy.random.default_rng(2)
    texts = draw(rng, 2000, precision=0.8, recall=0.6, marked=0.4)
    sure = correct_scores(texts, annotators(0.4)).overall
    unsure = correct_scores(texts, annotators(0.4, 0.1)).overall
    assert sure.p is not None
    assert unsure.p is not None
    assert unsure.p.width > 2 * sure.p.width
    assert unsure.r == sure.r


def test_predictions_in_complete_texts_are_not_corrected() -> None:
    rng = numpy.random.default_rng(3)
    texts = draw(
        rng, 5000, precision=0.8, recall=0.6, marked=1.0, is_complete=True
    ) + draw(rng, 5000, precision=0.8, recall=0.6, marked=0.25)
    scores = correct_scores(texts, annotators(0.25)).overall
    assert scores.p is not None
    assert scores.p.value == pytest.approx(0.8, abs=0.02)


def test_precision_is_at_most_1() -> None:
    texts = [CountedText(Counter("A"), Counter("A"), Counter("A"), False)] * 5
    scores = correct_scores(texts, annotators(0.5)).overall
    assert scores.p == Interval(1.0, 1.0, 1.0)


def test_without_the_recall_of_annotators_only_recall_is_known() -> None:
    texts = [CountedText(Counter("AB"), Counter("A"), Counter("A"), False)] * 5
    scores = correct_scores(texts, None)
    assert scores.overall.p is None
    assert scores.overall.f is None
    assert scores.overall.r.value == 0.5
    assert scores.per_type["A"].r.value == 1.0
    assert scores.overall.to_dict()["p"] is None
    assert "-" in scores.to_table()


def test_no_prediction_scores_zero() -> None:
    texts = [CountedText(Counter("A"), Counter(), Counter(), False)] * 5
    scores = correct_scores(texts, annotators(0.5)).overall
    assert scores.f is not None
    assert scores.f.value == 0.0
