"""What a command prints of warnings, and of notices that mean nothing to users."""

import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wasabi import msg

_STDOUT = 1
_VERBOSITY = "TRANSFORMERS_VERBOSITY"


@contextmanager
def without_notices() -> Iterator[None]:
    """Print warnings of this package as messages, and no notices of other packages."""
    with _warnings_as_messages(), _quiet_transformers(), _only_what_python_prints():
        yield


@contextmanager
def _warnings_as_messages() -> Iterator[None]:
    with warnings.catch_warnings():
        default = warnings.showwarning

        def show(message: Warning | str, *args: Any, **kwargs: Any) -> None:
            if str(message).startswith("[W"):
                msg.warn(str(message))
            else:
                default(message, *args, **kwargs)

        warnings.showwarning = show
        warnings.filterwarnings("always", message=r"\[W\d")
        yield


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Log only errors of transformers, which reports a "newly initialized" pooler that
    nothing uses. Processes that are started meanwhile inherit the setting."""
    if _VERBOSITY in os.environ:
        yield
        return
    # It reads the variable when it is imported. Commands of other packages may have
    # imported it before.
    logger = logging.getLogger("transformers")
    level = logger.level
    os.environ[_VERBOSITY] = "error"
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
        os.environ.pop(_VERBOSITY, None)


@contextmanager
def _only_what_python_prints() -> Iterator[None]:
    """Print what Python prints, and nothing that libraries print past it: tokenizers
    prints from Rust that the vocabulary "contains holes". Processes that are started
    meanwhile inherit that."""
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
