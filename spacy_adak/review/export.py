"""Suggestions for other programs: documents with estimated spans."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, cast, get_args

from spacy.tokens import Doc, Span

from ..data.doccano import to_doccano
from ..data.formats import Target, format_of_suffix
from ..data.origins import ESTIMATED_KEY, SCORES, set_scored_spans
from ..data.spans_jsonl import to_dict
from ..data.writers import Writing, write_docs
from ..errors import Errors

SuggestionTarget = Literal[
    "suggestions", "spans", "prodigy", "doccano", "label-studio", "spacy"
]


def choose_target(to: str | None, path: Path) -> SuggestionTarget:
    """Choose the format of a file of suggestions.

    to (str | None): The format, if it is given.
    path (Path): The file.
    RETURNS (str): The format.
    """
    targets = get_args(SuggestionTarget)
    if to is None:
        found = format_of_suffix(path, "--to", Target)
        to = "suggestions" if found == "spans" else found
    if to not in targets:
        choices = ", ".join(targets)
        raise ValueError(Errors.A310.format(name="--to", value=to, choices=choices))
    return cast(SuggestionTarget, to)


def export(docs: Iterable[Doc], path: Path, target: Target, writing: Writing) -> None:
    """Write documents with estimated spans. A file for a person has only the texts with
    such spans, and no spans that overlap.

    docs (Iterable[Doc]): The documents.
    path (Path): The file.
    target (str): The format.
    writing (Writing): How to write it.
    """
    if target in ("prodigy", "doccano", "label-studio"):
        docs = _to_review(docs)
    if target == "doccano":
        with path.open("w", encoding="utf8", newline="\n") as file:
            file.writelines(_to_doccano(doc, writing.text_key) for doc in docs)
    else:
        write_docs(docs, path, target, writing)


def _to_review(docs: Iterable[Doc]) -> Iterator[Doc]:
    for doc in docs:
        group = doc.spans[ESTIMATED_KEY]
        scored = list(zip(group, group.attrs[SCORES], strict=True))
        # Of those that overlap, the more probable one.
        taken: set[int] = set()
        kept: list[tuple[Span, float]] = []
        for span, score in sorted(scored, key=lambda pair: -pair[1]):
            if taken.isdisjoint(range(span.start, span.end)):
                taken.update(range(span.start, span.end))
                kept.append((span, score))
        if kept:
            spans, scores = zip(*sorted(kept, key=lambda p: p[0].start), strict=True)
            set_scored_spans(doc, ESTIMATED_KEY, spans, scores)
            yield doc


def _to_doccano(doc: Doc, text_key: str) -> str:
    """doccano reads labels as annotations, and shows other keys next to the text."""
    record = json.loads(to_doccano([doc], text_key))
    group = doc.spans[ESTIMATED_KEY]
    record["suggested"] = [
        to_dict(span) | {"text": span.text, "score": score}
        for span, score in zip(group, group.attrs[SCORES], strict=True)
    ]
    return json.dumps(record, ensure_ascii=False) + "\n"
