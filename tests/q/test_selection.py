import math

import pytest
import torch

from spacy_adak.crf.chain import Chain
from spacy_adak.q.selection import (
    best_path_log_probabilities,
    sample_score,
    select,
)


def test_best_path_has_its_share_of_all_paths() -> None:
    zeros = torch.zeros(2)
    emissions = torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    chain = Chain(emissions, torch.tensor([2]), torch.zeros(2, 2), zeros, zeros)
    paths, log_probabilities = best_path_log_probabilities(chain)
    assert paths.tolist() == [[0, 1]]
    everything = math.exp(1) + math.exp(0), math.exp(0) + math.exp(2)
    expected = math.log(math.exp(3) / (everything[0] * everything[1]))
    assert log_probabilities.item() == pytest.approx(expected)


def test_score_of_a_text_is_the_probability_of_its_reading() -> None:
    assert sample_score(math.log(0.25), 2, per_token=False) == pytest.approx(0.25)


def test_score_per_token_is_the_geometric_mean() -> None:
    assert sample_score(math.log(0.25), 2, per_token=True) == pytest.approx(0.5)


def test_texts_below_the_score_are_left_out() -> None:
    assert select([0.9, 0.1, 0.5, 0.8], 0.5) == [0, 2, 3]


def test_minimum_of_zero_keeps_all() -> None:
    assert select([0.9, 0.0, 0.5], 0.0) == [0, 1, 2]


def test_better_half_is_always_kept() -> None:
    assert select([0.1, 0.4, 0.2, 0.3, 0.0], 0.9) == [1, 2, 3]


def test_score_of_one_token_is_its_probability() -> None:
    assert sample_score(math.log(0.25), 1, per_token=True) == pytest.approx(0.25)
    assert sample_score(0.0, 0, per_token=True) == 1.0
