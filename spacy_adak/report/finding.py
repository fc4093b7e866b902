"""What a check of data finds."""

from typing import Any, Literal, NamedTuple

Level = Literal["info", "warning", "error"]
# How many examples of a finding are told.
EXAMPLES = 5


class Finding(NamedTuple):
    """Something that was found.

    name (str): What it is about, for programs.
    level (str): "error" if a training would fail or learn something wrong, "warning" if
        it may be worse for it, else "info".
    message (str): A sentence with numbers, and what to do about it.
    numbers (dict[str, Any]): The same for programs.
    """

    name: str
    level: Level
    message: str
    numbers: dict[str, Any]
