"""A text as an annotation tool states it, before it is laid onto tokens."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .summary import Place

Unlabelled = Literal["missing", "outside"]


class CharSpan(NamedTuple):
    """A span as a file states it: nothing about it has been checked yet."""

    start: Any
    end: Any
    label: Any
    text: str | None = None
    line: int | None = None
    score: float | None = None


@dataclass(slots=True)
class AnnotatedText:
    """A record of an annotation tool.

    place (Place): Where it comes from.
    text (str): Its text.
    entities (list[CharSpan]): Spans stated to be entities.
    ruled_out (list[CharSpan]): Spans stated not to be entities of their label.
    missing (list[CharSpan]): Stretches of text about which nothing is known.
    unlabelled (str | None): What the rest is, if the record itself says so.
    estimated (list[CharSpan]): Spans that `adak train` takes to be entities.
    guessed (list[CharSpan]): Spans that another model takes to be entities.
    guesses (dict[str, list[CharSpan]]): The same by the name of the model, where they
        say nothing about the annotation: it is what it would be without them.
    reviewed (bool): Whether a person has annotated the text knowing what the models
        say of it. If not, the tokens of what they say are unknown.
    annotations (dict[str, list[CharSpan]]): The entities that each annotator has marked
        in the whole text, next to `entities`. What is taken of them is a choice.
    settled_by (str | None): The annotator whose word holds, if there is one.
    """

    place: Place
    text: str
    entities: list[CharSpan] = field(default_factory=list)
    ruled_out: list[CharSpan] = field(default_factory=list)
    missing: list[CharSpan] = field(default_factory=list)
    unlabelled: Unlabelled | None = None
    estimated: list[CharSpan] = field(default_factory=list)
    guessed: list[CharSpan] = field(default_factory=list)
    guesses: dict[str, list[CharSpan]] = field(default_factory=dict)
    reviewed: bool = False
    annotations: dict[str, list[CharSpan]] = field(default_factory=dict)
    settled_by: str | None = None


def to_char_span(value: Any, line: int | None = None) -> CharSpan:
    """Read a span written as `{"start": 0, "end": 5, "label": "ORG"}`, with doccano's
    names for the offsets, or as `[0, 5, "ORG"]`.

    value (Any): The JSON value.
    line (int | None): Its line, if not the record's own.
    RETURNS (CharSpan): The span; what the value lacks is None. A value that is no
        span stands in the place of the start, for the message to show it.
    """
    if isinstance(value, dict):
        start = value.get("start", value.get("start_offset"))
        end = value.get("end", value.get("end_offset"))
        text = value.get("text")
        covered = text if isinstance(text, str) else None
        score = _to_score(value["score"]) if "score" in value else None
        return CharSpan(start, end, value.get("label"), covered, line, score)
    parts = value if isinstance(value, list) else [value]
    start, end, label = [*parts, None, None, None][:3]
    return CharSpan(start, end, label, line=line)


def _to_score(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # A whole number of JSON may be beyond every float.
    return float(value) if is_number and abs(value) < 1e300 else None
