"""The page of results with label sets and guesses."""

from typing import Any

import pytest

from scripts.experiments import guessers, label_sets
from scripts.experiments.evidence_report import (
    Goal,
    goals_of_guessers,
    goals_of_label_sets,
)


def f1(value: float) -> dict[str, Any]:
    return {"test": {"f": value / 100}}


def test_one_model_is_compared_with_the_others_of_its_cell() -> None:
    def cell(variant: str, ratio: float, seed: int = 0) -> label_sets.Cell:
        return label_sets.Cell("youku", variant, ratio, seed, 2000)

    results = {
        cell("crf", 1.0): f1(80),
        cell("one-model", 0.4): f1(76),
        cell("rest-as-O", 0.4): f1(20),
        cell("side-by-side", 0.4): f1(77),
        cell("side-by-side", 0.4, seed=1): f1(10),
    }
    goals = list(goals_of_label_sets(results))
    assert [goal.value for goal in goals] == pytest.approx([95, 56, -1])
    assert [goal.least for goal in goals] == [97, 10, 0]
    outcomes = [goal.describe()[3] for goal in goals]
    assert outcomes == ["missed by 2.0", "met", "missed by 1.0"]


def test_models_are_compared_with_those_that_were_trained_as_long() -> None:
    def cell(variant: str, epochs: int | None) -> label_sets.Cell:
        return label_sets.Cell("youku", variant, 1.0, 0, 1000, epochs)

    results = {
        cell("crf", None): f1(70),
        cell("crf", 15): f1(80),
        cell("one-model", 15): f1(76),
    }
    (goal,) = goals_of_label_sets(results)
    assert goal.what.startswith("Youku, 1,000 texts, 15 epochs, ρ = 1, seed 0: ")
    assert goal.value == pytest.approx(95)


def test_gain_of_a_guesser_is_the_mean_over_seeds_that_have_both() -> None:
    def cell(guesser: str, seed: int) -> guessers.Cell:
        return guessers.Cell("youku", 0.2, guesser, seed, None)

    results = {
        cell("none", 0): f1(60),
        cell("none", 1): f1(62),
        cell("random", 0): f1(59.7),
        cell("random", 1): f1(61.9),
        cell("random", 2): f1(10),
        cell("noisy", 2): f1(70),
    }
    (goal,) = goals_of_guessers(results)
    assert goal.what == "Youku, all texts: gain by random, mean of 2 seeds"
    assert goal.value == pytest.approx(-0.2)


def test_goal_is_met_at_its_bound() -> None:
    assert Goal("gain", -0.2, -0.2).describe()[3] == "met"
