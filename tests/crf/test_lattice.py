from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.chain import Chain, add_border, path_scores
from spacy_adak.crf.lattice import (
    log_partition,
    marginals,
    run_messages,
)
from spacy_adak.crf.tags import TagSet

from .brute_force import (
    INF,
    allowed_tags,
    chains,
    legal_paths,
    log_partitions,
    probabilities,
    sentence_of,
)


def assert_close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual.double(), expected.double(), rtol=1e-9, atol=1e-9)


@given(chains())
def test_log_partition_is_the_sum_over_all_paths(chain: Chain) -> None:
    assert_close(log_partition(chain), log_partitions(chain))


@given(st.data())
def test_constrained_log_partition_is_the_sum_over_allowed_paths(
    data: st.DataObject,
) -> None:
    chain = data.draw(chains())
    constrained = chain.allowing(data.draw(allowed_tags(chain)))
    assert_close(log_partition(constrained), log_partitions(constrained))


@given(chains(dtype=torch.float32))
def test_float32_scores_lose_nothing(chain: Chain) -> None:
    assert_close(log_partition(chain), log_partitions(chain))


@given(chains())
def test_marginals_are_sums_of_path_probabilities(chain: Chain) -> None:
    expected = torch.zeros(chain.emissions.shape, dtype=torch.float64)
    for b in range(len(chain.lengths)):
        for tags, probability in probabilities(chain, b).items():
            for t, tag in enumerate(tags):
                expected[b, t, tag] += probability
    assert_close(marginals(chain), expected)


@given(chains())
def test_gradient_of_a_transition_is_how_often_it_is_expected(chain: Chain) -> None:
    transitions = chain.transitions.requires_grad_()
    log_partition(chain).sum().backward()
    expected = torch.zeros_like(transitions)
    for b in range(len(chain.lengths)):
        moves = expected if expected.dim() == 2 else expected[b]
        for tags, probability in probabilities(chain, b).items():
            for left, right in pairwise(tags):
                moves[left, right] += probability
    assert transitions.grad is not None
    assert_close(transitions.grad, expected)


@given(chains())
def test_path_scores_are_those_of_enumeration(chain: Chain) -> None:
    for b in range(len(chain.lengths)):
        for path in legal_paths(chain, b)[:5]:
            if path.tags:
                sentence = sentence_of(chain, b)
                actual = path_scores(sentence, torch.tensor([[path.tags]]))
                assert actual.item() == pytest.approx(path.score, rel=1e-12)


def test_score_of_an_illegal_path_is_minus_infinity() -> None:
    transitions = torch.tensor([[0.0, -INF], [0.0, 0.0]])
    chain = Chain(
        torch.zeros(1, 2, 2),
        torch.tensor([2]),
        transitions,
        torch.zeros(2),
        torch.zeros(2),
    )
    paths = torch.tensor([[[0, 1], [1, 0]]])
    assert path_scores(chain, paths).tolist() == [[-INF, 0.0]]


@given(chains())
def test_batch_equals_single(chain: Chain) -> None:
    log_z, nodes = log_partition(chain), marginals(chain)
    for b, length in enumerate(chain.lengths.tolist()):
        single = sentence_of(chain, b)
        assert_close(log_partition(single), log_z[b : b + 1])
        assert_close(marginals(single)[0, :length], nodes[b, :length])


@given(chains())
def test_what_stands_on_padding_changes_nothing(chain: Chain) -> None:
    padding = ~chain.token_mask().unsqueeze(2)
    noisy = chain._replace(emissions=chain.emissions.masked_fill(padding, 1e30))
    assert torch.equal(log_partition(noisy), log_partition(chain))


@given(chains(always_legal=True, max_tokens=4, max_tags=3))
def test_gradient_is_right(chain: Chain) -> None:
    if chain.emissions.abs().max() > 500:
        chain = Chain(*(x / 100 if x.is_floating_point() else x for x in chain))

    def function(*scores: torch.Tensor) -> torch.Tensor:
        emissions, transitions, start, end = scores
        return log_partition(Chain(emissions, chain.lengths, transitions, start, end))

    inputs = [chain.emissions, chain.transitions, chain.start, chain.end]
    for tensor in inputs:
        tensor.requires_grad_()
    assert torch.autograd.gradcheck(function, inputs)


@pytest.mark.parametrize("own", ["transitions", "start", "end"])
def test_some_scores_may_be_shared_and_others_not(own: str) -> None:
    """The gradient of what is shared is summed over the batch."""
    generator = torch.Generator().manual_seed(0)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    shapes = {"transitions": (3, 3), "start": (3,), "end": (3,)}
    moves = {
        name: scores(*((2, *shape) if name == own else shape)).requires_grad_()
        for name, shape in shapes.items()
    }
    chain = Chain(scores(2, 3, 3), torch.tensor([3, 2]), **moves)
    assert_close(log_partition(chain), log_partitions(chain))

    def function(*moves: torch.Tensor) -> torch.Tensor:
        return log_partition(Chain(chain.emissions, chain.lengths, *moves))

    assert torch.autograd.gradcheck(function, tuple(moves.values()))


@pytest.mark.parametrize(("sentences", "tokens"), [(0, 3), (2, 0), (2, 3)])
def test_sentences_without_tokens_have_one_path(sentences: int, tokens: int) -> None:
    zeros = torch.zeros(2)
    chain = Chain(
        torch.zeros(sentences, tokens, 2),
        torch.zeros(sentences, dtype=torch.long),
        torch.zeros(2, 2),
        zeros,
        zeros,
    )
    assert log_partition(chain).tolist() == [0.0] * sentences
    assert marginals(chain).shape == (sentences, tokens, 2)
    paths = torch.zeros(sentences, 1, tokens, dtype=torch.long)
    assert path_scores(chain, paths).tolist() == [[0.0]] * sentences


def test_gradient_is_right_where_a_sentence_is_computed_in_log_space() -> None:
    """Tag 1 costs 2,000 nats at the first token and is forced at the second."""
    emissions = torch.zeros(2, 3, 2, dtype=torch.float64)
    emissions[0, 0, 1] = -2000.0
    emissions[0, 1, 0] = -INF
    transitions = torch.tensor([[0.5, -INF], [-0.3, 0.2]], dtype=torch.float64)
    border = torch.zeros(2, dtype=torch.float64)

    def function(*scores: torch.Tensor) -> torch.Tensor:
        return log_partition(Chain(scores[0], torch.tensor([3, 2]), *scores[1:]))

    inputs = [emissions, transitions, border, border.clone()]
    assert function(*inputs)[0] < -1900
    assert torch.autograd.gradcheck(function, [x.requires_grad_() for x in inputs])


def test_sentence_without_a_legal_path_is_reported_and_harms_no_other() -> None:
    emissions = torch.randn(2, 3, 2)
    emissions[0, 1] = -INF
    emissions.requires_grad_()
    chain = Chain(
        emissions,
        torch.tensor([3, 3]),
        torch.randn(2, 2),
        torch.zeros(2),
        torch.zeros(2),
    )
    log_z = log_partition(chain)
    assert log_z[0] == -INF
    assert_close(log_z[1:], log_partition(sentence_of(chain, 1)))
    log_z[1].backward()
    assert emissions.grad is not None
    assert not emissions.grad.isnan().any()
    assert not marginals(chain)[0].any()


def test_everything_allowed_is_the_free_partition() -> None:
    chain = Chain(
        torch.randn(4, 6, 5),
        torch.tensor([6, 3, 1, 5]),
        torch.randn(5, 5),
        torch.randn(5),
        torch.randn(5),
    )
    everything = torch.ones(4, 6, 5, dtype=torch.bool)
    assert torch.equal(log_partition(chain.allowing(everything)), log_partition(chain))


@pytest.mark.parametrize("seed", range(3))
def test_long_sentences_with_extreme_emissions_are_stable(seed: int) -> None:
    """512 tokens, emissions of ±50, against the same recursion in log space."""
    generator = torch.Generator().manual_seed(seed)
    emissions = (torch.rand(2, 512, 9, generator=generator) * 100 - 50).requires_grad_()
    legal = torch.rand(9, 9, generator=generator) < 0.5
    transitions = torch.randn(9, 9, generator=generator).masked_fill(~legal, -INF)
    chain = Chain(
        emissions, torch.tensor([512, 300]), transitions, torch.zeros(9), torch.zeros(9)
    )
    log_z = log_partition(chain)
    for b, length in enumerate([512, 300]):
        alpha = emissions[b, 0].double()
        for t in range(1, length):
            alpha = torch.logsumexp(alpha.unsqueeze(1) + transitions, 0)
            alpha = alpha + emissions[b, t]
        assert_close(log_z[b], alpha.logsumexp(0))
    log_z.sum().backward()
    assert emissions.grad is not None
    totals = emissions.grad.sum(2)
    torch.testing.assert_close(totals[0], torch.ones(512), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("tags", "length"), [(9, 1024), (73, 400)])
def test_long_sentences_with_mild_scores_are_not_computed_in_log_space(
    tags: int, length: int
) -> None:
    legal = TagSet(map(str, range(tags // 4))).legal_transitions()
    generator = torch.Generator().manual_seed(0)
    chain = Chain(
        torch.randn(2, length, tags, generator=generator) * 3,
        torch.tensor([length, length // 2]),
        torch.randn(tags, tags, generator=generator).masked_fill(~legal, -INF),
        torch.zeros(tags),
        torch.zeros(tags),
    )
    assert not len(run_messages(add_border(chain)).unsafe)


def test_forced_path_thousands_of_nats_down_is_exact() -> None:
    T, N = 200, 5
    emissions = torch.randn(1, T, N) * 5
    path = torch.randint(0, N, (1, T))
    emissions.scatter_(2, path.unsqueeze(2), -50.0)
    transitions = torch.randn(N, N) - 40
    chain = Chain(
        emissions, torch.tensor([T]), transitions, torch.zeros(N), torch.zeros(N)
    )
    forced = chain.allowing(torch.nn.functional.one_hot(path, N).bool())
    expected = path_scores(chain, path.unsqueeze(1))[0]
    assert expected < log_partition(chain) - 5000
    assert_close(log_partition(forced), expected)


def test_a_path_lost_by_both_recursions_is_still_found() -> None:
    """Tag 1 is 800 nats down at both ends and 1,800 nats ahead in between, where no
    other tag can move to it: each recursion alone has rounded it to zero."""
    T = 42
    emissions = torch.zeros(1, T, 2)
    emissions[0, 0, 1] = emissions[0, -1, 1] = -800.0
    emissions[0, 1:-1, 0] = -45.0
    transitions = torch.tensor([[0.0, -INF], [-INF, 0.0]])
    chain = Chain(
        emissions, torch.tensor([T]), transitions, torch.zeros(2), torch.zeros(2)
    )
    assert_close(log_partition(chain), torch.tensor([-1600.0]))


def test_a_path_lost_by_its_first_and_last_move_is_still_found() -> None:
    """The same, but it is the moves from and to the border that are 800 nats down."""
    T = 42
    emissions = torch.zeros(1, T, 2)
    emissions[0, :, 0] = -45.0
    transitions = torch.tensor([[0.0, -INF], [-INF, 0.0]])
    border = torch.tensor([0.0, -800.0])
    chain = Chain(emissions, torch.tensor([T]), transitions, border, border)
    assert_close(log_partition(chain), torch.tensor([-1600.0]))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_results_on_gpu_are_those_on_cpu() -> None:
    chain = Chain(
        torch.randn(4, 6, 5),
        torch.tensor([6, 3, 1, 5]),
        torch.randn(5, 5),
        torch.randn(5),
        torch.randn(5),
    )
    on_gpu = Chain(*(tensor.cuda() for tensor in chain))
    assert_close(log_partition(on_gpu).cpu(), log_partition(chain))
    assert_close(marginals(on_gpu).cpu(), marginals(chain))
