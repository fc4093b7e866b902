import pytest
import torch
from hypothesis import given

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.lattice import marginals
from spacy_adak.crf.ratio import EntityRatio, expected_entity_tokens

from .brute_force import INF, chains, probabilities, sentence_of


def assert_close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-6)


@given(chains())
def test_expected_entity_tokens_are_those_of_all_paths(chain: Chain) -> None:
    expected = [
        sum(
            probability * sum(tag != 0 for tag in tags)
            for tags, probability in probabilities(chain, b).items()
        )
        for b in range(len(chain.lengths))
    ]
    assert_close(
        expected_entity_tokens(chain), torch.tensor(expected, dtype=torch.float64)
    )


@given(chains(dtype=torch.float32))
def test_float32_scores_lose_nothing(chain: Chain) -> None:
    expected = marginals(chain)[..., 1:].sum((1, 2))
    assert_close(expected_entity_tokens(chain), expected)


@given(chains())
def test_batch_equals_single(chain: Chain) -> None:
    expected = expected_entity_tokens(chain)
    for b in range(len(chain.lengths)):
        single = expected_entity_tokens(sentence_of(chain, b))
        assert_close(single, expected[b : b + 1])


@given(chains())
def test_what_stands_on_padding_changes_nothing(chain: Chain) -> None:
    padding = ~chain.token_mask().unsqueeze(2)
    noisy = chain._replace(emissions=chain.emissions.masked_fill(padding, 1e30))
    assert torch.equal(expected_entity_tokens(noisy), expected_entity_tokens(chain))


def make_chain(T: int, dtype: torch.dtype = torch.float64, scale: float = 1.0) -> Chain:
    generator = torch.Generator().manual_seed(0)

    def scores(*shape: int) -> torch.Tensor:
        values = torch.randn(shape, generator=generator, dtype=torch.float64) * scale
        return values.to(dtype).requires_grad_()

    lengths = torch.tensor([T, max(1, T // 2)])
    return Chain(scores(2, T, 5), lengths, scores(5, 5), scores(5), scores(5))


def test_gradient_is_right() -> None:
    chain = make_chain(4)

    def function(*scores: torch.Tensor) -> torch.Tensor:
        emissions, *moves = scores
        return expected_entity_tokens(Chain(emissions, chain.lengths, *moves))

    assert torch.autograd.gradcheck(function, (chain.emissions, *chain[2:]))


def entity_tokens_and_slope(chain: Chain) -> tuple[torch.Tensor, torch.Tensor]:
    """By the marginals, and as all emissions grow in proportion to themselves."""
    chain, step = chain.detach(), 1e-6

    def count(scale: float) -> torch.Tensor:
        scaled = chain._replace(emissions=chain.emissions.double() * scale)
        return marginals(scaled)[..., 1:].sum((1, 2))

    return count(1.0), (count(1 + step) - count(1 - step)) / (2 * step)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_long_sentences_are_as_exact(dtype: torch.dtype) -> None:
    chain = make_chain(128, dtype)
    found = expected_entity_tokens(chain)
    (gradient,) = torch.autograd.grad(found.sum(), chain.emissions)
    expected, slope = entity_tokens_and_slope(chain)
    assert_close(found, expected)
    found_slope = (gradient.double() * chain.emissions.detach()).sum()
    torch.testing.assert_close(found_slope, slope.sum(), rtol=1e-5, atol=1e-5)


def test_value_and_gradient_hold_where_a_sentence_is_computed_in_log_space() -> None:
    """Tag 1 costs 2,000 nats at the first token and is forced at the second. That the
    third has it is as likely as not."""
    emissions = torch.zeros(1, 3, 2)
    emissions[0, 0, 1] = -2000.0
    emissions[0, 1, 0] = -INF
    emissions.requires_grad_()
    transitions = torch.tensor([[0.0, -INF], [0.0, 0.0]])
    chain = Chain(
        emissions, torch.tensor([3]), transitions, torch.zeros(2), torch.zeros(2)
    )
    found = expected_entity_tokens(chain)
    assert found.item() == pytest.approx(2.5, abs=1e-6)
    found.sum().backward()
    assert emissions.grad is not None
    # The variance of the third token, which alone is open.
    expected = torch.tensor([[[0.0, 0.0], [0.0, 0.0], [-0.25, 0.25]]])
    torch.testing.assert_close(emissions.grad, expected, rtol=1e-6, atol=1e-6)


def test_sentence_without_a_legal_path_expects_nothing_and_has_no_gradient() -> None:
    chain = make_chain(3)
    emissions = chain.emissions.detach().clone()
    emissions[0, 1] = -INF
    emissions.requires_grad_()
    found = expected_entity_tokens(chain._replace(emissions=emissions))
    assert found[0] == 0.0
    assert found[1] > 0.0
    found.sum().backward()
    assert emissions.grad is not None
    assert not emissions.grad[0].any()
    assert emissions.grad.isfinite().all()


@pytest.mark.parametrize(
    ("entity_tokens", "expected"),
    [(20.0, 0.0), (24.0, 0.0), (16.0, 0.0), (35.0, 1.0), (5.0, 1.0)],
)
def test_penalty_is_the_distance_from_the_target_beyond_the_margin(
    entity_tokens: float, expected: float
) -> None:
    ratio = EntityRatio(target=0.2, margin=0.05, weight=10.0)
    penalty = ratio.penalty(torch.tensor(entity_tokens), tokens=100)
    assert penalty.item() == pytest.approx(expected)


def test_penalty_pulls_towards_the_target() -> None:
    ratio = EntityRatio(target=0.2, margin=0.05, weight=10.0)
    entity_tokens = torch.tensor([30.0, 20.0, 10.0], requires_grad=True)
    ratio.penalty(entity_tokens, tokens=100).sum().backward()
    assert entity_tokens.grad is not None
    assert entity_tokens.grad.tolist() == pytest.approx([0.1, 0.0, -0.1])
