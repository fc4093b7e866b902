"""What a check of data finds."""

from typing import Any, Literal, NamedTuple

Level = Literal["info", "warning", "error"]
# How many examples of a finding are told.
EXAMPLES = 5


class Finding(NamedTuple):
    """A finding about the data.

    name (str): An identifier for programs.
    level (str): "error" if training would fail or learn something wrong, "warning" if
        it may make training worse, else "info".
    message (str): What was found, with numbers, and what to do about it.
    numbers (dict[str, Any]): The same for programs.
    """

    name: str
    level: Level
    message: str
    numbers: dict[str, Any]
