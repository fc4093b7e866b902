"""PyTorch weights that take part when an optimizer keeps averages."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from thinc.api import Model, PyTorchShim, xp2torch

# Of spacy-transformers by name, and of spacy-curated-transformers by an attribute.
_TRANSFORMER_LISTENER = "transformer-listener"
_CURATED_LISTENER = "_TRANSFORMER_LISTENER"


class AveragedShim(PyTorchShim):
    """Thinc's optimizers keep averages of PyTorch weights too, but its own shim never
    finds them; this one does."""

    @contextmanager
    def use_params(self, params: dict[Any, Any]) -> Iterator[None]:
        """Use other weights for a while.

        params (dict): Arrays by the id of a shim or model, and the name of a parameter.
        """
        weights = dict(self._model.named_parameters())
        own = {name: weight.detach().clone() for name, weight in weights.items()}
        with torch.no_grad():
            for name, weight in weights.items():
                if (self.id, name) in params:
                    weight.copy_(xp2torch(params[self.id, name], device=weight.device))
        try:
            yield
        finally:
            with torch.no_grad():
                for name, weight in weights.items():
                    weight.copy_(own[name])


def keeps_averages(model: Model) -> bool:
    """RETURNS (bool): Whether averages can stand in for all weights that a training of
    the model changes."""
    return not any(
        node.name == _TRANSFORMER_LISTENER
        or _CURATED_LISTENER in node.attrs
        or any(
            isinstance(shim, PyTorchShim) and not isinstance(shim, AveragedShim)
            for shim in node.shims
        )
        for node in model.walk()
    )
