"""JSON arrays that need not fit into memory, element by element."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from ..errors import Errors
from .files import JSON_DECODER, read_lines
from .summary import Place

_SPACE = re.compile(r"\s*")
_CHUNK = 2**20
# As many characters as a word or an escape of JSON may lack at the end of a chunk.
_LONGEST_CUT = 16


def read_json_array(path: Path, item: str) -> Iterator[tuple[Place, Any]]:
    """Read the elements of a JSON array one by one.

    path (Path): The file.
    item (str): What an element is called, for messages.
    YIELDS (tuple[Place, Any]): The line an element starts on, and the element.
    """
    try:
        # Universal line ends: those of the whole file are counted alike.
        with path.open(encoding="utf-8-sig") as file:
            yield from _ArrayReader(path, file).read(item)
    except UnicodeDecodeError:
        for _ in read_lines(path):  # to tell the line
            pass
        raise


class _ArrayReader:
    """A JSON array that is read as far as it is needed.

    path (Path): The file, for messages.
    file (TextIO): Its text.
    """

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path = path
        self._file = file
        self._text = ""
        self._position = 0
        self._line = 1  # of the character at `_counted`
        self._counted = 0
        self._is_whole = False

    def read(self, item: str) -> Iterator[tuple[Place, Any]]:
        if self._next() != "[":
            raise ValueError(Errors.A306.format(path=self._path))
        self._position += 1
        try:
            is_closed = self._next() == "]"
            number = 0
            while not is_closed:
                self._drop_what_was_read()
                number += 1
                place = Place(self._path, self._count_lines(), f"{item} {number}")
                yield place, self._decode()
                is_closed = self._next() == "]"
                if not is_closed:
                    if self._next() != ",":
                        self._fail("Expecting ',' or ']'")
                    self._position += 1
                    self._next()
            self._position += 1
            if self._next():
                self._fail("Extra data")
        except json.JSONDecodeError as error:
            line = self._count_lines(error.pos)
            raise self._error(line, error.msg) from error
        except (
            ValueError,
            RecursionError,
        ) as error:  # Python reads no number of any size
            if isinstance(error, UnicodeDecodeError):
                raise
            raise self._error(self._line, error) from error

    def _error(self, line: int, why: object) -> ValueError:
        message = Errors.A307.format(path=self._path, line=line, error=why)
        return ValueError(message)

    def _fail(self, why: str) -> None:
        raise json.JSONDecodeError(why, self._text, self._position)

    def _next(self) -> str:
        """The next character that is no space, which is not passed; "" at the end."""
        while True:
            match = _SPACE.match(self._text, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._text) or self._is_whole:
                return self._text[self._position : self._position + 1]
            self._read_on()

    def _decode(self) -> Any:
        while True:
            try:
                value, end = JSON_DECODER.raw_decode(self._text, self._position)
                # A number may go on in the next chunk, as 1 does in 1e+2.
                if end < len(self._text) - 2 or self._is_whole:
                    self._position = end
                    return value
            except json.JSONDecodeError as error:
                is_cut = error.pos >= len(self._text) - _LONGEST_CUT
                is_cut |= error.msg.startswith("Unterminated string")
                if self._is_whole or not is_cut:
                    raise
            self._read_on()

    def _count_lines(self, position: int | None = None) -> int:
        """The line of a position, of the present one if none is given."""
        position = self._position if position is None else position
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position
        return self._line

    def _drop_what_was_read(self) -> None:
        if self._position > _CHUNK:
            self._count_lines()
            self._text = self._text[self._position :]
            self._position = self._counted = 0

    def _read_on(self) -> None:
        # As much again, so that a long element is not begun over and over.
        more = self._file.read(max(_CHUNK, len(self._text) - self._position))
        self._is_whole = not more
        self._text += more
