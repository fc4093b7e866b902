"""Prodigy's JSONL: manual annotations and binary decisions.

Manual (`ner.manual`, `ner.correct`): "accept" states the entities of the text. A
rejected one says nothing that could be learnt from.
Binary (`ner.teach`): "accept" states the entities shown, "reject" rules the one shown
out; either way the rest of the text is unknown. Decisions about equal texts are joined.

What a model says is in spans with an "origin". A task with such spans is undecided
until Prodigy has shown it to somebody: `prodigy db-in` gives every task an answer.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.tokens import Doc, Span

from ..errors import Warnings
from .alignment import AnnotatedText, CharSpan
from .files import read_jsonl, to_jsonl
from .origins import SpanOrigin, estimates_of, without_estimates
from .spans_jsonl import (
    get_spans_by_origin,
    get_text,
    to_dict,
    to_dict_with_origin,
)
from .summary import Summary

MARKS = ("answer", "_input_hash", "_task_hash", "_view_id", "_is_binary")
_BINARY_VIEWS = ("ner", "spans")
# What Prodigy's app, but not `prodigy db-in`, adds to a task.
_PERSON_MARKS = ("_annotator_id", "_session_id", "_timestamp")


def read_prodigy(
    path: Path, text_key: str, summary: Summary
) -> Iterator[AnnotatedText]:
    """Read an export of Prodigy (`prodigy db-out`).

    path (Path): The file.
    text_key (str): The key of the text.
    summary (Summary): Where problems are noted.
    YIELDS (AnnotatedText): The texts, in the order of their first records.
    """
    manual: list[AnnotatedText] = []
    binary: dict[str, AnnotatedText] = {}
    for place, record in read_jsonl(path, summary):
        text = get_text(record, text_key, place, summary)
        if text is None:
            continue
        answer = record.get("answer", "accept")  # as `prodigy db-in` has it
        by_origin = get_spans_by_origin(record, "spans", place, summary)
        spans = [span for group in by_origin.values() for span in group]
        is_binary = _is_binary(record, answer, spans)
        is_decided = any(mark in record for mark in _PERSON_MARKS)
        estimates = by_origin["estimated"] + by_origin["guessed"]
        if estimates and answer == "accept" and not is_decided:
            undecided = AnnotatedText(
                place,
                text,
                entities=by_origin["annotated"],
                ruled_out=by_origin["ruled out"],
                unlabelled="missing",
                estimated=by_origin["estimated"],
                guessed=by_origin["guessed"],
            )
            manual.append(undecided)
        elif answer not in ("accept", "reject", "ignore"):
            message = Warnings.W320.format(answer=answer)
            summary.add_problem(place, "skipped", message)
        elif answer == "ignore" or (answer == "reject" and not is_binary):
            summary.set_aside += 1
        elif answer == "reject" and len(spans) != 1:
            message = Warnings.W321.format(count=len(spans))
            summary.add_problem(place, "skipped", message)
        elif not is_binary:
            manual.append(AnnotatedText(place, text, entities=spans))
        else:
            start = AnnotatedText(place, text, unlabelled="missing")
            decided = binary.setdefault(text, start)
            for span in spans:
                _decide(decided, span, answer == "accept", summary)
    yield from sorted(_join(manual, binary), key=lambda record: record.place)


def _is_binary(record: dict[str, Any], answer: str, spans: list[CharSpan]) -> bool:
    if "_is_binary" in record:
        return bool(record["_is_binary"])
    if "_view_id" in record:
        return record["_view_id"] in _BINARY_VIEWS
    # Without a word on how it was made: what else could the rejection be about?
    return answer == "reject" and len(spans) == 1


def _decide(
    decided: AnnotatedText, span: CharSpan, accepted: bool, summary: Summary
) -> None:
    """Add a decision to those about the same text; the last one on a span holds."""
    same, other = decided.entities, decided.ruled_out
    if not accepted:
        same, other = other, same
    for earlier in other:
        if earlier[:3] == span[:3]:
            other.remove(earlier)
            message = Warnings.W322.format(span=span[:3], line=earlier.line)
            summary.add_problem(decided.place, "repaired", message, span.line)
            break
    if all(earlier[:3] != span[:3] for earlier in same):
        same.append(span)


def _join(
    manual: list[AnnotatedText], binary: dict[str, AnnotatedText]
) -> list[AnnotatedText]:
    """Add binary decisions to the first manual annotation of the same text."""
    left = dict(binary)
    for record in manual:
        decided = left.pop(record.text, None)
        if decided is not None:
            known = [span[:3] for span in record.entities]
            record.entities += [s for s in decided.entities if s[:3] not in known]
            record.ruled_out += decided.ruled_out
    return [*manual, *left.values()]


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
