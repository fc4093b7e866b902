"""A block of settings of which some apply to one choice only."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator


class Block(BaseModel):
    """The base of all blocks."""

    model_config = ConfigDict(strict=True, extra="forbid")

    # The setting that chooses, and which others apply to which choice. Settings that
    # are not here always apply.
    CHOICE: ClassVar[str | None] = None
    APPLY_TO: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @classmethod
    def applicable(cls, choice: object) -> list[str]:
        """RETURNS (list[str]): The settings that a block with a choice may have.

        choice (object): The value of the setting that chooses.
        """
        return [
            name
            for name in cls.model_fields
            if name not in cls.APPLY_TO or choice in cls.APPLY_TO[name]
        ]

    @classmethod
    def defaults(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The settings of a block that are not given.

        given (Mapping[str, Any]): Those that are.
        """
        choice = None
        if cls.CHOICE is not None:
            choice = given.get(cls.CHOICE, cls.model_fields[cls.CHOICE].default)
        return {
            name: cls.model_fields[name].default
            for name in cls.applicable(choice)
            if name not in given
        }

    @model_validator(mode="after")
    def _all_apply(self) -> "Block":
        for name in self.model_fields_set & self.APPLY_TO.keys():
            assert self.CHOICE is not None
            if getattr(self, self.CHOICE) not in self.APPLY_TO[name]:
                choices = " or ".join(f'"{value}"' for value in self.APPLY_TO[name])
                raise ValueError(f"{name} applies to {self.CHOICE} = {choices} only")
        return self
