"""Annotations by character offset, laid onto the tokens of a document.

What cannot be laid onto tokens becomes unknown, never O: somebody saw an entity there.
If it cannot be told where, the whole text is unknown.
"""

import re
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import filter_spans

from ..errors import Warnings
from .agreement import RULES, agree, find_annotator
from .annotated_text import AnnotatedText, CharSpan, Unlabelled
from .guesses import guesses_key
from .origins import (
    ESTIMATED_KEY,
    GUESSED_KEY,
    set_annotators,
    set_scored_spans,
)
from .summary import Place, Summary
from .token_stretches import stretches

AlignmentMode = Literal["strict", "contract", "expand"]
# What messages say of a span that cannot be used.
_LEFT_OUT = "it is left out"
_TOKENS_UNKNOWN = "it is left out and its tokens are unknown"
_TEXT_UNKNOWN = "it is left out and the whole text is taken as unknown"
# Half of a character: JSON can hold it, such as of an emoji that was cut, spaCy cannot.
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class _Aligned(NamedTuple):
    """Spans on tokens with their scores, the tokens that those touch which could not be
    used, and whether of one of them it cannot be told which tokens it touches."""

    spans: list[Span]
    scores: list[float | None]
    touched: set[int]
    is_lost: bool


_NOTHING = _Aligned([], [], set(), False)


def to_doc(
    record: AnnotatedText,
    nlp: Language,
    *,
    unlabelled: Unlabelled,
    alignment_mode: AlignmentMode,
    incorrect_spans_key: str,
    summary: Summary,
    annotators: str = "union",
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
    annotators (str): What is taken of the annotations of several annotators: "union",
        "intersection", "majority", or the name of one of them.
    RETURNS (Doc | None): The document; None, and a note, if spaCy cannot hold it or
        the annotator has not annotated it.
    """
    if record.annotations:
        summary.add_annotators(record.annotations)
    settled_by = record.settled_by
    if annotators not in RULES:
        names = [*record.annotations, *([settled_by] if settled_by else [])]
        settled_by = find_annotator(names, annotators)
        if settled_by is None:
            summary.set_aside += 1
            return None
    problem = _find_problem(record.text, nlp.max_length)
    if problem is not None:
        summary.add_problem(record.place, "skipped", problem)
        return None
    doc = nlp.make_doc(record.text)

    def align(char_spans: list[CharSpan], *, matters: bool = True) -> _Aligned:
        return _align_all(doc, record, char_spans, alignment_mode, matters, summary)

    stated = align(record.entities)
    entities = _without_overlaps(stated.spans, record.place, summary)
    said = {name: align(spans) for name, spans in record.annotations.items()}
    marked = {
        name: _without_overlaps(aligned.spans, record.place, summary)
        for name, aligned in said.items()
    }
    agreement = agree(marked, annotators, settled_by)
    summary.disputed += len(agreement.disputed)
    if agreement.entities:
        entities = _without_overlaps(
            [*entities, *agreement.entities], record.place, summary
        )
    probable = [_with_probability(s, record.place, summary) for s in record.estimated]
    estimated = align(probable, matters=not record.reviewed)
    guessed = align(record.guessed, matters=not record.reviewed)

    default = record.unlabelled or unlabelled
    unknown = {t.i for span in record.missing for t in _touched(doc, span)}
    for aligned in (stated, *said.values(), estimated, guessed):
        unknown |= aligned.touched
        if aligned.is_lost:
            default = "missing"
    unlike_entities = [*stated.spans, *agreement.disputed]
    if not record.reviewed:
        unlike_entities += [*estimated.spans, *guessed.spans]
    for span in unlike_entities:
        unknown.update(range(span.start, span.end))
    for span in entities:
        unknown.difference_update(range(span.start, span.end))
    missing = [doc[start:end] for start, end in stretches(unknown)]
    doc.set_ents(entities, missing=missing, default=default)

    if record.ruled_out:
        ruled_out = _ruled_out(doc, record, summary)
        if ruled_out:
            doc.spans[incorrect_spans_key] = ruled_out
    for key, scored in ((ESTIMATED_KEY, estimated), (GUESSED_KEY, guessed)):
        if scored.spans:
            set_scored_spans(doc, key, scored.spans, scored.scores)
    for name, spans in record.guesses.items():
        aligned = align(spans, matters=False)
        set_scored_spans(doc, guesses_key(name), aligned.spans, aligned.scores)
    set_annotators(doc, marked)
    return doc


def _align_all(
    doc: Doc,
    record: AnnotatedText,
    char_spans: list[CharSpan],
    mode: AlignmentMode,
    matters: bool,
    summary: Summary,
) -> _Aligned:
    """The spans that can be laid onto tokens. If those that cannot do not matter, their
    tokens are what they are without them."""
    if not char_spans:
        return _NOTHING
    spans: list[Span] = []
    scores: list[float | None] = []
    touched: set[int] = set()
    is_lost = False
    for char_span in char_spans:
        nowhere = _TEXT_UNKNOWN if matters else _LEFT_OUT
        placed = _place(record, char_span, nowhere, summary)
        if placed is None:
            is_lost |= matters
            continue
        outcome = _TOKENS_UNKNOWN if matters else _LEFT_OUT
        exact, span = _align(doc, record.place, placed, mode, outcome, summary)
        if span is not None:
            spans.append(span)
            scores.append(placed.score)
        if matters and not exact:
            touched.update(token.i for token in _touched(doc, placed))
    return _Aligned(spans, scores, touched, is_lost)


def _with_probability(span: CharSpan, place: Place, summary: Summary) -> CharSpan:
    """An estimated span without its score, if that is no probability. A guesser may
    have a scale of its own."""
    if span.score is None or 0 <= span.score <= 1:
        return span
    shown = (span.start, span.end, span.label)
    message = Warnings.W352.format(span=shown, score=span.score)
    summary.add_problem(place, "repaired", message, span.line)
    return span._replace(score=None)


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
) -> tuple[bool, Span | None]:
    """Whether a span with sound offsets can be used as it is, and its tokens: None if
    it has no label or does not fall on token bounds."""
    shown = (span.start, span.end, span.label)
    if isinstance(span.label, str) and span.label != span.label.strip():
        message = Warnings.W360.format(label=span.label)
        if span.label.strip():
            summary.add_problem(place, "repaired", message, span.line)
        span = span._replace(label=span.label.strip())
    if (
        not isinstance(span.label, str)
        or not span.label.strip()
        or _SURROGATE.search(span.label)
    ):
        message = Warnings.W308.format(span=shown, outcome=outcome)
        summary.add_problem(place, "repaired", message, span.line)
        return False, None
    exact = doc.char_span(span.start, span.end, label=span.label)
    if exact is not None:
        return True, exact
    found = doc.char_span(span.start, span.end, label=span.label, alignment_mode=mode)
    text = doc.text[span.start : span.end]
    message = (
        Warnings.W313.format(span=shown, text=text, outcome=outcome)
        if found is None
        else Warnings.W314.format(span=shown, text=text, mode=mode, found=found.text)
    )
    summary.add_problem(place, "repaired", message, span.line)
    return False, found


def _without_overlaps(spans: list[Span], place: Place, summary: Summary) -> list[Span]:
    """The spans that can stand together; of two that overlap, the longer one."""
    if all(left.end <= right.start for left, right in pairwise(spans)):
        return spans
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
        _, span = _align(doc, record.place, placed, "strict", _LEFT_OUT, summary)
        if span is None:
            continue
        if (span.start, span.end, span.label) in known:
            message = Warnings.W316.format(text=span.text, label=span.label_)
            summary.add_problem(record.place, "repaired", message, placed.line)
        else:
            spans.append(span)
    return spans
