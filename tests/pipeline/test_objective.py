import math
from collections.abc import Callable

import numpy
import pytest
import torch

from spacy_adak.annotation import segments
from spacy_adak.annotation.known import Known, allowed_tags
from spacy_adak.annotation.q_of_text import ChainEstimate, Estimate, PathEstimate
from spacy_adak.annotation.segments import batch_segments
from spacy_adak.annotation.training_sample import Sample
from spacy_adak.crf.ratio import EntityRatio
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.objective import LossAndGradient
from tests.crf.brute_force import legal_paths
from tests.losses import LOSSES, Objective

from .listing import Reading, probabilities, random_scores, tokens_of

TAGS = TagSet(["X", "Y"])
ENTITY = LabelledSpan(1, 3, "X")


def known(
    entities: list[LabelledSpan],
    outside: list[int],
    length: int = 4,
    ruled_out: list[LabelledSpan] | None = None,
) -> Known:
    mask = numpy.zeros(length, dtype=bool)
    mask[outside] = True
    return Known(entities, mask, ruled_out or [])


def compute(
    objective: Objective,
    scores: TagScores,
    knowns: list[Known],
    ends: list[list[int]],
    tagset: TagSet = TAGS,
) -> LossAndGradient:
    samples = [
        Sample(facts, None, doc_ends)
        for facts, doc_ends in zip(knowns, ends, strict=True)
    ]
    return compute_samples(objective, scores, samples, tagset)


def compute_samples(
    objective: Objective,
    scores: TagScores,
    samples: list[Sample],
    tagset: TagSet = TAGS,
) -> LossAndGradient:
    leaves = TagScores(*(score.clone().requires_grad_() for score in scores))
    return objective(leaves, samples, tagset)


def agrees(reading: Reading, facts: Known) -> bool:
    outside = numpy.flatnonzero(facts.outside).tolist()
    return set(facts.entities) <= set(reading) and not any(
        span.start <= token < span.end for span in reading for token in outside
    )


def minus_log(values: list[float]) -> float:
    return -math.log(sum(values))


FACTS = [known([ENTITY], [3]), known([ENTITY], []), known([], [0, 2])]


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("facts", FACTS)
def test_fuzzy_sums_over_the_readings_that_agree(scheme: str, facts: Known) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4)
    p = probabilities(scores, tagset)
    expected = minus_log([p[r] for r in p if agrees(r, facts)])
    result = compute(Objective("fuzzy", 5, 0.5), scores, [facts], [[4]], tagset)
    assert result.loss == pytest.approx(expected)


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("facts", FACTS)
def test_crf_reads_unknown_as_outside(scheme: str, facts: Known) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4)
    expected = -math.log(probabilities(scores, tagset)[tuple(facts.entities)])
    result = compute(Objective("crf", 5, 0.5), scores, [facts], [[4]], tagset)
    assert result.loss == pytest.approx(expected)


def missing(recall: float) -> Objective:
    return Objective("missing", 5, 0.5, annotation_recall=recall)


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("recall", [0.0, 0.3, 0.9])
def test_missing_is_the_likelihood_of_what_is_annotated(
    scheme: str, facts: Known, recall: float
) -> None:
    """Each entity of a reading is annotated with the probability r, or is not."""
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4)
    p = probabilities(scores, tagset)
    annotated = len(facts.entities)
    expected = minus_log(
        [p[r] * (1 - recall) ** (len(r) - annotated) for r in p if agrees(r, facts)]
    )
    result = compute(missing(recall), scores, [facts], [[4]], tagset)
    assert result.loss == pytest.approx(expected)


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize(("recall", "limit"), [(0.0, "fuzzy"), (1.0, "crf")])
def test_missing_lies_between_fuzzy_and_crf(
    scheme: str, facts: Known, recall: float, limit: str
) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4)
    result = compute(missing(recall), scores, [facts], [[4]], tagset)
    expected = compute(Objective(limit, 5, 0.5), scores, [facts], [[4]], tagset)
    assert result.loss == pytest.approx(expected.loss)
    torch.testing.assert_close(result.gradient.emissions, expected.gradient.emissions)


def best_agreeing(p: dict[Reading, float], facts: Known, k: int) -> list[float]:
    return sorted((p[r] for r in p if agrees(r, facts)), reverse=True)[:k]


@pytest.mark.parametrize("facts", FACTS)
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_adak_adds_the_best_readings_that_agree(facts: Known, weight: float) -> None:
    scores = random_scores(TAGS, 4)
    p = probabilities(scores, TAGS)
    expected = (1 - weight) * -math.log(p[tuple(facts.entities)])
    expected += weight * minus_log(best_agreeing(p, facts, 3))
    result = compute(Objective("adak", 3, weight), scores, [facts], [[4]])
    assert result.loss == pytest.approx(expected)


COMPLETE = known([ENTITY], [0, 3])


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("with_estimate", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_complete_text_is_a_fact_whatever_is_learnt_from(
    loss: str, with_estimate: bool, scheme: str
) -> None:
    """Stated O and entities alike, with and without an estimate."""
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4)
    # A target that is never missed costs nothing.
    any_share = EntityRatio(0.5, 1.0, 10.0)
    objective = Objective(loss, 5, 0.5, any_share, annotation_recall=0.3)
    q = PathEstimate([ENTITY]) if with_estimate else None
    expected = -math.log(probabilities(scores, tagset)[(ENTITY,)])
    sample = Sample(COMPLETE, q, [4])
    result = compute_samples(objective, scores, [sample], tagset)
    assert result.loss == pytest.approx(expected)


def test_document_of_unknown_tokens_has_only_its_k_best_part() -> None:
    scores, nothing = random_scores(TAGS, 4), known([], [])
    expected = minus_log(best_agreeing(probabilities(scores, TAGS), nothing, 2))
    result = compute(Objective("adak", 2, 0.1), scores, [nothing], [[4]])
    assert result.loss == pytest.approx(expected)


def test_unknown_document_changes_nothing_for_the_rest_of_the_batch() -> None:
    objective = Objective("adak", 2, 0.1)
    scores = random_scores(TAGS, 8)
    facts = [known([ENTITY], [3]), known([], [])]
    both = compute(objective, scores, facts, [[4], [4]])
    single = [
        compute(objective, tokens_of(scores, 4 * i, 4 * i + 4), [facts[i]], [[4]])
        for i in (0, 1)
    ]
    assert both.loss == pytest.approx((single[0].loss + single[1].loss) / 2)
    for i in (0, 1):
        torch.testing.assert_close(
            both.gradient.emissions[4 * i : 4 * i + 4],
            single[i].gradient.emissions / 2,
        )


ESTIMATED = LabelledSpan(3, 4, "Y")
PATH = PathEstimate([ENTITY, ESTIMATED])


def random_chain_estimate(facts: Known, seed: int = 7) -> ChainEstimate:
    scores = random_scores(TAGS, len(facts.outside), seed)
    nodes = scores.emissions.numpy()
    nodes[~allowed_tags(facts, TAGS)] = -numpy.inf
    moves = (scores.transitions, scores.start, scores.end)
    return ChainEstimate(
        nodes.astype("float32"),
        *(move.clamp(min=-5.0).numpy().astype("float32") for move in moves),
    )


def expected_weighted(scores: TagScores, facts: Known, estimate: Estimate) -> float:
    """-log of the sum over all readings of q(y) p(y)."""
    p = probabilities(scores, TAGS)
    if isinstance(estimate, PathEstimate):
        return -math.log(p[tuple(estimate.entities)])
    q_scores = TagScores(*(torch.from_numpy(array).double() for array in estimate))
    weights = every_weight(q_scores)
    total = sum(weights.values())
    return minus_log([p[r] * weights.get(r, 0.0) / total for r in p])


def every_weight(scores: TagScores) -> dict[Reading, float]:
    """Unlike a model, an estimate may give weight to sequences that are not legal:
    only their sum counts, so they all share one key."""
    (batch,) = batch_segments([[len(scores.emissions)]], torch.device("cpu"))
    weights: dict[Reading, float] = {}
    for path in legal_paths(scores.chain(batch), 0):
        spans = TAGS.decode(path.tags, illegal="repair")
        legal = TAGS.encode(spans, len(path.tags)) == list(path.tags)
        key = tuple(spans) if legal else (LabelledSpan(-1, -1, ""),)
        weights[key] = weights.get(key, 0.0) + math.exp(path.score)
    return weights


FACTS_OF_ESTIMATE = known([ENTITY], [])


@pytest.mark.parametrize("kind", ["path", "chain"])
def test_weighted_loss_is_that_of_the_estimate(kind: str) -> None:
    scores = random_scores(TAGS, 4)
    estimate = PATH if kind == "path" else random_chain_estimate(FACTS_OF_ESTIMATE)
    sample = Sample(FACTS_OF_ESTIMATE, estimate, [4])
    result = compute_samples(Objective("weighted", 2, 0.4), scores, [sample])
    expected = expected_weighted(scores, FACTS_OF_ESTIMATE, estimate)
    assert result.loss == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("kind", ["path", "chain"])
def test_adak_loss_takes_the_estimate_and_the_best_readings(kind: str) -> None:
    scores = random_scores(TAGS, 4)
    estimate = PATH if kind == "path" else random_chain_estimate(FACTS_OF_ESTIMATE)
    sample = Sample(FACTS_OF_ESTIMATE, estimate, [4])
    result = compute_samples(Objective("adak", 2, 0.4), scores, [sample])
    best = best_agreeing(probabilities(scores, TAGS), FACTS_OF_ESTIMATE, 2)
    expected = 0.6 * expected_weighted(scores, FACTS_OF_ESTIMATE, estimate)
    assert result.loss == pytest.approx(expected + 0.4 * minus_log(best), rel=1e-5)


def test_weighted_loss_without_an_estimate_reads_unknown_as_outside() -> None:
    scores = random_scores(TAGS, 4)
    results = [
        compute(Objective(loss, 2, 0.4), scores, [FACTS_OF_ESTIMATE], [[4]]).loss
        for loss in ("weighted", "crf")
    ]
    assert results[0] == pytest.approx(results[1])


def test_estimate_alone_counts_as_something_known() -> None:
    scores, nothing = random_scores(TAGS, 4), known([], [])
    estimate = PathEstimate([ESTIMATED])
    sample = Sample(nothing, estimate, [4])
    result = compute_samples(Objective("adak", 2, 0.0), scores, [sample])
    expected = expected_weighted(scores, nothing, estimate)
    assert result.loss == pytest.approx(expected)


@pytest.mark.parametrize("loss", ["adak", "weighted"])
def test_all_kinds_of_estimates_go_into_one_batch(loss: str) -> None:
    objective = Objective(loss, 2, 0.4)
    scores = random_scores(TAGS, 16)
    facts = FACTS_OF_ESTIMATE
    estimates = [
        PATH,
        random_chain_estimate(facts),
        None,
        random_chain_estimate(facts, 3),
    ]
    samples = [Sample(facts, estimate, [4]) for estimate in estimates]
    alone = [
        compute_samples(objective, tokens_of(scores, 4 * i, 4 * i + 4), [sample]).loss
        for i, sample in enumerate(samples)
    ]
    together = compute_samples(objective, scores, samples).loss
    assert together == pytest.approx(sum(alone) / 4)


@pytest.mark.parametrize("loss", ["adak", "fuzzy", "crf"])
def test_loss_is_the_mean_of_all_segments(loss: str) -> None:
    objective = Objective(loss, 2, 0.4)
    scores = random_scores(TAGS, 7)
    facts = known([ENTITY, LabelledSpan(4, 6, "Y")], [0], length=7)
    whole = compute(objective, scores, [facts], [[4, 7]]).loss
    left = compute(
        objective, tokens_of(scores, 0, 4), [known([ENTITY], [0])], [[4]]
    ).loss
    right = compute(
        objective,
        tokens_of(scores, 4, 7),
        [known([LabelledSpan(0, 2, "Y")], [], length=3)],
        [[3]],
    ).loss
    assert whole == pytest.approx((left + right) / 2)


def test_empty_document_counts_for_nothing() -> None:
    objective = Objective("adak", 2, 0.4)
    scores = random_scores(TAGS, 4)
    empty = known([], [], length=0)
    alone = compute(objective, scores, [known([ENTITY], [])], [[4]])
    among = compute(
        objective, scores, [empty, known([ENTITY], []), empty], [[], [4], []]
    )
    assert among.loss == alone.loss


@pytest.mark.parametrize("loss", ["adak", "fuzzy", "crf"])
def test_ruled_out_span_costs_its_probability(loss: str) -> None:
    objective = Objective(loss, 10_000, 0.5)
    scores = random_scores(TAGS, 4)
    wrong = LabelledSpan(1, 2, "Y")
    with_span = compute(objective, scores, [known([], [0], 4, [wrong])], [[4]]).loss
    without = compute(objective, scores, [known([], [0])], [[4]]).loss
    p = probabilities(scores, TAGS)
    p_wrong = sum(p[r] for r in p if wrong in r)
    expected = without - math.log(1 - p_wrong)
    if loss == "adak":
        # None of the best readings may hold it: here these are all readings.
        agreeing = [r for r in p if agrees(r, known([], [0]))]
        expected += 0.5 * minus_log([p[r] for r in agreeing if wrong not in r])
        expected -= 0.5 * minus_log([p[r] for r in agreeing])
    assert with_span == pytest.approx(expected)


def test_ruled_out_span_across_two_segments_costs_nothing() -> None:
    objective = Objective("fuzzy", 5, 0.5)
    scores = random_scores(TAGS, 4)
    wrong = LabelledSpan(1, 3, "Y")
    with_span = compute(objective, scores, [known([], [], 4, [wrong])], [[2, 4]])
    without = compute(objective, scores, [known([], [])], [[2, 4]])
    assert with_span.loss == without.loss


def test_ruled_out_span_is_found_in_its_own_document() -> None:
    objective = Objective("fuzzy", 5, 0.5)
    scores = random_scores(TAGS, 9)
    wrong = LabelledSpan(2, 4, "Y")
    facts = [known([], [], 3), known([], [], 6, [wrong])]
    loss = compute(objective, scores, facts, [[3], [2, 6]]).loss
    local = compute(
        objective,
        tokens_of(scores, 5, 9),
        [known([], [], 4, [LabelledSpan(0, 2, "Y")])],
        [[4]],
    ).loss
    assert loss == pytest.approx(local / 3)


def test_document_without_a_common_path_is_named() -> None:
    scores = random_scores(TAGS, 8)
    scores.emissions[5, :] = -torch.inf
    facts = [known([], [0]), known([], [0])]
    assert compute(
        Objective("fuzzy", 2, 0.5), scores, facts, [[4], [4]]
    ).impossible == [1]


# The share is never that low, and never within the margin.
ENTITY_RATIO = EntityRatio(target=0.05, margin=0.02, weight=3.0)


def expected_entity_tokens(scores: TagScores) -> float:
    p = probabilities(scores, TAGS)
    return sum(p[r] * sum(span.end - span.start for span in r) for r in p)


@pytest.mark.parametrize("facts", FACTS)
def test_ratio_is_fuzzy_and_what_the_share_of_entity_tokens_costs(facts: Known) -> None:
    scores = random_scores(TAGS, 4)
    fuzzy = compute(Objective("fuzzy", 5, 0.5), scores, [facts], [[4]]).loss
    share = expected_entity_tokens(scores) / 4
    result = compute(Objective("ratio", 5, 0.5, ENTITY_RATIO), scores, [facts], [[4]])
    assert result.loss == pytest.approx(fuzzy + 3.0 * (share - 0.05 - 0.02))


@pytest.mark.parametrize("facts", FACTS)
def test_ratio_goes_by_q_where_there_is_one(facts: Known) -> None:
    scores = random_scores(TAGS, 4)
    sample = Sample(facts, random_chain_estimate(facts), [4])
    weighted = compute_samples(Objective("weighted", 5, 0.5), scores, [sample]).loss
    share = expected_entity_tokens(scores) / 4
    objective = Objective("ratio", 5, 0.5, ENTITY_RATIO)
    result = compute_samples(objective, scores, [sample])
    assert result.loss == pytest.approx(weighted + 3.0 * (share - 0.05 - 0.02))


@pytest.mark.parametrize("kinds", [("path", "none"), ("chain", "path", "none")])
def test_ratio_of_a_text_does_not_depend_on_the_others(kinds: tuple[str, ...]) -> None:
    facts = FACTS_OF_ESTIMATE
    estimates = {"path": PATH, "chain": random_chain_estimate(facts), "none": None}
    samples = [Sample(facts, estimates[kind], [4]) for kind in kinds]
    scores = random_scores(TAGS, 4 * len(kinds))
    objective = Objective("ratio", 2, 0.4, EntityRatio(0.5, 0.5, 1.0))
    single = [
        compute_samples(objective, tokens_of(scores, 4 * i, 4 * i + 4), [sample])
        for i, sample in enumerate(samples)
    ]
    together = compute_samples(objective, scores, samples)
    assert together.loss == pytest.approx(
        sum(result.loss for result in single) / len(kinds), rel=1e-5
    )
    for i, result in enumerate(single):
        torch.testing.assert_close(
            together.gradient.emissions[4 * i : 4 * i + 4],
            result.gradient.emissions / len(kinds),
        )
    fuzzy = compute(Objective("fuzzy", 2, 0.4), tokens_of(scores, 0, 4), [facts], [[4]])
    open_sample = Sample(facts, None, [4])
    of_open = compute_samples(objective, tokens_of(scores, 0, 4), [open_sample])
    assert of_open.loss == pytest.approx(fuzzy.loss)
    assert single[kinds.index("path")].loss == pytest.approx(
        expected_weighted(
            tokens_of(scores, 4 * kinds.index("path"), 4 * kinds.index("path") + 4),
            facts,
            PATH,
        )
    )


@pytest.mark.parametrize("positions", [1, 16_384])
def test_share_of_entity_tokens_is_that_of_the_whole_batch(
    positions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However its segments are divided up to be computed."""
    monkeypatch.setattr(segments, "_POSITIONS_PER_BATCH", positions)
    scores = random_scores(TAGS, 6)
    parts = [tokens_of(scores, *bounds) for bounds in ((0, 1), (1, 4), (4, 6))]
    share = sum(map(expected_entity_tokens, parts)) / 6
    facts = [known([], []), known([], [], 2)]
    objective = Objective("ratio", 5, 0.5, ENTITY_RATIO)
    result = compute(objective, scores, facts, [[1, 4], [2]])
    # What is not known at all is no part of the fuzzy loss.
    assert result.loss == pytest.approx(3.0 * (share - 0.05 - 0.02))


def difference(
    function: Callable[[], float], values: torch.Tensor, index: tuple[int, ...]
) -> float:
    step, losses = 1e-4, []
    for sign in (1, -1):
        values[index] += sign * step
        losses.append(function())
        values[index] -= sign * step
    return (losses[0] - losses[1]) / (2 * step)


@pytest.mark.parametrize(
    "objective",
    [
        Objective("adak", 2, 0.4),
        missing(0.3),
        Objective("ratio", 2, 0.4, ENTITY_RATIO),
        Objective("fuzzy", 2, 0.4),
        Objective("crf", 2, 0.4),
    ],
    ids=lambda objective: objective.loss,
)
def test_gradient_is_that_of_the_loss(objective: Objective) -> None:
    scores = random_scores(TAGS, 6)
    facts = [known([ENTITY], [3], 4, [LabelledSpan(0, 1, "Y")]), known([], [], 2)]

    def result() -> LossAndGradient:
        return compute(objective, scores, facts, [[4], [2]])

    gradient = result().gradient
    places = [
        (scores.emissions, gradient.emissions, (1, TAGS.index["B-X"])),
        (scores.emissions, gradient.emissions, (0, TAGS.index["U-Y"])),
        (scores.emissions, gradient.emissions, (5, TAGS.index["O"])),
        (scores.transitions, gradient.transitions, (0, 0)),
        (scores.transitions, gradient.transitions, (0, TAGS.index["B-X"])),
        (scores.start, gradient.start, (0,)),
        (scores.end, gradient.end, (TAGS.index["L-Y"],)),
    ]
    for values, slopes, index in places:
        expected = difference(lambda: result().loss, values, index)
        assert float(slopes[index]) == pytest.approx(expected, abs=1e-7)
