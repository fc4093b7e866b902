"""Suggestions: what a trained model would change in the annotation, one place a line.

    {"text": "Acme hired Ann.", "line": 17, "start": 0, "end": 4, "label": "ORG",
     "form": "Acme", "kind": "missed", "score": 0.87, "alternatives": [],
     "annotated": [{"start": 11, "end": 14, "label": "PER"}],
     "found": 12, "marked": 0, "outside": 3, "value": 4.1}

"missed" is an entity that nobody annotated, "doubtful" an annotated one that the model
contradicts. The same file is read by place, as its lines are, or by form: all places
with one form, label and kind, of which a person decides at once.
"""

from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationError,
    model_validator,
)

from ..errors import Warnings
from .files import read_jsonl
from .summary import Place, Summary

Kind = Literal["missed", "doubtful"]
# A form, its label and the kind of suggestion.
Group = tuple[str, str, Kind]
Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


def _not_empty(value: str) -> str:
    if not value:
        raise ValueError("the string is empty")
    return value


# Pydantic's own strings may not hold half a surrogate pair, as JSON's may.
String = Annotated[InstanceOf[str], AfterValidator(_not_empty)]


class Record(BaseModel):
    """A line of a file: every value is of its type, nothing is converted."""

    model_config = ConfigDict(strict=True, frozen=True)


class SuggestedSpan(Record):
    """A span of a text by character offsets, with its label."""

    start: Count
    end: Count
    label: String

    @model_validator(mode="after")
    def _has_length(self) -> "SuggestedSpan":
        if self.start >= self.end:
            raise ValueError(f"the span ({self.start}, {self.end}) has no characters")
        return self


class Alternative(Record):
    """Another reading of a place: its entities, or none, and how probable it is."""

    probability: Probability
    spans: list[SuggestedSpan] = []


class Draw(Record):
    """How a prediction came to be asked about, if it was drawn at random.

    stratum (str): Which predictions it was drawn from.
    size (int): How many these are.
    weight (float): How many of all predictions it stands for.
    """

    stratum: String
    size: Annotated[int, Field(ge=1)]
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Suggestion(SuggestedSpan):
    """What a model would change at a place.

    text (str): The whole text.
    line (int): Index of the text in the data.
    form (str): The string of the span.
    kind (Kind): "missed" or "doubtful".
    score (float): The probability of exactly this span with this label.
    alternatives (list[Alternative]): Other readings of the place.
    annotated (list[SuggestedSpan]): The entities annotated in the text.
    found (int): How often the form is suggested in all data.
    marked (int): How often it is annotated.
    outside (int): How often it is stated to be no entity.
    value (float): What a decision about the form is worth.
    draw (Draw | None): How it was drawn, in a file of `adak sample --predictions`.
    """

    text: String
    line: Count
    form: String
    kind: Kind
    score: Probability
    alternatives: list[Alternative] = []
    annotated: list[SuggestedSpan] = []
    found: Count = 1
    marked: Count = 0
    outside: Count = 0
    value: float = Field(0.0, allow_inf_nan=False)
    draw: Draw | None = None

    @model_validator(mode="after")
    def _lies_within_text(self) -> "Suggestion":
        others = [span for reading in self.alternatives for span in reading.spans]
        for span in (self, *self.annotated, *others):
            if span.end > len(self.text):
                raise ValueError(
                    f"the span ({span.start}, {span.end}) does not lie within the text "
                    f"of {len(self.text)} characters"
                )
        return self

    @property
    def place(self) -> tuple[str, int, int, str, Kind]:
        """RETURNS (tuple): What a decision about this place names."""
        return self.text, self.start, self.end, self.label, self.kind

    @property
    def group(self) -> Group:
        """RETURNS (tuple): What a decision about the form names."""
        return self.form, self.label, self.kind


_R = TypeVar("_R", bound=BaseModel)


def read_suggestions(path: Path, summary: Summary) -> Iterator[Suggestion]:
    """Read suggestions, one after the other. Invalid and repeated ones are noted and
    left out. Texts that are equal share their suggestions: those of the first one are
    read, and a decision about them holds for all.

    path (Path): The file.
    summary (Summary): Where problems are noted.
    YIELDS (Suggestion): The suggestions, in their order.
    """
    # Of millions of places no more than this is kept.
    firsts: dict[bytes, tuple[int, int]] = {}
    for place, suggestion in read_objects(path, Suggestion.model_validate, summary):
        here = (place.line, suggestion.line)
        first, text = firsts.setdefault(_digest(suggestion.place), here)
        if first == place.line:
            yield suggestion
        elif text == suggestion.line:
            summary.add_problem(place, "skipped", Warnings.W351.format(line=first))


def _digest(place: tuple[Any, ...]) -> bytes:
    return blake2b(repr(place).encode(), digest_size=16).digest()


def read_objects(
    path: Path, validate: Callable[[Any], _R], summary: Summary
) -> Iterator[tuple[Place, _R]]:
    """Read the objects of a JSONL file that a model accepts. Others are noted.

    path (Path): The file.
    validate (Callable): Makes a record of an object, or raises a ValidationError.
    summary (Summary): Where problems are noted.
    YIELDS (tuple[Place, BaseModel]): Where the record is, and the record.
    """
    for place, record in read_jsonl(path, summary):
        try:
            yield place, validate(record)
        except ValidationError as error:
            problems = "; ".join(
                _describe(p["loc"], p["msg"]) for p in error.errors(include_url=False)
            )
            message = Warnings.W350.format(problems=problems)
            summary.add_problem(place, "skipped", message)


def _describe(keys: tuple[int | str, ...], message: str) -> str:
    message = message.removeprefix("Value error, ")
    return f"{'.'.join(map(str, keys))}: {message}" if keys else message
