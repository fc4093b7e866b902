"""Every loss where a text is complete for some types, by listing all readings."""

import math
from functools import cache

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_adak.annotation.known import Known, allowed_tags
from spacy_adak.annotation.q_of_text import ChainEstimate, Estimate, PathEstimate
from spacy_adak.annotation.training_sample import Sample
from spacy_adak.crf.ratio import EntityRatio
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.losses import RECALL_PER_TYPE, MissingLoss, Progress
from spacy_adak.pipeline.objective import compute_loss
from tests.losses import Objective

from .listing import Reading, log_weights, probabilities, random_scores

LENGTH = 4
TYPES = ("X", "Y")
SCHEMES = st.sampled_from(["BIO", "BILUO"])


@st.composite
def stretches(draw: st.DrawFn) -> list[LabelledSpan]:
    starts = st.integers(0, LENGTH - 1)
    return [
        LabelledSpan(start, draw(st.integers(start + 1, LENGTH)), label)
        for label in TYPES
        for start in draw(st.lists(starts, max_size=2))
    ]


@st.composite
def facts(draw: st.DrawFn) -> Known:
    """What is known of a text: entities, which may cross the edge of a stretch, tokens
    outside, and stretches that are complete for a type."""
    entities = []
    start = 0
    while start < LENGTH:
        size = draw(st.integers(1, LENGTH - start))
        kind = draw(st.sampled_from([None, None, *TYPES]))
        if kind is not None:
            entities.append(LabelledSpan(start, start + size, kind))
        start += size
    outside = numpy.array(draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    for span in entities:
        outside[span.start : span.end] = False
    # Few tokens are stated to be outside, so that much is left to the stretches.
    outside &= numpy.array(draw(st.lists(st.booleans(), min_size=4, max_size=4)))
    return Known(entities, outside, [], draw(stretches())).about(TYPES)


def agrees(reading: Reading, known: Known) -> bool:
    if not set(known.entities) <= set(reading):
        return False
    for span in set(reading) - set(known.entities):
        if known.outside[span.start : span.end].any():
            return False
        for stretch in known.complete:
            tokens = set(range(span.start, span.end))
            if stretch.type == span.type and tokens & set(range(*stretch[:2])):
                return False
    return True


def loss_of(
    objective: Objective,
    scores: TagScores,
    known: Known,
    tagset: TagSet,
    estimate: Estimate | None = None,
) -> float:
    leaves = TagScores(*(score.clone().requires_grad_() for score in scores))
    return objective(leaves, [Sample(known, estimate, [LENGTH])], tagset).loss


@cache
def all_readings(scheme: str) -> tuple[TagScores, dict[Reading, float]]:
    tagset = TagSet(TYPES, scheme)
    scores = random_scores(tagset, LENGTH)
    return scores, probabilities(scores, tagset)


def open_readings(
    known: Known, tagset: TagSet
) -> tuple[TagScores, dict[Reading, float], dict[Reading, float]]:
    """Scores, all readings, and those that agree with what is known."""
    scores, p = all_readings(tagset.scheme)
    return scores, p, {reading: p[reading] for reading in p if agrees(reading, known)}


@given(facts(), SCHEMES)
def test_masks_allow_just_the_readings_that_agree(known: Known, scheme: str) -> None:
    tagset = TagSet(TYPES, scheme)
    _, p, expected = open_readings(known, tagset)
    allowed = allowed_tags(known, tagset)
    found = {
        reading
        for reading in p
        if allowed[numpy.arange(LENGTH), tagset.encode(reading, LENGTH)].all()
    }
    assert found == set(expected)


@given(facts(), SCHEMES)
def test_fuzzy_and_ratio_sum_over_the_readings_that_agree(
    known: Known, scheme: str
) -> None:
    tagset = TagSet(TYPES, scheme)
    scores, _, readings = open_readings(known, tagset)
    expected = -math.log(sum(readings.values()))
    no_cost = EntityRatio(0.5, 1.0, 1.0)
    for objective in (Objective("fuzzy", 1, 0.5), Objective("ratio", 1, 0.5, no_cost)):
        loss = loss_of(objective, scores, known, tagset)
        assert loss == pytest.approx(expected, abs=1e-6)


@given(facts(), SCHEMES, st.sampled_from([0.0, 0.3, 0.9]))
def test_missing_weighs_only_what_annotators_may_have_left(
    known: Known, scheme: str, recall: float
) -> None:
    tagset = TagSet(TYPES, scheme)
    scores, _, readings = open_readings(known, tagset)
    marked = len(known.entities)
    expected = -math.log(
        sum(p * (1 - recall) ** (len(r) - marked) for r, p in readings.items())
    )
    objective = Objective("missing", 1, 0.5, annotation_recall=recall)
    assert loss_of(objective, scores, known, tagset) == pytest.approx(
        expected, abs=1e-6
    )


@given(facts(), SCHEMES)
def test_missing_has_a_recall_for_each_type(known: Known, scheme: str) -> None:
    tagset = TagSet(TYPES, scheme)
    scores, _, readings = open_readings(known, tagset)
    recall = {"X": 0.2, "Y": 0.7}
    facts = set(known.entities)
    expected = -math.log(
        sum(
            p * math.prod(1 - recall[s.type] for s in set(reading) - facts)
            for reading, p in readings.items()
        )
    )
    estimated = {"annotation_recall": 0.5, RECALL_PER_TYPE: recall}
    leaves = TagScores(*(score.clone().requires_grad_() for score in scores))
    progress = Progress("adak_ner", 0, 10, estimated)
    sample = Sample(known, None, [LENGTH])
    result = compute_loss(MissingLoss(), progress, leaves, [sample], tagset)
    assert result.loss == pytest.approx(expected, abs=1e-6)


@given(facts(), SCHEMES)
def test_crf_and_weighted_read_what_is_left_open_as_outside(
    known: Known, scheme: str
) -> None:
    tagset = TagSet(TYPES, scheme)
    scores, p, _ = open_readings(known, tagset)
    expected = -math.log(p[tuple(known.entities)])
    for name in ("crf", "weighted"):
        loss = loss_of(Objective(name, 1, 0.5), scores, known, tagset)
        assert loss == pytest.approx(expected, abs=1e-6)


@given(facts(), SCHEMES, st.integers(1, 4), st.data())
def test_adak_has_no_best_path_that_disagrees(
    known: Known, scheme: str, k: int, data: st.DataObject
) -> None:
    """Its best readings agree with what is known, whatever q is."""
    tagset = TagSet(TYPES, scheme)
    scores, p, readings = open_readings(known, tagset)
    path = data.draw(st.sampled_from(sorted(readings)))
    best = sorted(readings.values(), reverse=True)[:k]
    expected = 0.6 * -math.log(p[path]) + 0.4 * -math.log(sum(best))
    estimate = PathEstimate(list(path))
    loss = loss_of(Objective("adak", k, 0.4), scores, known, tagset, estimate)
    assert loss == pytest.approx(expected, abs=1e-6)


@settings(max_examples=20)
@given(facts(), SCHEMES)
def test_a_chain_of_q_is_summed_over_the_readings_that_agree(
    known: Known, scheme: str
) -> None:
    tagset = TagSet(TYPES, scheme)
    scores, _, readings = open_readings(known, tagset)
    other = random_scores(tagset, LENGTH, seed=1)
    nodes = other.emissions.float().masked_fill(
        ~torch.from_numpy(allowed_tags(known, tagset)), -torch.inf
    )
    chain = ChainEstimate(
        *(score.numpy().astype("float16") for score in (nodes, *other[1:]))
    )
    q = log_weights(TagScores(*(torch.from_numpy(a).double() for a in chain)), tagset)
    total = sum(math.exp(q[reading]) for reading in readings)
    expected = -math.log(sum(p * math.exp(q[r]) / total for r, p in readings.items()))
    estimate = ChainEstimate(*(array.astype("float32") for array in chain))
    for name in ("weighted", "ratio"):
        ratio = EntityRatio(0.5, 1.0, 1.0) if name == "ratio" else None
        objective = Objective(name, 1, 0.5, ratio)
        loss = loss_of(objective, scores, known, tagset, estimate)
        assert loss == pytest.approx(expected, abs=1e-6)
