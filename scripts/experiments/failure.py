"""What is wrong with a command, for people."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from wasabi import msg


@contextmanager
def told_without_traceback() -> Iterator[None]:
    """Print what a `ValueError` says, and exit with 1."""
    try:
        yield
    except ValueError as error:
        msg.fail(str(error))
        sys.exit(1)
