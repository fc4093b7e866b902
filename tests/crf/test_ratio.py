import pytest
import torch
from hypothesis import given

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.lattice import marginals
from spacy_adak.crf.ratio import EntityRatio, expected_tags
from spacy_adak.crf.tags import TagSet

from .brute_force import INF, chains, probabilities, sentence_of


def assert_close(actual: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(actual, expected, rtol=1e-6, atol=1e-6)


@given(chains())
def test_expected_tags_are_those_of_all_paths(chain: Chain) -> None:
    expected = torch.zeros(len(chain.lengths), chain.emissions.size(2)).double()
    for b in range(len(chain.lengths)):
        for tags, probability in probabilities(chain, b).items():
            for tag in tags:
                expected[b, tag] += probability
    assert_close(expected_tags(chain), expected)


@given(chains(dtype=torch.float32))
def test_float32_scores_lose_nothing(chain: Chain) -> None:
    expected = expected_tags(chain._replace(emissions=chain.emissions.double()))
    assert_close(expected_tags(chain), expected)


@given(chains())
def test_batch_equals_single(chain: Chain) -> None:
    expected = expected_tags(chain)
    for b in range(len(chain.lengths)):
        single = expected_tags(sentence_of(chain, b))
        assert_close(single, expected[b : b + 1])


@given(chains())
def test_what_stands_on_padding_changes_nothing(chain: Chain) -> None:
    padding = ~chain.token_mask().unsqueeze(2)
    noisy = chain._replace(emissions=chain.emissions.masked_fill(padding, 1e30))
    assert torch.equal(expected_tags(noisy), expected_tags(chain))


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
        return expected_tags(Chain(emissions, chain.lengths, *moves))

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
    found = expected_tags(chain)[:, 1:].sum(1)
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
    found = expected_tags(chain)[:, 1]
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
    found = expected_tags(chain._replace(emissions=emissions))
    assert not found[0].any()
    assert found[1].any()
    found[:, 1:].sum().backward()
    assert emissions.grad is not None
    assert not emissions.grad[0].any()
    assert emissions.grad.isfinite().all()


TAGS = TagSet(["X", "Y"], "BIO")


def counts(outside: float, x: float, y: float = 0.0) -> torch.Tensor:
    """Expected tags, half of an entity's tokens being its first."""
    return torch.tensor([outside, x / 2, x / 2, y / 2, y / 2], requires_grad=True)


@pytest.mark.parametrize(
    ("entity_tokens", "expected"),
    [(20.0, 0.0), (24.0, 0.0), (16.0, 0.0), (35.0, 1.0), (5.0, 1.0)],
)
def test_penalty_is_the_distance_from_the_target_beyond_the_margin(
    entity_tokens: float, expected: float
) -> None:
    ratio = EntityRatio(target=0.2, margin=0.05, weight=10.0)
    found = counts(100 - entity_tokens, entity_tokens / 2, entity_tokens / 2)
    penalty = ratio.penalty(found, tokens=100, tagset=TAGS)
    assert penalty.item() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("entity_tokens", "slope"), [(30.0, 0.1), (20.0, 0.0), (10.0, -0.1)]
)
def test_penalty_pulls_towards_the_target(entity_tokens: float, slope: float) -> None:
    ratio = EntityRatio(target=0.2, margin=0.05, weight=10.0)
    found = counts(100 - entity_tokens, entity_tokens)
    ratio.penalty(found, tokens=100, tagset=TAGS).backward()
    assert found.grad is not None
    assert found.grad.tolist() == pytest.approx([0.0, *4 * [slope]])


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (15.0, 5.0, 0.0),
        # As many in all, but not of each type; the margins are 0.03 and 0.01.
        (20.0, 0.0, 10 * (0.05 - 0.03) + 10 * (0.05 - 0.01)),
        (17.0, 3.0, 10 * (0.02 - 0.01)),
        # Too few of one type, and so in all.
        (7.0, 5.0, 10 * (0.08 - 0.04) + 10 * (0.08 - 0.03)),
    ],
)
def test_penalty_of_types_is_added(x: float, y: float, expected: float) -> None:
    ratio = EntityRatio(0.2, margin=0.04, weight=10.0, types={"X": 0.15, "Y": 0.05})
    penalty = ratio.penalty(counts(100 - x - y, x, y), tokens=100, tagset=TAGS)
    assert penalty.item() == pytest.approx(expected, abs=1e-6)


def test_type_without_a_target_is_free() -> None:
    ratio = EntityRatio(0.2, margin=0.0, weight=10.0, types={"X": 0.2})
    penalty = ratio.penalty(counts(80, 20, 0), tokens=100, tagset=TAGS)
    assert penalty.item() == pytest.approx(0.0, abs=1e-6)


def test_target_of_zero_keeps_the_margin() -> None:
    ratio = EntityRatio(target=0.0, margin=0.05, weight=10.0)
    penalty = ratio.penalty(counts(90, 10), tokens=100, tagset=TAGS)
    assert penalty.item() == pytest.approx(0.5)
