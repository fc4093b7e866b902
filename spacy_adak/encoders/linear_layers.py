"""Linear layers of a network that is never trained, with weights laid out in advance.

On CPUs with AVX-512 oneDNN multiplies such weights up to twice as fast as what torch
calls by itself, and 8-bit weights several times as fast. The network stays as it is.
"""

import warnings
from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.nn.functional import linear
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakTensorKeyDictionary

_Apply = Callable[[Tensor], Tensor]


class PackedLinearLayers(TorchFunctionMode):
    """While it is entered, linear layers use packed weights. Those of a layer are
    packed when it is first used, and again when they have changed.

    reduced (bool): Whether weights and what they are multiplied by are rounded to 8
        bits.
    """

    _has_onednn: ClassVar[bool] = torch.backends.mkldnn.is_available() and hasattr(
        torch.ops.mkldnn, "_linear_pointwise"
    )

    def __init__(self, reduced: bool) -> None:
        super().__init__()
        self._pack = _pack_8_bit if reduced else _pack
        self._packed: MutableMapping[Tensor, tuple[int, _Apply]] = (
            WeakTensorKeyDictionary()
        )
        self._is_used = reduced or self._has_onednn

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func is linear and self._is_used and not kwargs and _is_plain(args[0]):
            return self._apply(*args)
        return func(*args, **(kwargs or {}))

    def _apply(self, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        version, apply = self._packed.get(weight, (None, None))
        if apply is None or version != weight._version:
            apply = self._pack(weight.detach(), None if bias is None else bias.detach())
            self._packed[weight] = weight._version, apply
        return apply(x)


def _is_plain(x: Tensor) -> bool:
    return x.device.type == "cpu" and x.dtype == torch.float32


def _pack(weight: Tensor, bias: Tensor | None) -> _Apply:
    packed = torch.ops.mkldnn._reorder_linear_weight(weight)

    def apply(x: Tensor) -> Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, packed, bias, "none", [], "")

    return apply


def _pack_8_bit(weight: Tensor, bias: Tensor | None) -> _Apply:
    # One scale for each row, as torch's own dynamic quantization has it.
    scales = weight.abs().amax(1).clamp_min(torch.finfo(weight.dtype).tiny) / 127
    zeros = torch.zeros_like(scales, dtype=torch.long)
    with warnings.catch_warnings():
        # torch means to replace these tensors, and has nothing yet to replace them by.
        warnings.filterwarnings("ignore", message=".*quantize.*deprecated")
        rounded = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
    packed = torch.ops.quantized.linear_prepack(rounded, bias)

    def apply(x: Tensor) -> Tensor:
        # A reduced range does not overflow on CPUs without VNNI.
        return torch.ops.quantized.linear_dynamic(x, packed, reduce_range=True)

    return apply
