"""A learning rate that falls as a training goes on, however long it will be."""

from collections.abc import Iterator
from itertools import count

from spacy.util import registry
from thinc.api import Config

from ..pipeline.rules import SHARE, Rule, check_values

_NAME = "spacy-adak.LinearDecay.v1"
_PART = Rule(
    lambda value: SHARE.is_valid(value) and value < 1, "a share from 0 to below 1"
)


@registry.schedules(_NAME)
def linear_decay(
    initial_rate: float, total_steps: int | None = None, warmup: float = 0.0
) -> Iterator[float]:
    """A learning rate that falls linearly to zero at the end of a training.

    initial_rate (float): The initial rate.
    total_steps (Optional[int]): The step at which the rate reaches zero. `adak train`
        sets it to the length of each training. With null the rate is constant.
    warmup (float): The share of the steps in which the rate first rises from zero.
    RETURNS (Iterator[float]): The rate of each step.
    """
    check_values(_NAME, {"warmup": warmup}, {"warmup": _PART})
    return _rates(initial_rate, total_steps, warmup)


def _rates(
    initial_rate: float, total_steps: int | None, warmup: float
) -> Iterator[float]:
    for step in count():
        if total_steps is None:
            yield initial_rate
            continue
        done = step / total_steps
        # The first step is not lost, as it would be at a rate of zero.
        risen = (step + 1) / (warmup * total_steps) if warmup else 1.0
        left = (1.0 - done) / (1.0 - warmup)
        yield initial_rate * max(0.0, min(risen, left, 1.0))


def set_total_steps(config: Config, total_steps: int) -> None:
    """Set the step at which a falling learning rate reaches zero.

    config (Config): The config of a training, which is changed.
    total_steps (int): How many steps the training will have.
    """
    rate = config["training"]["optimizer"].get("learn_rate")
    if isinstance(rate, dict) and rate.get("@schedules") == _NAME:
        rate["total_steps"] = rate.get("total_steps") or total_steps
