import math

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from spacy_adak.crf.chain import Chain, path_scores
from spacy_adak.crf.decode import viterbi
from spacy_adak.crf.lattice import log_partition, marginals
from spacy_adak.crf.losses import (
    HardQ,
    adak,
    annealed_weight,
    missing_q,
    negative_log_likelihood,
    ruled_out_loss,
    soft_q,
    uniform_q,
)
from spacy_adak.crf.spans import TaggedSpan

from .brute_force import (
    allowed_tags,
    chains,
    interpolated,
    legal_paths,
    log_sum,
    probabilities,
    sentence_of,
)


def small_chains() -> st.SearchStrategy[Chain]:
    return chains(max_tokens=4, max_tags=4).filter(
        lambda chain: bool((chain.lengths > 0).all())
    )


@st.composite
def models_and_masks(draw: st.DrawFn) -> tuple[Chain, Chain, torch.Tensor]:
    """A model, a fold model over the same sentences, and a mask of allowed tags."""
    chain = draw(small_chains())
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))

    def like(tensor: torch.Tensor) -> torch.Tensor:
        return torch.randn(tensor.shape, generator=generator, dtype=torch.float64)

    fold_model = Chain(
        like(chain.emissions),
        chain.lengths,
        like(chain.transitions),
        like(chain.start),
        like(chain.end),
    )
    return chain, fold_model, draw(allowed_tags(chain))


def brute_force_nll(chain: Chain, b: int, q: dict[tuple[int, ...], float]) -> float:
    """-log of the sum over y of q(y) p(y)."""
    paths = legal_paths(chain, b)
    log_z = log_sum([path.score for path in paths])
    overlap = [
        path.score + math.log(q[path.tags]) for path in paths if q.get(path.tags)
    ]
    return log_z - log_sum(overlap)


def is_allowed(tags: tuple[int, ...], allowed: torch.Tensor) -> bool:
    return all(bool(allowed[t, tag]) for t, tag in enumerate(tags))


def assert_losses(actual: torch.Tensor, expected: list[float]) -> None:
    """Equal where the model has a path at all; its losses are not defined elsewhere."""
    torch.testing.assert_close(
        actual, torch.tensor(expected, dtype=torch.float64), equal_nan=True
    )


@given(small_chains())
def test_crf_loss_is_that_of_the_path(chain: Chain) -> None:
    paths = [legal_paths(chain, b) for b in range(len(chain.lengths))]
    assume(all(paths))
    q = torch.zeros(chain.emissions.shape[:2], dtype=torch.long)
    expected = []
    for b, legal in enumerate(paths):
        path = legal[-1]
        q[b, : len(path.tags)] = torch.tensor(path.tags)
        expected.append(brute_force_nll(chain, b, {path.tags: 1.0}))
    assert_losses(negative_log_likelihood(chain, HardQ(q)), expected)


@given(models_and_masks())
def test_fuzzy_loss_sums_over_all_allowed_paths(
    case: tuple[Chain, Chain, torch.Tensor],
) -> None:
    chain, _, allowed = case
    q = uniform_q(allowed)
    expected = [
        brute_force_nll(
            chain,
            b,
            {
                path.tags: 1.0
                for path in legal_paths(chain, b)
                if is_allowed(path.tags, allowed[b])
            },
        )
        for b in range(len(chain.lengths))
    ]
    assert_losses(negative_log_likelihood(chain, q), expected)


@given(models_and_masks(), st.data())
def test_missing_loss_weighs_paths_by_their_tags_on_open_tokens(
    case: tuple[Chain, Chain, torch.Tensor], data: st.DataObject
) -> None:
    chain, _, allowed = case
    weight = st.sampled_from([0.0, 0.01, 0.5, 1.0])
    n_tags = chain.emissions.size(2)
    weights = data.draw(st.lists(weight, min_size=n_tags, max_size=n_tags))
    expected = [
        brute_force_nll(
            chain,
            b,
            {
                path.tags: math.prod(
                    weights[tag]
                    for t, tag in enumerate(path.tags)
                    if allowed[b, t].sum() > 1
                )
                for path in legal_paths(chain, b)
                if is_allowed(path.tags, allowed[b])
            },
        )
        for b in range(len(chain.lengths))
    ]
    log_weights = torch.tensor(weights, dtype=torch.float64).log()
    q = missing_q(allowed, log_weights)
    assert_losses(negative_log_likelihood(chain, q), expected)


@given(models_and_masks())
def test_soft_loss_weighs_paths_by_products_of_marginals(
    case: tuple[Chain, Chain, torch.Tensor],
) -> None:
    chain, fold_model, allowed = case
    nodes = marginals(fold_model.allowing(allowed))
    expected = [
        brute_force_nll(
            chain,
            b,
            {
                path.tags: math.prod(
                    float(nodes[b, t, tag]) for t, tag in enumerate(path.tags)
                )
                for path in legal_paths(chain, b)
            },
        )
        for b in range(len(chain.lengths))
    ]
    q = soft_q(fold_model, allowed)
    assert_losses(negative_log_likelihood(chain, q), expected)


@given(models_and_masks(), st.sampled_from([0.2, 1.0, 3.0]))
def test_interpolated_loss_is_exact(
    case: tuple[Chain, Chain, torch.Tensor], temperature: float
) -> None:
    chain, fold_model, allowed = case
    constrained = fold_model.allowing(allowed)
    expected = []
    for b in range(len(chain.lengths)):
        p = probabilities(constrained, b)
        powers = {tags: prob ** (1 / temperature) for tags, prob in p.items()}
        total = sum(powers.values())
        q = {tags: power / total for tags, power in powers.items()}
        expected.append(brute_force_nll(chain, b, q))
    q_chain = interpolated(fold_model, allowed, temperature)
    actual = negative_log_likelihood(chain, q_chain)
    # Without an allowed path q itself is not defined.
    defined = q_chain.log_normaliser.isfinite()
    expected_tensor = torch.tensor(expected, dtype=torch.float64)
    assert_losses(actual[defined], expected_tensor[defined].tolist())


@given(models_and_masks(), st.integers(1, 6), st.sampled_from([0.0, 0.3, 1.0]))
def test_adak_loss_adds_the_k_best_paths(
    case: tuple[Chain, Chain, torch.Tensor], k: int, weight: float
) -> None:
    chain, _, allowed = case
    q = uniform_q(allowed)
    expected = []
    for b in range(len(chain.lengths)):
        paths = [p for p in legal_paths(chain, b) if is_allowed(p.tags, allowed[b])]
        log_z = log_sum([path.score for path in legal_paths(chain, b)])
        best = log_z - log_sum([path.score for path in paths[:k]])
        first = brute_force_nll(chain, b, {path.tags: 1.0 for path in paths})
        parts = [(1 - weight, first), (weight, best)]
        expected.append(sum(w * part for w, part in parts if w))
    assert_losses(adak(chain, q, allowed, k, weight), expected)


@given(models_and_masks(), st.integers(1, 4))
def test_batch_equals_single(case: tuple[Chain, Chain, torch.Tensor], k: int) -> None:
    chain, fold_model, allowed = case
    losses = adak(chain, soft_q(fold_model, allowed), allowed, k, 0.4)
    for b, length in enumerate(chain.lengths.tolist()):
        mask = allowed[b : b + 1, :length]
        q = soft_q(sentence_of(fold_model, b), mask)
        single = adak(sentence_of(chain, b), q, mask, k, 0.4)
        torch.testing.assert_close(single[0], losses[b], equal_nan=True)


@given(models_and_masks())
def test_missing_loss_of_a_batch_is_that_of_its_sentences(
    case: tuple[Chain, Chain, torch.Tensor],
) -> None:
    chain, _, allowed = case
    log_weights = torch.full((allowed.size(2),), -1.5)
    log_weights[0] = 0.0
    q = missing_q(allowed, log_weights)
    losses = negative_log_likelihood(chain, q)
    for b, length in enumerate(chain.lengths.tolist()):
        mask = allowed[b : b + 1, :length]
        q = missing_q(mask, log_weights)
        single = negative_log_likelihood(sentence_of(chain, b), q)
        torch.testing.assert_close(single[0], losses[b], equal_nan=True)


def make_chain(seed: int = 0, scale: float = 1.0) -> Chain:
    generator = torch.Generator().manual_seed(seed)

    def scores(*shape: int) -> torch.Tensor:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        return values * scale

    lengths = torch.tensor([4, 2, 3])
    return Chain(scores(3, 4, 3), lengths, scores(3, 3), scores(3), scores(3))


def test_fully_annotated_adak_without_kbest_is_the_ordinary_crf_loss() -> None:
    chain = make_chain()
    path = torch.tensor([[0, 1, 2, 2], [1, 0, 0, 0], [2, 1, 1, 0]])
    allowed = torch.nn.functional.one_hot(path, 3).bool()
    ordinary = log_partition(chain) - path_scores(chain, path.unsqueeze(1))[:, 0]
    for q in (HardQ(path), uniform_q(allowed)):
        torch.testing.assert_close(adak(chain, q, allowed, 5, 0.0), ordinary)


def test_everything_unknown_makes_the_fuzzy_loss_zero() -> None:
    chain = make_chain()
    everything = torch.ones(3, 4, 3, dtype=torch.bool)
    q = uniform_q(everything)
    torch.testing.assert_close(
        negative_log_likelihood(chain, q), torch.zeros(3, dtype=torch.float64)
    )


def test_interpolated_q_goes_to_hard_q_as_the_temperature_goes_to_zero() -> None:
    chain, fold_model = make_chain(0), make_chain(1)
    allowed = torch.ones(3, 4, 3, dtype=torch.bool)
    allowed[0, 1, 2] = False
    best = viterbi(fold_model.allowing(allowed)).paths[:, 0]
    hard = negative_log_likelihood(chain, HardQ(best))
    distances = [
        (negative_log_likelihood(chain, interpolated(fold_model, allowed, t)) - hard)
        .abs()
        .max()
        for t in (1.0, 0.1, 0.001)
    ]
    assert distances[0] > distances[1] > distances[2]
    assert distances[2] < 1e-9


def test_interpolated_q_of_temperature_one_is_the_fold_model_itself() -> None:
    fold_model = make_chain(1)
    everything = torch.ones(3, 4, 3, dtype=torch.bool)
    q = interpolated(fold_model, everything, 1.0)
    # The chain of q is then that of the fold model: the sum of p(y)^2 / Z^2.
    squared = Chain(
        fold_model.emissions * 2,
        fold_model.lengths,
        fold_model.transitions * 2,
        fold_model.start * 2,
        fold_model.end * 2,
    )
    expected = 2 * log_partition(fold_model) - log_partition(squared)
    torch.testing.assert_close(negative_log_likelihood(fold_model, q), expected)


@pytest.mark.parametrize("kind", ["hard", "soft", "interpolated", "uniform", "missing"])
def test_gradient_of_every_loss_is_right(kind: str) -> None:
    chain, fold_model = make_chain(2), make_chain(3)
    allowed = torch.ones(3, 4, 3, dtype=torch.bool)
    allowed[:, 1, 0] = False
    q = {
        "hard": HardQ(torch.tensor([[0, 1, 2, 2], [1, 2, 0, 0], [2, 1, 1, 0]])),
        "soft": soft_q(fold_model, allowed),
        "interpolated": interpolated(fold_model, allowed, 0.5),
        "uniform": uniform_q(allowed),
        "missing": missing_q(allowed, torch.tensor([0.0, -1.0, -2.0])),
    }[kind]
    scores = [chain.emissions, chain.transitions, chain.start, chain.end]

    def function(*scores: torch.Tensor) -> torch.Tensor:
        emissions, transitions, start, end = scores
        model = Chain(emissions, chain.lengths, transitions, start, end)
        return adak(model, q, allowed, 2, 0.3)

    assert torch.autograd.gradcheck(function, [x.requires_grad_() for x in scores])


def test_weight_may_differ_per_sentence() -> None:
    chain = make_chain()
    everything = torch.ones(3, 4, 3, dtype=torch.bool)
    q = HardQ(torch.zeros(3, 4, dtype=torch.long))
    weights = torch.tensor([0.0, 0.5, 1.0])
    losses = adak(chain, q, everything, 2, weights)
    for b, weight in enumerate(weights.tolist()):
        expected = adak(chain, q, everything, 2, weight)[b]
        torch.testing.assert_close(losses[b], expected)


def test_part_without_weight_may_be_impossible() -> None:
    chain = make_chain()
    everything = torch.ones(3, 4, 3, dtype=torch.bool)
    nothing = uniform_q(~everything)
    assert adak(chain, nothing, everything, 2, 1.0).isfinite().all()
    assert (adak(chain, nothing, everything, 2, 0.5) == float("inf")).all()


def tagged_spans(chain: Chain) -> st.SearchStrategy[list[TaggedSpan]]:
    """Runs of tags anywhere in a batch, with or without a tag that must not follow."""
    n_tags = chain.emissions.size(2)
    tags = st.integers(0, n_tags - 1)

    @st.composite
    def spans(draw: st.DrawFn) -> TaggedSpan:
        sentence = draw(st.integers(0, len(chain.lengths) - 1))
        length = int(chain.lengths[sentence])
        start = draw(st.integers(0, length - 1))
        size = draw(st.integers(1, length - start))
        run = draw(st.lists(tags, min_size=size, max_size=size))
        not_before = (
            draw(st.none() | st.integers(1, n_tags - 1)) if n_tags > 1 else None
        )
        return TaggedSpan(sentence, start, run, not_before)

    return st.lists(spans(), min_size=1, max_size=3)


def holds(tags: tuple[int, ...], span: TaggedSpan) -> bool:
    end = span.start + len(span.tags)
    if end < len(tags) and tags[end] == span.not_before:
        return False
    return list(tags[span.start : end]) == list(span.tags)


@given(st.data())
def test_ruled_out_loss_is_that_of_all_paths_without_the_span(
    data: st.DataObject,
) -> None:
    chain = data.draw(
        chains(max_tokens=4, max_tags=3, always_legal=True).filter(
            lambda chain: bool((chain.lengths > 0).all())
        )
    )
    spans = data.draw(tagged_spans(chain))
    expected = [0.0] * len(chain.lengths)
    for span in spans:
        paths = legal_paths(chain, span.sentence)
        without = [path.score for path in paths if not holds(path.tags, span)]
        log_z = log_sum([path.score for path in paths])
        expected[span.sentence] += log_z - log_sum(without)
    assert_losses(ruled_out_loss(chain, spans), expected)


@given(st.data())
def test_no_best_path_holds_a_ruled_out_span(data: st.DataObject) -> None:
    chain, _, allowed = data.draw(models_and_masks())
    spans = data.draw(tagged_spans(chain))
    k = data.draw(st.integers(1, 6))
    everything = torch.ones_like(allowed)
    assume(all(legal_paths(chain, b) for b in range(len(chain.lengths))))
    expected = []
    for b in range(len(chain.lengths)):
        log_z = log_sum([path.score for path in legal_paths(chain, b)])
        paths = [p for p in legal_paths(chain, b) if is_allowed(p.tags, allowed[b])]
        local = [span for span in spans if span.sentence == b]
        # Which of two equals is among the K best is left open here.
        assume(len(paths) <= k or paths[k - 1].score - paths[k].score > 1e-6)
        left = [
            path.score
            for path in paths[:k]
            if not any(holds(path.tags, span) for span in local)
        ]
        # Without one of the K paths left there is no K-best part.
        expected.append(log_z - log_sum(left) if left or not paths else 0.0)
    q = uniform_q(everything)
    assert_losses(adak(chain, q, allowed, k, 1.0, spans), expected)


@pytest.mark.parametrize("not_before", [None, 1, 2])
def test_best_path_that_goes_on_does_not_hold_the_span(not_before: int | None) -> None:
    """The best path is 1 2 2 0: it holds 1 2 unless 2 must not come next."""
    path = torch.tensor([[1, 2, 2, 0]])
    emissions = torch.nn.functional.one_hot(path, 3).double() * 9
    zeros = torch.zeros(3, dtype=torch.float64)
    chain = Chain(emissions, torch.tensor([4]), torch.diag(zeros), zeros, zeros)
    everything = torch.ones(1, 4, 3, dtype=torch.bool)
    span = TaggedSpan(0, 0, [1, 2], not_before)
    found = adak(chain, HardQ(path), everything, 1, 1.0, [span])
    best = log_partition(chain) - 36.0
    torch.testing.assert_close(found, best if not_before == 2 else zeros[:1])


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.0])
def test_weight_is_that_of_the_best_paths(weight: float) -> None:
    chain = make_chain()
    everything = torch.ones(3, 4, 3, dtype=torch.bool)
    path = torch.zeros(3, 4, dtype=torch.long)
    q_part = negative_log_likelihood(chain, HardQ(path))
    best_part = log_partition(chain) - viterbi(chain).scores[:, 0]
    expected = (1 - weight) * q_part + weight * best_part
    found = adak(chain, HardQ(path), everything, 1, weight)
    torch.testing.assert_close(found, expected)


def test_gradient_of_ruled_out_spans_is_right() -> None:
    chain = make_chain(4)
    spans = [TaggedSpan(0, 1, [1, 2], 2), TaggedSpan(0, 0, [0]), TaggedSpan(2, 2, [1])]
    scores = [chain.emissions, chain.transitions, chain.start, chain.end]

    def function(*scores: torch.Tensor) -> torch.Tensor:
        emissions, transitions, start, end = scores
        model = Chain(emissions, chain.lengths, transitions, start, end)
        return ruled_out_loss(model, spans)

    assert torch.autograd.gradcheck(function, [x.requires_grad_() for x in scores])


@pytest.mark.parametrize("certainty", [14.0, 100.0, 2000.0])
def test_span_that_is_certain_is_ruled_out_all_the_same(certainty: float) -> None:
    emissions = torch.zeros(1, 3, 2, dtype=torch.float64)
    emissions[0, 1, 1] = certainty
    emissions.requires_grad_()
    zeros = torch.zeros(2, dtype=torch.float64)
    chain = Chain(emissions, torch.tensor([3]), torch.diag(zeros), zeros, zeros)
    loss = ruled_out_loss(chain, [TaggedSpan(0, 1, [1])])
    assert loss.item() == pytest.approx(certainty)
    (gradient,) = torch.autograd.grad(loss.sum(), emissions)
    assert gradient[0, 1].tolist() == pytest.approx([-1.0, 1.0], abs=1e-5)


def test_annealing_starts_low_and_ends_at_one() -> None:
    weights = [annealed_weight(step, 100, gamma=3.0) for step in (0, 50, 100, 120)]
    assert weights == pytest.approx([math.exp(-3), math.exp(-1.5), 1.0, 1.0])
