"""Ctrl-C, which may be pressed more than once."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def noted_interrupts() -> Iterator[list[int]]:
    """Note each Ctrl-C, so that a second one can be told from the first while what the
    first has interrupted still ends.

    YIELDS (list[int]): The signals so far.
    """
    noted: list[int] = []
    default = signal.getsignal(signal.SIGINT)
    if default is not signal.default_int_handler:
        # Ignored, as in the background of a shell, or none of our business.
        yield noted
        return

    def note(number: int, frame: Any) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, default)


def is_terminal() -> bool:
    """RETURNS (bool): Whether a person can answer a question."""
    return sys.stdin.isatty() and sys.stderr.isatty()
