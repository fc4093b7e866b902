"""Work that is done before a process is forked, so that the result is shared.

A forked process shares the memory of its parent. Weights are packed when they are first
used. If that is after the fork, each process of `nlp.pipe(n_process=...)` has packed
weights of its own.
"""

import os
from typing import Protocol
from weakref import WeakSet

import torch


class Packs(Protocol):
    """Something with weights to pack."""

    def pack(self) -> None:
        """Pack them."""


_waiting: WeakSet[Packs] = WeakSet()


def pack_before_fork(owner: Packs) -> None:
    """Pack weights once, when a process is about to be forked.

    owner (Packs): What has the weights. It is forgotten when nothing else holds it.
    """
    _waiting.add(owner)


def _pack_all() -> None:
    owners = list(_waiting)
    if not owners:
        return
    _waiting.clear()
    # Threads of the parent are missing in a forked process, which would wait for them.
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for owner in owners:
            owner.pack()
    finally:
        torch.set_num_threads(n_threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pack_all)
