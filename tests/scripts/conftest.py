from collections.abc import Callable
from typing import Any

import pytest

from scripts.experiments.cells import Cell
from scripts.experiments.encoder import Encoder
from scripts.experiments.results import Row, make_row


@pytest.fixture
def result() -> Callable[..., Row]:
    """Make the result of a cell."""

    def make(cell: Cell, p: float, r: float, **changes: Any) -> Row:
        scores = {"p": p, "r": r, "f": 2 * p * r / (p + r)}
        row = make_row(
            cell,
            encoder=Encoder("some encoder", is_frozen=False),
            settings={},
            scores={"dev": scores, "test": scores},
            rounds=2,
            trainings=6,
            seconds=60.0,
            resumed=False,
        )
        return {**row, **changes}

    return make


@pytest.fixture
def no_swapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail at the moment when a file that is whole would take its place."""

    def fail(source: object, target: object) -> None:
        raise OSError("stopped")

    monkeypatch.setattr("os.replace", fail)
