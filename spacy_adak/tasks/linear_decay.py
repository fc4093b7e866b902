"""A learning rate that falls as a training goes on, however long it will be."""

from collections.abc import Iterator
from itertools import count

from spacy.util import registry
from thinc.api import Config

_NAME = "spacy-adak.LinearDecay.v1"


@registry.schedules(_NAME)
def linear_decay(
    initial_rate: float, total_steps: int | None = None
) -> Iterator[float]:
    """A rate that falls in a straight line, to nothing at the end of a training.

    initial_rate (float): The first rate.
    total_steps (Optional[int]): When it has fallen to nothing. `adak train` sets it to
        the length of each training; without it the rate stays what it is.
    YIELDS (float): The rate of the next step.
    """
    for step in count():
        done = step / total_steps if total_steps is not None else 0.0
        yield initial_rate * max(0.0, 1.0 - done)


def set_total_steps(config: Config, total_steps: int) -> None:
    """Tell a learning rate that falls when it has to arrive.

    config (Config): The config of a training, which is changed.
    total_steps (int): How many steps the training will have.
    """
    rate = config["training"]["optimizer"].get("learn_rate")
    if isinstance(rate, dict) and rate.get("@schedules") == _NAME:
        rate["total_steps"] = rate.get("total_steps") or total_steps
