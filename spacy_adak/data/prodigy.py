"""Prodigy's JSONL: manual annotations and binary decisions.

Manual (`ner.manual`, `ner.correct`): "accept" states the entities of the text. A
rejected one says nothing that could be learnt from.
Binary (`ner.teach`): "accept" states the entities shown, "reject" rules the one shown
out; either way the rest of the text is unknown. Decisions about equal texts are joined.

What a model says is in spans with an "origin". A task with such spans is undecided
until Prodigy has shown it to somebody: `prodigy db-in` gives every task an answer.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span

from ..errors import Errors, Warnings
from .agreement import RULES, annotator_name, find_annotator
from .annotated_text import AnnotatedText, CharSpan
from .complete_marks import marks_of
from .files import (
    read_json_at,
    read_jsonl,
    read_jsonl_with_offsets,
    read_lines,
    to_jsonl,
)
from .origins import SpanOrigin, estimates_of, without_estimates
from .spans_jsonl import (
    get_spans_by_origin,
    get_text,
    to_dict,
    to_dict_with_origin,
)
from .summary import Place, Summary
from .unread import check_other_keys, note_silence
from .votes import Vote, Votes, add_vote, count_votes

MARKS = ("answer", "_input_hash", "_task_hash", "_view_id", "_is_binary")
_BINARY_VIEWS = ("ner", "spans")
# Where a task without spans says that there are none. "blocks" may have any of them.
_SPAN_VIEWS = (*_BINARY_VIEWS, "ner_manual", "spans_manual", "relations", "blocks")
ANNOTATOR_KEYS = ("_annotator_id", "_session_id")
# What Prodigy's app, but not `prodigy db-in`, adds to a task.
_PERSON_MARKS = (*ANNOTATOR_KEYS, "_timestamp")


class _Task(NamedTuple):
    """A record of a file."""

    place: Place
    record: dict[str, Any]


def read_prodigy(
    path: Path, text_key: str, summary: Summary, annotators: str = "union"
) -> Iterator[AnnotatedText]:
    """Read an export of Prodigy (`prodigy db-out`).

    path (Path): The file.
    text_key (str): The key of the text.
    summary (Summary): Where problems are noted.
    annotators (str): Whose decisions on single spans are taken; see `agree`.
    YIELDS (AnnotatedText): The texts, in the order of their first records.
    """
    if next(read_lines(path), "").lstrip().startswith("["):
        raise ValueError(Errors.A324.format(path=path))
    repeats = _find_repeats(path, text_key)
    later = {place.line for group in repeats.values() for place, _ in group}
    waiting: dict[int, AnnotatedText] = {}
    for place, record in read_jsonl(path, summary):
        text = get_text(record, text_key, place, summary)
        if text is None:
            continue
        if place.line not in later:
            tasks = [_Task(place, record)]
            for other, offset in repeats.get(place.line, ()):
                tasks.append(_Task(other, read_json_at(path, offset)))
            for joined in _join(tasks, text, annotators, summary):
                waiting[joined.place.line] = joined
        if place.line in waiting:
            yield waiting.pop(place.line)


def _find_repeats(path: Path, text_key: str) -> dict[int, list[tuple[Place, int]]]:
    """Where the texts that occur more than once occur again, by the line they occur on
    first. The rest of a file need not be in memory."""
    digests, lines, offsets = array("Q"), array("Q"), array("Q")
    for place, offset, record in read_jsonl_with_offsets(path, None):
        text = record.get(text_key)
        if isinstance(text, str):
            digest = blake2b(text.encode("utf8", "surrogatepass"), digest_size=8)
            digests.append(int.from_bytes(digest.digest(), "big"))
            lines.append(place.line)
            offsets.append(offset)
    by_text = np.argsort(np.array(digests, dtype="u8"), kind="stable").tolist()
    repeats: dict[int, list[tuple[Place, int]]] = {}
    for _, group in groupby(by_text, key=digests.__getitem__):
        first, *others = group
        if others:
            found = [(Place(path, lines[i]), offsets[i]) for i in others]
            repeats[lines[first]] = found
    return repeats


def _join(
    tasks: list[_Task], text: str, annotators: str, summary: Summary
) -> list[AnnotatedText]:
    """The annotations of a text. Decisions on single spans join the first manual
    annotation, and the annotations of several people are kept apart."""
    manual: list[AnnotatedText] = []
    decided: AnnotatedText | None = None
    votes: list[Votes] = []
    for place, record in tasks:
        answer = record.get("answer", "accept")  # as `prodigy db-in` has it
        by_origin = get_spans_by_origin(record, "spans", place, summary)
        spans = [span for group in by_origin.values() for span in group]
        is_binary = _is_binary(record, answer, spans)
        annotator = _get_annotator(record)
        if answer not in ("accept", "reject", "ignore"):
            message = Warnings.W320.format(answer=answer)
            summary.add_problem(place, "skipped", message)
        elif _is_undecided(record, answer, by_origin):
            manual.append(_to_undecided(place, text, by_origin))
        elif answer == "ignore" or (answer == "reject" and not is_binary):
            summary.set_aside += 1
        elif answer == "reject" and len(spans) != 1:
            message = Warnings.W321.format(count=len(spans))
            summary.add_problem(place, "skipped", message)
        elif not spans and _is_silent(record, place, summary):
            decided = decided or AnnotatedText(place, text, unlabelled="missing")
        elif not is_binary:
            _add_annotation(manual, place, text, annotator, spans)
        else:
            decided = decided or AnnotatedText(place, text, unlabelled="missing")
            for span in spans:
                vote = Vote(span, answer == "accept")
                add_vote(votes, annotator, vote, place, summary)
    count_votes(decided, votes, annotators, summary)
    if decided is None:
        return manual
    by_name = annotators not in RULES
    for whole in manual:
        if not by_name or find_annotator(whole.annotations, annotators):
            known = [span[:3] for span in whole.entities]
            whole.entities += [s for s in decided.entities if s[:3] not in known]
            whole.ruled_out += decided.ruled_out
            return manual
    return [*manual, decided]


def _get_annotator(record: dict[str, Any]) -> str | None:
    names = [annotator_name(record.get(key)) for key in ANNOTATOR_KEYS]
    return next((name for name in names if name is not None), None)


def _is_undecided(
    record: dict[str, Any], answer: str, by_origin: dict[str, list[CharSpan]]
) -> bool:
    """Whether a task shows what a model says, and nobody has seen it."""
    has_estimates = bool(by_origin["estimated"] or by_origin["guessed"])
    is_seen = any(mark in record for mark in _PERSON_MARKS)
    return has_estimates and answer == "accept" and not is_seen


def _is_silent(record: dict[str, Any], place: Place, summary: Summary) -> bool:
    """Whether a task without spans is not one in which somebody has looked for them."""
    found = AnnotatedText(place, "")
    check_other_keys(found, record, ("spans",), summary)
    view = record.get("_view_id")
    if "spans" not in record and view is not None and view not in _SPAN_VIEWS:
        note_silence(found, "spans", summary)
    return found.unlabelled == "missing"


def _to_undecided(
    place: Place, text: str, by_origin: dict[str, list[CharSpan]]
) -> AnnotatedText:
    return AnnotatedText(
        place,
        text,
        entities=by_origin["annotated"],
        ruled_out=by_origin["ruled out"],
        unlabelled="missing",
        estimated=by_origin["estimated"],
        guessed=by_origin["guessed"],
    )


def _is_binary(record: dict[str, Any], answer: str, spans: list[CharSpan]) -> bool:
    if "_is_binary" in record:
        return bool(record["_is_binary"])
    if "_view_id" in record:
        return record["_view_id"] in _BINARY_VIEWS
    # Without a word on how it was made: what else could the rejection be about?
    return answer == "reject" and len(spans) == 1


def _add_annotation(
    manual: list[AnnotatedText],
    place: Place,
    text: str,
    annotator: str | None,
    spans: list[CharSpan],
) -> None:
    """Add an annotation of the whole text to that of others. A text that somebody has
    annotated twice was there twice."""
    if annotator is None:
        manual.append(AnnotatedText(place, text, entities=spans))
        return
    others = [r for r in manual if r.annotations and annotator not in r.annotations]
    if not others:
        others = [AnnotatedText(place, text)]
        manual += others
    others[0].annotations[annotator] = spans


def to_prodigy(docs: Iterable[Doc], text_key: str, incorrect_spans_key: str) -> str:
    """Write documents for import into Prodigy (`prodigy db-in`): complete ones as
    manual annotations, others as a binary decision on each known or ruled-out span.
    Where a document has missing tokens, its stated O are not written. One with
    estimated or guessed spans becomes a task to be decided, without an answer.

    docs (Iterable[Doc]): The documents.
    text_key (str): The key of the text.
    incorrect_spans_key (str): The key of `Doc.spans` with the ruled-out spans.
    RETURNS (str): The content of the file.
    """
    return to_jsonl(
        record
        for doc in docs
        for record in _to_records(doc, text_key, incorrect_spans_key)
    )


def _to_records(
    doc: Doc, text_key: str, incorrect_spans_key: str
) -> Iterator[dict[str, Any]]:
    doc = without_estimates(doc)

    def task(spans: Iterable[Span], answer: str, is_binary: bool) -> dict[str, Any]:
        return {
            text_key: doc.text,
            "spans": [to_dict(span) for span in spans],
            "answer": answer,
            "_view_id": "ner" if is_binary else "ner_manual",
            "_is_binary": is_binary,
            **marks_of(doc),
        }

    estimates = estimates_of(doc)
    if estimates:
        annotated = [to_dict(ent) | {"origin": "annotated"} for ent in doc.ents]
        yield {
            text_key: doc.text,
            "spans": annotated + [to_dict_with_origin(e) for e in estimates],
            "meta": _describe(estimates),
            "_view_id": "ner_manual",
            "_is_binary": False,
            **marks_of(doc),
        }
    elif any(token.ent_iob == 0 for token in doc):
        # An accepted task without spans keeps a text about which nothing is known.
        for shown in [[ent] for ent in doc.ents] or [[]]:
            yield task(shown, "accept", is_binary=True)
    else:
        yield task(doc.ents, "accept", is_binary=False)
    for span in doc.spans.get(incorrect_spans_key, []):
        yield task([span], "reject", is_binary=True)


def _describe(estimates: list[SpanOrigin]) -> dict[str, Any]:
    """What Prodigy shows below a task: how many spans are to be decided, and the score
    of the least certain of them."""
    counts: dict[str, Any] = Counter(estimate.origin for estimate in estimates)
    scores = [e.score for e in estimates if e.score is not None]
    return counts | ({"lowest score": min(scores)} if scores else {})
