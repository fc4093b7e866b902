"""The weights of the CRF, which may learn faster than the encoder under it."""

from functools import partial
from typing import Any, cast

from thinc.api import Optimizer

from ..encoders.averaged_shim import AveragedShim


class HeadShim(AveragedShim):
    """Multiplies the learning rate of an optimizer for the weights that it holds.

    The optimizer clips the gradient of each array of weights on its own, so that the
    gradient of the CRF, however long it is, leaves that of the encoder alone.

    learn_rate_factor (float): The factor.
    """

    def __init__(self, *args: Any, learn_rate_factor: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.learn_rate_factor = learn_rate_factor

    def finish_update(self, optimizer: Optimizer) -> None:
        """Update the weights with their gradients.

        optimizer (Optimizer): The optimizer.
        """
        scaled = partial(optimizer, lr_scale=self.learn_rate_factor)
        super().finish_update(cast(Optimizer, scaled))
