"""What the values of settings may be, and the error for those that make no sense."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, NamedTuple

from ..errors import Errors


class Rule(NamedTuple):
    """What the value of a setting may be.

    is_valid (Callable): Whether a value is.
    expected (str): What to say of values that are.
    """

    is_valid: Callable[[Any], bool]
    expected: str

    def or_none(self) -> "Rule":
        """RETURNS (Rule): The same, but for null, which is valid."""
        return Rule(
            lambda value: value is None or self.is_valid(value),
            f"{self.expected}, or null",
        )


def _lies_between(value: object, lowest: float, highest: float) -> bool:
    # A number in quotes passes the checks of the config and stays a string.
    return isinstance(value, int | float) and lowest <= value <= highest


POSITIVE = Rule(
    lambda value: isinstance(value, int) and value >= 1, "a whole number above 0"
)
NOT_NEGATIVE = Rule(lambda value: _lies_between(value, 0, inf), "a number not below 0")
ABOVE_ZERO = Rule(
    lambda value: NOT_NEGATIVE.is_valid(value) and value > 0, "a number above 0"
)
SHARE = Rule(lambda value: _lies_between(value, 0, 1), "a share from 0 to 1")
PROBABILITY = Rule(SHARE.is_valid, "a probability from 0 to 1")


def one_of(choices: tuple[Any, ...]) -> Rule:
    """RETURNS (Rule): That a value is one of these."""
    return Rule(lambda value: value in choices, " or ".join(choices))


def check_values(
    where: str, settings: Mapping[str, Any], rules: Mapping[str, Rule]
) -> None:
    """Raise an error for the first setting with a value that makes no sense.

    where (str): What has the settings, for messages.
    settings (Mapping[str, Any]): The settings, among other things.
    rules (Mapping[str, Rule]): What they may be.
    """
    for setting, (is_valid, expected) in rules.items():
        value = settings[setting]
        if not is_valid(value):
            raise ValueError(
                Errors.A104.format(
                    value=value, setting=setting, where=where, expected=expected
                )
            )
