"""Decisions that a person made about suggestions, one a line, in their order.

    {"scope": "form", "answer": "accept", "form": "Acme", "label": "ORG",
     "kind": "missed"}
    {"scope": "place", "answer": "reject", "text": "Acme hired Ann.", "start": 0,
     "end": 4, "label": "ORG", "form": "Acme", "kind": "missed"}

A later decision about the same thing replaces an earlier one, and one about a place
wins over one about its form. Where the type or a bound was changed, "suggested" has
what it was. About a doubtful annotation, "accept" says that it is right.
"""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, model_validator

from .suggestions import Count, Kind, Record, String, SuggestedSpan, read_objects
from .summary import Summary

Answer = Literal["accept", "reject", "ignore"]


class _Decision(Record):
    answer: Answer
    form: String
    label: String
    kind: Kind = "missed"
    seconds: float | None = Field(None, ge=0, allow_inf_nan=False)


class SuggestedLabel(Record):
    """The label that was suggested for a form."""

    label: String


class FormDecision(_Decision):
    """A decision about all places of a form.

    answer (Answer): "accept", "reject" or "ignore".
    form (str): The string.
    label (str): The type that was decided on.
    kind (Kind): What was suggested: "missed" or "doubtful".
    seconds (float | None): How long it took.
    suggested (SuggestedLabel | None): The type that was suggested, if another one.
    """

    scope: Literal["form"]
    suggested: SuggestedLabel | None = None


class PlaceDecision(_Decision):
    """A decision about one place.

    answer (Answer): "accept", "reject" or "ignore".
    text (str): The text.
    start (int): The first character of the span that was decided on.
    end (int): The one after its last character.
    form (str): The string of the span.
    label (str): The type that was decided on.
    kind (Kind): What was suggested: "missed" or "doubtful".
    seconds (float | None): How long it took.
    suggested (SuggestedSpan | None): What was suggested, if another span or type.
    """

    scope: Literal["place"]
    text: String
    start: Count
    end: Count
    suggested: SuggestedSpan | None = None

    @model_validator(mode="after")
    def _lies_within_text(self) -> "PlaceDecision":
        if not self.start < self.end <= len(self.text):
            raise ValueError(
                f"the span ({self.start}, {self.end}) does not lie within the text of "
                f"{len(self.text)} characters"
            )
        return self


Decision = Annotated[FormDecision | PlaceDecision, Field(discriminator="scope")]
_DECISION: TypeAdapter[FormDecision | PlaceDecision] = TypeAdapter(Decision)


def read_decisions(path: Path, summary: Summary) -> list[FormDecision | PlaceDecision]:
    """Read decisions. What is none is noted and left out.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    RETURNS (list[FormDecision | PlaceDecision]): The decisions, in their order.
    """
    records = read_objects(path, _DECISION.validate_python, summary)
    return [decision for _, decision in records]
