"""What makes a recipe: what is learnt from, how trainings go, and the outer loop."""

from typing import NamedTuple


class Method(NamedTuple):
    """The parts of a config in which recipes differ.

    loss (str): The loss of the component.
    length (str): How long trainings are, in `[training]`.
    steps (str): Batches and optimizer.
    adak (str): The outer loop.
    """

    loss: str
    length: str
    steps: str
    adak: str
