from typing import ClassVar

import pytest
from pydantic import ValidationError

from spacy_adak.q.settings_block import Block


class Drink(Block):
    CHOICE: ClassVar[str | None] = "kind"
    APPLY_TO: ClassVar[dict[str, tuple[str, ...]]] = {"milk": ("tea", "coffee")}

    kind: str = "tea"
    milk: bool = False
    cups: int = 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, {"kind": "tea", "milk": False, "cups": 1}),
        ({"kind": "coffee"}, {"milk": False, "cups": 1}),
        ({"kind": "water"}, {"cups": 1}),
        ({"kind": "tea", "milk": True}, {"cups": 1}),
    ],
)
def test_defaults_are_those_that_apply_to_the_choice(
    given: dict[str, object], expected: dict[str, object]
) -> None:
    assert Drink.defaults(given) == expected


def test_setting_that_does_not_apply_to_the_choice_is_an_error() -> None:
    assert Drink(kind="coffee", milk=True).milk
    with pytest.raises(ValidationError, match='milk applies to kind = "tea" or "coff'):
        Drink(kind="water", milk=False)


def test_unknown_settings_and_values_of_another_type_are_errors() -> None:
    with pytest.raises(ValidationError, match="sugar"):
        Drink(sugar=1)  # type: ignore[call-arg]
    with pytest.raises(ValidationError, match="cups"):
        Drink(cups="2")  # type: ignore[arg-type]
