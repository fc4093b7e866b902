"""Annotations by character offset, laid onto the tokens of a document.

What cannot be laid onto tokens becomes unknown, never O: somebody saw an entity there.
If it cannot be told where, the whole text is unknown.
"""

import re
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..errors import Warnings
from .origins import ESTIMATED_KEY, GUESSED_KEY, set_scored_spans
from .summary import Place, Summary

AlignmentMode = Literal["strict", "contract", "expand"]
Unlabelled = Literal["missing", "outside"]
# What messages say of a span that cannot be used.
_LEFT_OUT = "it is left out"
_TOKENS_UNKNOWN = "it is left out and its tokens are unknown"
_TEXT_UNKNOWN = "it is left out and the whole text is taken as unknown"
# Half of a character: JSON can hold it, such as of an emoji that was cut, spaCy cannot.
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class CharSpan(NamedTuple):
    """A span as a file states it: nothing about it has been checked yet."""

    start: Any
    end: Any
    label: Any
    text: str | None = None
    line: int | None = None
    score: float | None = None


@dataclass
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
    reviewed (bool): Whether a person has annotated the text knowing what the models
        say of it. If not, the tokens of what they say are unknown.
    """

    place: Place
    text: str
    entities: list[CharSpan] = field(default_factory=list)
    ruled_out: list[CharSpan] = field(default_factory=list)
    missing: list[CharSpan] = field(default_factory=list)
    unlabelled: Unlabelled | None = None
    estimated: list[CharSpan] = field(default_factory=list)
    guessed: list[CharSpan] = field(default_factory=list)
    reviewed: bool = False


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
        score = _to_score(value.get("score"))
        return CharSpan(start, end, value.get("label"), covered, line, score)
    parts = value if isinstance(value, list) else [value]
    start, end, label = [*parts, None, None, None][:3]
    return CharSpan(start, end, label, line=line)


def _to_score(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # A whole number of JSON may be beyond every float.
    return float(value) if is_number and abs(value) < 1e300 else None


def to_doc(
    record: AnnotatedText,
    nlp: Language,
    *,
    unlabelled: Unlabelled,
    alignment_mode: AlignmentMode,
    incorrect_spans_key: str,
    summary: Summary,
) -> Doc | None:
    """Tokenize a text and lay its annotations onto the tokens.

    record (AnnotatedText): The text and what is known about it.
    nlp (Language): Whose tokenizer to use.
    unlabelled (str): What an unlabelled token is, where the record does not say it.
    alignment_mode (str): What to do with an entity that starts or ends inside a
        token: "strict" leaves it out and its tokens unknown, "contract" keeps the
        tokens that lie within it, "expand" takes all tokens it touches.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    summary (Summary): Where problems are noted.
    RETURNS (Doc | None): The document; None, and a note, if spaCy cannot hold it.
    """
    problem = _find_problem(record.text, nlp.max_length)
    if problem is not None:
        summary.add_problem(record.place, "skipped", problem)
        return None
    doc = nlp.make_doc(record.text)
    default = record.unlabelled or unlabelled
    unknown = {t.i for span in record.missing for t in _touched(doc, span)}
    entities = []
    for char_span in record.entities:
        placed = _place(record, char_span, _TEXT_UNKNOWN, summary)
        if placed is None:
            default = "missing"
            continue
        span = _align(
            doc, record.place, placed, alignment_mode, _TOKENS_UNKNOWN, summary
        )
        if span is not None:
            entities.append(span)
        unknown.update(token.i for token in _touched(doc, placed))
    groups = {}
    for key, char_spans in (
        (ESTIMATED_KEY, record.estimated),
        (GUESSED_KEY, record.guessed),
    ):
        groups[key], touched = _align_estimates(
            doc, record, char_spans, alignment_mode, summary
        )
        if touched is None:
            default = "missing"
        elif not record.reviewed:
            unknown |= touched
    kept = _without_overlaps(entities, record.place, summary)
    unknown.difference_update(token.i for span in kept for token in span)
    doc.set_ents(
        kept,
        missing=[doc[i : i + 1] for i in sorted(unknown)],
        default=default,
    )
    ruled_out = _ruled_out(doc, record, summary)
    if ruled_out:
        doc.spans[incorrect_spans_key] = ruled_out
    for key, scored in groups.items():
        if scored:
            set_scored_spans(doc, key, *zip(*scored, strict=True))
    return doc


def _align_estimates(
    doc: Doc,
    record: AnnotatedText,
    char_spans: list[CharSpan],
    mode: AlignmentMode,
    summary: Summary,
) -> tuple[list[tuple[Span, float | None]], set[int] | None]:
    """Estimated or guessed spans with their scores, and which tokens they touch: None
    if that can't be told of one of them, but matters."""
    touched: set[int] | None = set()
    scored = []
    for char_span in char_spans:
        nowhere = _LEFT_OUT if record.reviewed else _TEXT_UNKNOWN
        placed = _place(record, char_span, nowhere, summary)
        if placed is None:
            touched = touched if record.reviewed else None
            continue
        outcome = _LEFT_OUT if record.reviewed else _TOKENS_UNKNOWN
        span = _align(doc, record.place, placed, mode, outcome, summary)
        if span is not None:
            scored.append((span, placed.score))
        if touched is not None:
            touched.update(token.i for token in _touched(doc, placed))
    return scored, touched


def _find_problem(text: str, max_length: int) -> str | None:
    """Why a text cannot be tokenized, if it cannot."""
    surrogate = _SURROGATE.search(text)
    if surrogate is not None:
        return Warnings.W330.format(half=surrogate[0], position=surrogate.start())
    if len(text) > max_length:
        return Warnings.W331.format(length=len(text), max_length=max_length)
    return None


def _touched(doc: Doc, span: CharSpan) -> Span | list[Any]:
    """The tokens that share a character with a span."""
    return doc.char_span(span.start, span.end, alignment_mode="expand") or []


def _place(
    record: AnnotatedText, span: CharSpan, outcome: str, summary: Summary
) -> CharSpan | None:
    """A span with sound offsets, repaired if need be, or None if it has none."""
    text, place = record.text, record.place
    shown = (span.start, span.end, span.label)
    if type(span.start) is not int or type(span.end) is not int:
        summary.add_problem(
            place,
            "repaired",
            Warnings.W308.format(span=shown, outcome=outcome),
            span.line,
        )
        return None
    if span.text is not None and text[span.start : span.end] != span.text:
        moved = _from_utf16(text, span)
        if text[moved.start : moved.end] != span.text:
            summary.add_problem(
                place,
                "repaired",
                Warnings.W310.format(
                    span=shown,
                    found=text[span.start : span.end],
                    stated=span.text,
                    outcome=outcome,
                ),
                span.line,
            )
            return None
        summary.add_problem(
            place, "repaired", Warnings.W311.format(span=shown), span.line
        )
        span = moved
    covered = text[span.start : span.end]
    stripped = covered.strip()
    if span.start < 0 or span.end > len(text) or not stripped:
        summary.add_problem(
            place,
            "repaired",
            Warnings.W309.format(span=shown, length=len(text), outcome=outcome),
            span.line,
        )
        return None
    if stripped == covered:
        return span
    summary.add_problem(
        place, "repaired", Warnings.W312.format(span=shown, text=covered), span.line
    )
    start = span.start + len(covered) - len(covered.lstrip())
    return span._replace(start=start, end=start + len(stripped))


def _from_utf16(text: str, span: CharSpan) -> CharSpan:
    """Read offsets as UTF-16 code units, as browsers count them."""
    units = text.encode("utf-16-le")
    start = len(units[: 2 * span.start].decode("utf-16-le", errors="ignore"))
    end = len(units[: 2 * span.end].decode("utf-16-le", errors="ignore"))
    return span._replace(start=start, end=end)


def _align(
    doc: Doc,
    place: Place,
    span: CharSpan,
    mode: AlignmentMode,
    outcome: str,
    summary: Summary,
) -> Span | None:
    """The tokens of a span with sound offsets, or None if it has no label or does not
    fall on token bounds."""
    shown = (span.start, span.end, span.label)
    if (
        not isinstance(span.label, str)
        or not span.label.strip()
        or _SURROGATE.search(span.label)
    ):
        message = Warnings.W308.format(span=shown, outcome=outcome)
        summary.add_problem(place, "repaired", message, span.line)
        return None
    exact = doc.char_span(span.start, span.end, label=span.label)
    if exact is not None:
        return exact
    found = doc.char_span(span.start, span.end, label=span.label, alignment_mode=mode)
    text = doc.text[span.start : span.end]
    message = (
        Warnings.W313.format(span=shown, text=text, outcome=outcome)
        if found is None
        else Warnings.W314.format(span=shown, text=text, mode=mode, found=found.text)
    )
    summary.add_problem(place, "repaired", message, span.line)
    return found


def _without_overlaps(spans: list[Span], place: Place, summary: Summary) -> list[Span]:
    """The spans that can stand together; of two that overlap, the longer one."""
    kept = filter_spans(spans)
    kept_ids = {id(span) for span in kept}
    for span in spans:
        if id(span) not in kept_ids:
            winner = next(k for k in kept if k.start < span.end and span.start < k.end)
            shown = (span.text, span.label_)
            message = (
                Warnings.W332.format(span=shown)
                if _tokens_and_label(span) == _tokens_and_label(winner)
                else Warnings.W315.format(
                    left_out=shown, kept=(winner.text, winner.label_)
                )
            )
            summary.add_problem(place, "repaired", message)
    return kept


def _tokens_and_label(span: Span) -> tuple[int, int, int]:
    return span.start, span.end, span.label


def _ruled_out(doc: Doc, record: AnnotatedText, summary: Summary) -> list[Span]:
    """The ruled-out spans that fall on token bounds. Another span than the one that
    was ruled out may well be an entity, so these are never moved."""
    known = {(ent.start, ent.end, ent.label) for ent in doc.ents}
    spans = []
    for char_span in record.ruled_out:
        placed = _place(record, char_span, _LEFT_OUT, summary)
        if placed is None:
            continue
        span = _align(doc, record.place, placed, "strict", _LEFT_OUT, summary)
        if span is None:
            continue
        if (span.start, span.end, span.label) in known:
            message = Warnings.W316.format(text=span.text, label=span.label_)
            summary.add_problem(record.place, "repaired", message, placed.line)
        else:
            spans.append(span)
    return spans
