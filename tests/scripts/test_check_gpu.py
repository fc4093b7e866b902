"""The check that users run on their GPU, here on the CPU."""

import math

import pytest
import torch

from scripts.check_gpu import Check, describe, largest_difference, main


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_check_passes_on_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--device", "cpu", "--sentences", "60", "--steps", "25"])
    printed = capsys.readouterr().out
    table = printed[printed.index("| check_gpu") :]
    assert "| result | passed |" in table
    assert "| device | cpu" in table
    assert "words per second" in table
    assert "in 0 entities" not in table


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_machine_without_a_gpu_is_told_of_the_cpu(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "--device cpu" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("here", "there", "difference"),
    [
        ([{"a": 0.5}, {}], [{"a": 0.5}, {}], 0.0),
        ([{"a": 0.5, "b": 0.25}], [{"a": 0.5, "b": 0.5}], 0.25),
        ([{"a": 0.5}], [{"b": 0.5}], math.inf),
    ],
)
def test_difference_of_predictions(
    here: list[dict[str, float]], there: list[dict[str, float]], difference: float
) -> None:
    assert largest_difference(here, there) == difference


@pytest.mark.parametrize(("difference", "entities"), [(0.01, 5), (0.0, 0)])
def test_check_that_fails(difference: float, entities: int) -> None:
    check = Check(1000.0, None, difference, entities)
    assert "**FAILED**" in describe(check, "cpu", None, 1.0)
