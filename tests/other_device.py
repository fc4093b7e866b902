"""A device that is not the CPU, on machines that have no other.

Its tensors say that they are on the device "meta". Their numbers are kept in memory, so
that results can be compared. What a GPU would not do is an error: to compute with
tensors of both devices, or to look into a tensor from NumPy.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

from spacy_adak.pipeline import adak_ner
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.model import get_head, predict_scores

DEVICE = torch.device("meta")
_aten: Any = torch.ops.aten
# They take an index or a copy from the CPU, on GPUs too.
_TAKE_BOTH = (_aten.copy_, _aten.index, _aten.index_put, _aten.index_put_)


class _OnDevice(Tensor):
    """A tensor on the other device.

    numbers (Tensor): What is in it.
    """

    numbers: Tensor
    # What looks into a tensor from Python works on GPUs, too.
    tolist: Any = lambda self: self.numbers.tolist()
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, numbers: Tensor) -> "_OnDevice":
        made = Tensor._make_wrapper_subclass(
            cls,
            numbers.size(),
            strides=numbers.stride(),
            storage_offset=numbers.storage_offset(),
            dtype=numbers.dtype,
            device=DEVICE,
        )
        made.numbers = numbers
        return made

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


class _OtherDevice(TorchDispatchMode):
    """Has tensors made on the other device where this is asked for."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _run(func, args, kwargs or {})


def _run(func: Any, args: Any, kwargs: Any) -> Any:
    given, _ = tree_flatten((args, kwargs))
    tensors = [x for x in given if isinstance(x, Tensor)]
    ours = [x for x in tensors if isinstance(x, _OnDevice)]
    others = [x for x in tensors if not isinstance(x, _OnDevice) and x.dim()]
    if ours and others and func.overloadpacket not in _TAKE_BOTH:
        raise AssertionError(f"{func} gets tensors of two devices")
    device = kwargs.get("device")
    is_ours = bool(ours) if device is None else torch.device(device) == DEVICE
    if device is not None:
        kwargs = {**kwargs, "device": "cpu"}
    # What is computed in place is what was given.
    wrappers = {id(x.numbers): x for x in ours}
    plain_args, plain_kwargs = tree_map(
        lambda x: x.numbers if isinstance(x, _OnDevice) else x, (args, kwargs)
    )
    # A wrapper can't be made in inference mode.
    with torch.inference_mode(mode=False), torch.no_grad():
        result = func(*plain_args, **plain_kwargs)
        return _put(result, wrappers) if is_ours else result


def _put(result: Any, wrappers: dict[int, _OnDevice]) -> Any:
    def put(value: Any) -> Any:
        if type(value) is not Tensor:
            return value
        found = wrappers.get(id(value))
        return _OnDevice(value) if found is None else found

    return tree_map(put, result)


@contextmanager
def other_device() -> Iterator[Callable[[Tensor], Tensor]]:
    """YIELDS (Callable[[Tensor], Tensor]): Puts a tensor on the other device, out of
    reach of autograd."""
    with _OtherDevice():
        yield lambda tensor: tensor.detach().to(DEVICE)


@contextmanager
def head_on_other_device(ner: AdaKRecognizer) -> Iterator[None]:
    """Have all that a component says of texts be on the other device, while encoder and
    weights stay where they are.

    ner (AdaKRecognizer): The component.
    """
    head = get_head(ner.model)
    here = dict(head.named_buffers())

    def have(constants: dict[str, Tensor]) -> None:
        for name, constant in constants.items():
            setattr(head, name, constant)

    with other_device() as put, pytest.MonkeyPatch.context() as patch:
        there = {name: put(constant) for name, constant in here.items()}

        def predict_there(*given: Any) -> TagScores:
            have(here)
            scores = predict_scores(*given)
            have(there)
            return TagScores(*map(put, scores))

        patch.setattr(adak_ner, "predict_scores", predict_there)
        try:
            have(there)
            yield
        finally:
            have(here)
