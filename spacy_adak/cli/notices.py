"""Notices of other packages that mean nothing to users, kept off the terminal."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_STDOUT = 1
_VERBOSITY = "TRANSFORMERS_VERBOSITY"


@contextmanager
def without_notices() -> Iterator[None]:
    """Print what Python prints, and nothing that libraries print past it.

    transformers logs that it has "newly initialized" a pooler that nothing uses, and
    tokenizers prints from Rust that the vocabulary "contains holes". Processes that are
    started meanwhile inherit both settings.
    """
    if _VERBOSITY not in os.environ:
        # transformers reads it when it is imported. Commands of other packages may have
        # imported it before.
        os.environ[_VERBOSITY] = "error"
        logging.getLogger("transformers").setLevel(logging.ERROR)
    if sys.stdout is None:  # closed by whoever started the process
        yield
        return
    sys.stdout.flush()
    terminal = os.dup(_STDOUT)
    python_stdout = sys.stdout
    if _writes_to_terminal():
        sys.stdout = open(  # noqa: SIM115
            terminal,
            "w",
            encoding=python_stdout.encoding,
            errors=python_stdout.errors,
            buffering=1 if python_stdout.isatty() else -1,
            closefd=False,
        )
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, _STDOUT)
    os.close(nowhere)
    try:
        yield
    finally:
        try:
            sys.stdout.flush()
        finally:
            os.dup2(terminal, _STDOUT)
            sys.stdout = python_stdout
            os.close(terminal)


def _writes_to_terminal() -> bool:
    """Whether sys.stdout is that of the process. A notebook or a test has its own."""
    try:
        return sys.stdout.fileno() == _STDOUT
    except (OSError, ValueError):
        return False
