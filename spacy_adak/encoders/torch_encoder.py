"""A network in PyTorch as `encode` of a `spacy.Tok2Vec.v2`, over rows of any width."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, cast

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from thinc.api import ArgsKwargs, Model, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn

from ..errors import Errors
from .averaged_shim import AveragedShim

Rows = list[Floats2d]
_NOT_KNOWN_YET = 1  # the width of the input; torch refuses 0


class Network(nn.Module):
    """A network over the tokens of several texts, one after the other: called with
    (tokens, n_inputs) rows, the lengths of the texts, and the rate of dropout, it
    returns (tokens, width) rows."""

    # The name of a weight whose second dimension is the width of the input.
    INPUT_WEIGHT: ClassVar[str]


BuildNetwork = Callable[[int], Network]


def torch_encoder(name: str, build: BuildNetwork, width: int) -> Model[Rows, Rows]:
    """Wrap a network for Thinc. The width of its input is that of the first rows it is
    initialized with.

    name (str): The name of the model.
    build (BuildNetwork): Makes the network for a width of the input; can be pickled.
    width (int): The width of the output.
    RETURNS (Model[List[Floats2d], List[Floats2d]]): The model.
    """
    return Model(
        name,
        _forward,
        init=partial(_initialize, build),
        dims={"nI": None, "nO": width},
        attrs={"dropout_rate": 0.0},
        shims=[_shim(build, _NOT_KNOWN_YET)],
    )


def _shim(build: BuildNetwork, n_inputs: int) -> AveragedShim:
    return AveragedShim(
        build(n_inputs),
        serialize_model=serialize_network,
        deserialize_model=partial(deserialize_network, build),
    )


def _initialize(
    build: BuildNetwork, model: Model, X: Rows | None = None, Y: Any = None
) -> None:
    filled = [rows for rows in X or [] if len(rows)]
    if filled:
        n_inputs = filled[0].shape[1]
        model.set_dim("nI", n_inputs, force=True)
        model.shims[:] = [_shim(build, n_inputs)]


def _forward(
    model: Model[Rows, Rows], rows_per_doc: Rows, is_train: bool
) -> tuple[Rows, Callable[[Rows], Rows]]:
    # Encoders give documents without tokens arrays of any width.
    filled = [rows for rows in rows_per_doc if len(rows)]
    if not filled:
        nothing = [model.ops.alloc2f(0, model.get_dim("nO")) for _ in rows_per_doc]
        return nothing, lambda d_encoded: rows_per_doc
    rows = _join(filled).requires_grad_(is_train)
    lengths = [len(rows) for rows in filled]
    dropout = model.attrs["dropout_rate"] if is_train else 0.0
    inputs = ArgsKwargs(args=(rows, lengths, dropout), kwargs={})
    output, torch_backprop = model.shims[0](inputs, is_train)

    def spread(values: Tensor) -> Rows:
        """Give each document its rows."""
        parts = values.split([len(rows) for rows in rows_per_doc])
        return [cast(Floats2d, torch2xp(part)) for part in parts]

    def backprop(d_encoded: Rows) -> Rows:
        d_output = _join([d_rows for d_rows in d_encoded if len(d_rows)])
        torch_backprop(ArgsKwargs(args=(output,), kwargs={"grad_tensors": d_output}))
        return spread(cast(Tensor, rows.grad))

    return spread(output.detach()), backprop


def _join(rows_per_doc: Rows) -> Tensor:
    return torch.cat([xp2torch(rows) for rows in rows_per_doc])


def serialize_network(network: Network) -> bytes:
    """Write the weights as safetensors."""
    return save(network.state_dict())


def deserialize_network(
    build: BuildNetwork, network: Network, data: bytes, device: torch.device
) -> Network:
    """Build a network from what `serialize_network` wrote; nothing in it is executed.

    build (BuildNetwork): Makes the network for a width of the input.
    network (Network): One whose input may have another width.
    data (bytes): The file.
    device (torch.device): Where the weights go.
    RETURNS (Network): A new network.
    """
    try:
        weights = load(data)
        new_network = build(weights[network.INPUT_WEIGHT].size(1))
        new_network.load_state_dict(weights)
    except (SafetensorError, LookupError, RuntimeError) as error:
        raise ValueError(Errors.A131.format(error=error)) from error
    return new_network.to(device)
