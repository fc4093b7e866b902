import numpy
import pytest
import torch

from spacy_adak.crf.chain import Chain, path_scores
from spacy_adak.crf.lattice import log_partition, marginals
from spacy_adak.q.modes import best_paths, chain_of_q, fit_float16


@pytest.fixture
def chain() -> Chain:
    generator = torch.Generator().manual_seed(0)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator)

    return Chain(random(2, 4, 3), torch.tensor([4, 3]), random(3, 3), *random(2, 3))


def test_hard_q_is_the_best_of_all_paths(chain: Chain) -> None:
    every = torch.cartesian_prod(*[torch.arange(3)] * 4).expand(2, -1, -1)
    best = path_scores(chain, every).max(1).values
    found = path_scores(chain, best_paths(chain).unsqueeze(1)).squeeze(1)
    torch.testing.assert_close(found, best)


def everything(chain: Chain) -> torch.Tensor:
    return torch.ones_like(chain.emissions, dtype=torch.bool)


def nothing(chain: Chain) -> torch.Tensor:
    return torch.zeros_like(chain.emissions)


def test_hard_q_is_no_chain(chain: Chain) -> None:
    assert chain_of_q(chain, everything(chain), nothing(chain), "hard", 1.0) is None


def test_soft_q_is_the_log_of_the_marginals(chain: Chain) -> None:
    q = chain_of_q(chain, everything(chain), nothing(chain), "soft", 1.0)
    assert q is not None
    torch.testing.assert_close(q.emissions.exp(), marginals(chain))
    assert not q.transitions.any()


def test_soft_q_is_that_of_model_and_annotation_together(chain: Chain) -> None:
    likelihood = torch.linspace(-3.0, 0.0, chain.emissions.numel(), dtype=torch.float64)
    likelihood = likelihood.view_as(chain.emissions)
    q = chain_of_q(chain, everything(chain), likelihood, "soft", 1.0)
    assert q is not None
    # All paths of the first sentence.
    every = torch.cartesian_prod(*[torch.arange(3)] * 4)
    scores = path_scores(chain, every.expand(2, -1, -1))[0]
    p = (scores + likelihood[0].gather(1, every.t()).sum(0)).softmax(0)
    expected = [((every == tag) * p.unsqueeze(1)).sum(0) for tag in range(3)]
    torch.testing.assert_close(q.emissions[0].exp(), torch.stack(expected, 1))


def stored(chain: Chain, temperature: float) -> Chain:
    """Interpolated q, as it is kept."""
    q = chain_of_q(
        chain, everything(chain), nothing(chain), "interpolated", temperature
    )
    assert q is not None

    def store(scores: torch.Tensor) -> torch.Tensor:
        array = fit_float16(scores - scores.max())
        return torch.from_numpy(array.astype("float16").astype("float64"))

    return Chain(store(q.emissions), q.lengths, *map(store, q[2:]))


@pytest.mark.parametrize("temperature", [0.01, 0.001])
def test_low_temperature_leaves_the_best_path_alone(
    chain: Chain, temperature: float
) -> None:
    cold = stored(chain, temperature)
    best = path_scores(cold, best_paths(chain).unsqueeze(1)).squeeze(1)
    share = (best - log_partition(cold)).exp()
    torch.testing.assert_close(share, torch.ones_like(share), atol=0.01, rtol=0)


def test_temperature_of_one_is_the_model_itself(chain: Chain) -> None:
    torch.testing.assert_close(
        marginals(stored(chain, 1.0)), marginals(chain), atol=0.01, rtol=0
    )


def test_what_is_allowed_stays_allowed_in_float16() -> None:
    scores = fit_float16(torch.tensor([0.0, -9e6, -torch.inf]))
    half = scores.astype("float16")
    assert numpy.isfinite(half).tolist() == [True, True, False]
