"""Span JSONL: a text a line, its annotations by character offset.

    {"text": "Acme hired Ann.", "spans": [{"start": 0, "end": 4, "label": "ORG"}],
     "incorrect_spans": [{"start": 11, "end": 14, "label": "ORG"}],
     "missing": [[5, 15]]}

"spans" are entities, "incorrect_spans" are ruled out, "missing" are stretches of text
about which nothing is known. What the rest is, is for the reader of the file to say.
A span may say where it is from: {"start": 11, "end": 14, "label": "PER", "origin":
"estimated", "score": 0.87}. What is "estimated" or "guessed" is no entity yet. For
which types a text is complete is said under "adak_complete".

"guesses" has what other models say, by their names:

    {"text": "Acme hired Ann.", "guesses": {"llm": [{"start": 11, "end": 14, "label":
     "PER", "score": 0.8}], "ruler": []}}

It says nothing about the annotation: without "spans" the text is unknown. A model with
an empty list has seen the text and found nothing.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from spacy.tokens import Doc, Span

from ..errors import Warnings
from .annotated_text import AnnotatedText, CharSpan, to_char_span
from .complete_marks import marks_of
from .files import to_jsonl
from .guesses import Guess, named_guesses
from .origins import (
    Origin,
    SpanOrigin,
    estimates_of,
    missing_stretches,
    without_estimates,
)
from .records import read_objects
from .summary import Place, Summary
from .unread import check_other_keys

_ORIGINS: tuple[Origin, ...] = get_args(Origin)


def read_spans_jsonl(
    path: Path, text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """Read a span JSONL file.

    path (Path): The file.
    text_key (str): The key of the text.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The records.
    """
    for place, record in read_objects(path, summary):
        text = get_text(record, text_key, place, summary)
        if text is not None:
            spans = get_spans_by_origin(record, "spans", place, summary)
            ruled_out = get_spans(record, "incorrect_spans", place)
            found = AnnotatedText(
                place,
                text,
                entities=spans["annotated"],
                ruled_out=ruled_out + spans["ruled out"],
                missing=_get_missing(record, text, place, summary),
                estimated=spans["estimated"],
                guessed=spans["guessed"],
                guesses=_get_guesses(record, place, summary),
            )
            check_other_keys(found, record, ("spans",), summary)
            if found.guesses and "spans" not in record:
                found.unlabelled = "missing"
            yield found


def get_text(
    record: dict[str, Any], text_key: str, place: Place, summary: Summary
) -> str | None:
    """The text of a record; None, and a note, if it has none.

    record (dict[str, Any]): The record.
    text_key (str): The key of the text.
    place (Place): Where the record is.
    summary (Summary): Where problems are noted.
    RETURNS (str | None): The text.
    """
    text = record.get(text_key)
    if isinstance(text, str) and text.strip():
        return text
    keys = ", ".join(record)
    message = Warnings.W317.format(key=text_key, keys=keys)
    summary.add_problem(place, "skipped", message)
    return None


def get_spans(record: dict[str, Any], key: str, place: Place) -> list[CharSpan]:
    """The spans under a key of a record; none if the key is missing or null.

    record (dict[str, Any]): The record.
    key (str): The key of the spans.
    place (Place): Where the record is.
    RETURNS (list[CharSpan]): The spans.
    """
    return [to_char_span(value, place.line) for value in as_list(record.get(key))]


def get_spans_by_origin(
    record: dict[str, Any], key: str, place: Place, summary: Summary
) -> dict[str, list[CharSpan]]:
    """The spans under a key of a record, by where they say they are from.

    record (dict[str, Any]): The record.
    key (str): The key of the spans.
    place (Place): Where the record is.
    summary (Summary): Where problems are noted.
    RETURNS (dict[str, list[CharSpan]]): The spans of every origin. One that does not
        say it is annotated.
    """
    spans: dict[str, list[CharSpan]] = {origin: [] for origin in _ORIGINS}
    for value in as_list(record.get(key)):
        origin = value.get("origin") if isinstance(value, dict) else None
        if origin is None:
            origin = "annotated"
        elif not isinstance(origin, str) or origin not in spans:
            origins = ", ".join(spans)
            message = Warnings.W333.format(origin=origin, origins=origins)
            summary.add_problem(place, "repaired", message)
            origin = "guessed"
        spans[origin].append(to_char_span(value, place.line))
    return spans


def as_list(value: Any) -> list[Any]:
    """RETURNS (list[Any]): A list as it is, nothing for null. Any other value counts as
    the only one of a list, so that it is not passed over."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _get_guesses(
    record: dict[str, Any], place: Place, summary: Summary
) -> dict[str, list[CharSpan]]:
    """What models say, by their names. What has no names is left out: nobody could tell
    how good they are."""
    value = record.get("guesses")
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(value):
        summary.add_problem(place, "repaired", Warnings.W347)
        return {}
    return {name: get_spans(value, name, place) for name in value}


def _get_missing(
    record: dict[str, Any], text: str, place: Place, summary: Summary
) -> list[CharSpan]:
    """The stretches that are unknown; one that is not within the text makes all of it
    unknown, for the stretch that was meant cannot be told."""
    spans = get_spans(record, "missing", place)
    for span in spans:
        sound = type(span.start) is int and type(span.end) is int
        if not sound or not 0 <= span.start < span.end <= len(text):
            shown = (span.start, span.end)
            message = Warnings.W319.format(span=shown, length=len(text))
            summary.add_problem(place, "repaired", message)
            return [CharSpan(0, len(text), None)]
    return spans


def to_spans_jsonl(docs: Iterable[Doc], text_key: str, incorrect_spans_key: str) -> str:
    """Write documents as span JSONL.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text.
    incorrect_spans_key (str): The key of `Doc.spans` with the ruled-out spans.
    RETURNS (str): The content of the file.
    """
    return to_jsonl(_to_record(doc, text_key, incorrect_spans_key) for doc in docs)


def _to_record(doc: Doc, text_key: str, incorrect_spans_key: str) -> dict[str, Any]:
    doc = without_estimates(doc)
    estimates = [to_dict_with_origin(estimate) for estimate in estimates_of(doc)]
    record: dict[str, Any] = {
        text_key: doc.text,
        "spans": [to_dict(ent) for ent in doc.ents] + estimates,
    }
    if doc.spans.get(incorrect_spans_key):
        ruled_out = doc.spans[incorrect_spans_key]
        record["incorrect_spans"] = [to_dict(span) for span in ruled_out]
    missing = [[s.start_char, s.end_char] for s in missing_stretches(doc)]
    if missing:
        record["missing"] = missing
    if guesses := named_guesses(doc):
        record["guesses"] = {
            name: [_to_scored_dict(doc, guess) for guess in of_guesser]
            for name, of_guesser in guesses.items()
        }
    return record | marks_of(doc)


def _to_scored_dict(doc: Doc, guess: Guess) -> dict[str, Any]:
    scored = {} if guess.score is None else {"score": guess.score}
    span = Span(doc, guess.start, guess.end, label=guess.label)
    return {**to_dict(span), **scored}


def to_dict(span: Span) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): A span by its character offsets."""
    return {"start": span.start_char, "end": span.end_char, "label": span.label_}


def to_dict_with_origin(estimate: SpanOrigin) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): A span by its character offsets, with where it is from
    and its score, if it has one."""
    span, origin, score = estimate
    scored = {} if score is None else {"score": score}
    return {**to_dict(span), "origin": origin, **scored}
