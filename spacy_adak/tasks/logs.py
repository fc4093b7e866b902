"""What spaCy logs and prints, in a file instead of the terminal."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from spacy.util import logger as spacy_logger

_NO_COLOURS = "ANSI_COLORS_DISABLED"


@contextmanager
def logging_to(stream: IO[str]) -> Iterator[None]:
    """Send what spaCy logs to a stream instead of the terminal, without colours.

    stream (IO[str]): The stream.
    """
    handlers = spacy_logger.handlers[:]
    spacy_logger.handlers[:] = [logging.StreamHandler(stream)]
    colours_disabled = os.environ.get(_NO_COLOURS)
    os.environ[_NO_COLOURS] = "1"
    try:
        yield
    finally:
        spacy_logger.handlers[:] = handlers
        if colours_disabled is None:
            del os.environ[_NO_COLOURS]
        else:
            os.environ[_NO_COLOURS] = colours_disabled
