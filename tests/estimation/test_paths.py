import numpy
import pytest
import torch

from spacy_adak.crf.chain import Chain, path_scores
from spacy_adak.crf.lattice import log_partition, marginals
from spacy_adak.estimation.paths import at_temperature, best_paths, log_marginals


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


def test_soft_q_is_the_log_of_the_marginals(chain: Chain) -> None:
    torch.testing.assert_close(log_marginals(chain).exp(), marginals(chain))


def scaled(chain: Chain, temperature: float) -> Chain:
    def scale(scores: torch.Tensor) -> torch.Tensor:
        array = at_temperature(scores - scores.max(), temperature)
        return torch.from_numpy(array.astype("float16").astype("float64"))

    return Chain(scale(chain.emissions), chain.lengths, *map(scale, chain[2:]))


@pytest.mark.parametrize("temperature", [0.01, 0.001])
def test_low_temperature_leaves_the_best_path_alone(
    chain: Chain, temperature: float
) -> None:
    cold = scaled(chain, temperature)
    best = path_scores(cold, best_paths(chain).unsqueeze(1)).squeeze(1)
    share = (best - log_partition(cold)).exp()
    torch.testing.assert_close(share, torch.ones_like(share), atol=0.01, rtol=0)


def test_temperature_of_one_is_the_model_itself(chain: Chain) -> None:
    torch.testing.assert_close(
        marginals(scaled(chain, 1.0)), marginals(chain), atol=0.01, rtol=0
    )


def test_what_is_allowed_stays_allowed_at_any_temperature() -> None:
    scores = at_temperature(torch.tensor([0.0, -9.0, -torch.inf]), 1e-6)
    half = scores.astype("float16")
    assert numpy.isfinite(half).tolist() == [True, True, False]
