"""Everything about chains of many types, against the same scores as a matrix and
against all paths."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from spacy_adak.crf.chain import (
    Chain,
    add_border,
    path_scores,
    relative_transitions,
)
from spacy_adak.crf.decode import kbest, viterbi
from spacy_adak.crf.lattice import log_partition, marginals, run_messages
from spacy_adak.crf.losses import adak, soft_q, uniform_q
from spacy_adak.crf.moves import DenseMoves
from spacy_adak.crf.moves_by_type import MovesByType
from spacy_adak.crf.ratio import expected_entity_tokens
from spacy_adak.crf.spans import TaggedSpan, span_log_probabilities
from spacy_adak.crf.tags import TagSet
from spacy_adak.crf.typed_transitions import EXTRA_COLUMNS

from .brute_force import (
    INF,
    allowed_tags,
    as_matrix,
    interpolated,
    legal_paths,
    log_partitions,
)


def with_matrix(chain: Chain) -> Chain:
    return chain._replace(transitions=as_matrix(chain.transitions))


@st.composite
def chains_by_type(draw: st.DrawFn) -> Chain:
    """A ragged batch with forbidden nodes and moves, in all shapes and scales."""
    P, L = draw(st.sampled_from([(2, 1), (2, 2), (2, 3), (4, 1), (4, 2)]))
    longest = 3 if P * L > 5 else 4
    lengths = draw(st.lists(st.integers(0, longest), min_size=1, max_size=3))
    B, T, N = len(lengths), max(1, *lengths, 1), 1 + L * P
    scale = draw(st.sampled_from([0.0, 1.0, 50.0, 3000.0]))
    forbidden = draw(st.sampled_from([0.0, 0.2, 0.6]))
    whole_numbers = draw(st.booleans())  # many ties
    lead = (B,) if draw(st.booleans()) else ()
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))

    def scores(*shape: int) -> Tensor:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        values = values.round() if whole_numbers else values
        mask = torch.rand(shape, generator=generator) < forbidden
        return (values * scale).masked_fill(mask, -INF)

    return Chain(
        scores(B, T, N),
        torch.tensor(lengths),
        scores(*lead, N, P + EXTRA_COLUMNS),
        scores(*lead, N),
        scores(*lead, N),
    )


def assert_close(actual: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-10, atol=1e-10)


@given(chains_by_type())
def test_log_partition_is_the_sum_over_all_paths(chain: Chain) -> None:
    assert_close(log_partition(chain), log_partitions(with_matrix(chain)))


@given(chains_by_type())
def test_marginals_are_those_of_the_matrix(chain: Chain) -> None:
    assert_close(marginals(chain), marginals(with_matrix(chain)))


@given(chains_by_type(), st.booleans())
def test_gradient_is_that_of_the_matrix(chain: Chain, start_per_sentence: bool) -> None:
    if start_per_sentence and chain.start.dim() == 1:
        chain = chain._replace(start=chain.start.repeat(len(chain.lengths), 1))
    scores = [chain.emissions, *chain[2:]]
    weights = torch.arange(1.0, len(chain.lengths) + 1)

    def gradients(matrix: bool) -> tuple[Tensor, ...]:
        leaves = [score.detach().requires_grad_() for score in scores]
        by_type = Chain(leaves[0], chain.lengths, *leaves[1:])
        model = with_matrix(by_type) if matrix else by_type
        log_z = log_partition(model)
        loss = (log_z * weights).where(log_z.isfinite(), 0.0).sum()
        return torch.autograd.grad(loss, leaves)

    for actual, expected in zip(gradients(False), gradients(True), strict=True):
        assert_close(actual, expected)


@given(chains_by_type(), st.sampled_from([1, 2, 5, 40]))
def test_kbest_finds_the_best_paths_in_order(chain: Chain, k: int) -> None:
    best = kbest(chain, k)
    for b, length in enumerate(chain.lengths.tolist()):
        legal = {path.tags: path.score for path in legal_paths(with_matrix(chain), b)}
        expected = sorted(legal.values(), reverse=True)[:k]
        assert best.valid[b].sum() == len(expected)
        paths = best.paths[b, : len(expected), :length].tolist()
        found = [tuple(path) for path in paths]
        assert len(set(found)) == len(found)
        assert [legal[path] for path in found] == pytest.approx(expected, rel=1e-12)


@given(chains_by_type())
def test_viterbi_is_the_first_of_kbest(chain: Chain) -> None:
    best, first = viterbi(chain), kbest(chain, 3)
    assert torch.equal(best.valid[:, 0], first.valid[:, 0])
    torch.testing.assert_close(best.scores[:, 0], first.scores[:, 0])
    found = path_scores(chain, best.paths).masked_fill(~best.valid, -INF)
    torch.testing.assert_close(found, best.scores, rtol=1e-12, atol=1e-9)


def test_ties_go_to_the_same_paths_as_with_a_matrix() -> None:
    zeros = torch.zeros(5)
    chain = Chain(
        torch.zeros(2, 3, 5), torch.tensor([3, 2]), torch.zeros(5, 6), zeros, zeros
    )
    matrix = with_matrix(chain)
    assert torch.equal(viterbi(chain).paths, viterbi(matrix).paths)
    assert torch.equal(kbest(chain, 7).paths, kbest(matrix, 7).paths)


@given(chains_by_type(), st.data())
def test_path_scores_and_their_gradient_are_those_of_the_matrix(
    chain: Chain, data: st.DataObject
) -> None:
    B, T, N = chain.emissions.shape
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**16)))
    paths = torch.randint(0, N, (B, 3, T), generator=generator)
    transitions = chain.transitions.detach().requires_grad_()
    gradients = []
    for own in (transitions, as_matrix(transitions)):
        scores = path_scores(chain._replace(transitions=own), paths)
        expected = path_scores(with_matrix(chain), paths)
        assert_close(scores.detach(), expected)
        loss = scores.where(scores.isfinite(), 0.0).sum()
        gradients += torch.autograd.grad(loss, transitions)
    assert_close(*gradients)


@given(chains_by_type().filter(lambda chain: bool(chain.lengths.any())), st.data())
def test_span_probabilities_are_those_of_the_matrix(
    chain: Chain, data: st.DataObject
) -> None:
    spans = []
    for _ in range(3):
        b = data.draw(st.sampled_from(chain.lengths.nonzero()[:, 0].tolist()))
        start = data.draw(st.integers(0, int(chain.lengths[b]) - 1))
        size = data.draw(st.integers(1, int(chain.lengths[b]) - start))
        tag = st.integers(0, chain.emissions.size(2) - 1)
        tags = data.draw(st.lists(tag, min_size=size, max_size=size))
        spans.append(TaggedSpan(b, start, tags, data.draw(st.none() | tag)))
    actual = span_log_probabilities(chain, spans).exp()
    assert_close(actual, span_log_probabilities(with_matrix(chain), spans).exp())


@given(chains_by_type(), st.data())
def test_losses_are_those_of_the_matrix(chain: Chain, data: st.DataObject) -> None:
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**16)))
    fold_model = Chain(
        *(
            torch.randn(x.shape, generator=generator, dtype=torch.float64)
            if x.is_floating_point()
            else x
            for x in chain
        )
    )
    allowed = data.draw(allowed_tags(chain))
    matrix, fold_matrix = with_matrix(chain), with_matrix(fold_model)
    for q, q_of_matrix in (
        (uniform_q(allowed),) * 2,
        (soft_q(fold_model, allowed), soft_q(fold_matrix, allowed)),
        (
            interpolated(fold_model, allowed, 0.5),
            interpolated(fold_matrix, allowed, 0.5),
        ),
    ):
        torch.testing.assert_close(
            adak(chain, q, allowed, 2, 0.3),
            adak(matrix, q_of_matrix, allowed, 2, 0.3),
            equal_nan=True,
        )


@given(chains_by_type())
def test_expected_entity_tokens_are_those_of_the_matrix(chain: Chain) -> None:
    torch.testing.assert_close(
        expected_entity_tokens(chain),
        expected_entity_tokens(with_matrix(chain)),
        rtol=1e-6,
        atol=1e-6,
    )


def test_what_other_types_have_loses_no_digits() -> None:
    """All but e^-40 of what stands at the first token is of the type of the second,
    and may not come before it."""
    tagset = TagSet(["X", "Y", "Z"], "BIO")
    transitions = torch.zeros(7, 6, dtype=torch.float64)
    transitions[:, :3] = -INF
    emissions = torch.full((1, 2, 7), -INF, dtype=torch.float64)
    for tag, score in (("B-X", 0.0), ("B-Y", -40.0), ("I-Z", -40.0)):
        emissions[0, 0, tagset.index[tag]] = score
    emissions[0, 1, tagset.index["B-X"]] = 0.0
    zeros = torch.zeros(7, dtype=torch.float64)
    chain = Chain(emissions, torch.tensor([2]), transitions, zeros, zeros)
    expected = torch.tensor([2.0], dtype=torch.float64).log() - 40.0
    assert_close(log_partition(chain), expected)


@given(chains_by_type().filter(lambda chain: chain.transitions.dim() == 2))
def test_relative_transitions_change_no_probability(chain: Chain) -> None:
    # What is not looked at has to be out of the way, as it is in a model.
    chain.transitions[0] = chain.transitions[0].where(
        torch.arange(chain.transitions.size(1)) == chain.transitions.size(1) - 4, -INF
    )
    for form in (chain, with_matrix(chain)):
        relative = relative_transitions(form.transitions)
        assert not (relative > 0).any()
        same = form._replace(transitions=relative.nan_to_num(nan=-INF, neginf=-INF))
        torch.testing.assert_close(marginals(same), marginals(form))


def test_long_sentences_of_many_types_are_not_computed_in_log_space() -> None:
    tagset = TagSet(map(str, range(200)))
    generator = torch.Generator().manual_seed(0)
    N = len(tagset)
    moves = torch.randn(N, 8, generator=generator)
    chain = Chain(
        torch.randn(2, 300, N, generator=generator) * 3,
        torch.tensor([300, 150]),
        moves.masked_fill(~tagset.legal_transitions_by_type(), -INF),
        torch.zeros(N).masked_fill(~tagset.legal_starts(), -INF),
        torch.zeros(N).masked_fill(~tagset.legal_ends(), -INF),
    )
    assert not len(run_messages(add_border(chain)).unsafe)


@pytest.mark.parametrize("per_sentence", [True, False])
def test_steps_in_log_space_are_those_of_the_matrix(per_sentence: bool) -> None:
    """With scores that are close: beside one far ahead others do not count."""
    generator = torch.Generator().manual_seed(0)

    def scores(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    lead = (2,) if per_sentence else ()
    transitions = scores(*lead, 9, 6).requires_grad_()
    border = scores(*lead, 9), scores(*lead, 9)
    by_type = MovesByType.with_border(transitions, *border)
    dense = DenseMoves.with_border(as_matrix(transitions), *border)
    left, right = scores(2, 10), scores(2, 10)
    assert_close(by_type.log_sum_step(left), dense.log_sum_step(left))
    assert_close(by_type.log_sum_step_back(right), dense.log_sum_step_back(right))
    best = (left.unsqueeze(2) + dense.matrix).amax(1)
    assert_close(by_type.best_step(left), best)
    log_z = torch.tensor([3.0, 4.0], dtype=torch.float64)
    found, *found_border = by_type.log_expected(left, right, log_z).without_border()
    counts, *expected_border = dense.log_expected(left, right, log_z).without_border()
    matrix = as_matrix(transitions)
    counts = counts if per_sentence else counts.sum(0)
    (expected,) = torch.autograd.grad(matrix, transitions, counts.detach())
    assert_close(found if per_sentence else found.sum(0), expected)
    for actual, wanted in zip(found_border, expected_border, strict=True):
        assert_close(actual, wanted)
