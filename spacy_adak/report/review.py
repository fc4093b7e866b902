"""A page to go through suggestions: by form, ranked by what a decision is worth, or by
place. Decisions are made with the keys that Prodigy's users know, and saved as JSONL.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..data.decisions import read_decisions
from ..data.suggestions import SuggestedSpan, Suggestion, read_suggestions
from ..data.summary import Summary
from ..errors import Errors
from .colors import label_colors
from .page import to_embedded_json, write_page

_SCRIPTS = (
    "theme",
    "review/data",
    "review/decisions",
    "review/storage",
    "review/words",
    "review/text",
    "review/filters",
    "review/pace",
    "review/list",
    "review/card",
    "review/files",
    "review/dialogs",
    "review/keys",
    "review/main",
)


def write_review(
    suggestions: Path,
    output: Path,
    *,
    decisions: Path | None = None,
    title: str | None = None,
) -> Summary:
    """Write a page to decide about suggestions.

    suggestions (Path): The suggestions, a JSONL file.
    output (Path): The HTML file to write.
    decisions (Path | None): Decisions to begin with, as the page has saved them.
    title (str | None): The title of the page; the name of the file if not given.
    RETURNS (Summary): Lines that were left out, and why.
    """
    suggestions, output = Path(suggestions), Path(output)
    summary = Summary(outputs=[output])
    rows = read_suggestions(suggestions, summary)
    if not rows:
        problem = f" The first problem: {p[0]}" if (p := summary.problems) else ""
        raise ValueError(Errors.A403.format(path=suggestions, problem=problem))
    made = read_decisions(Path(decisions), summary) if decisions is not None else []
    title = suggestions.stem if title is None else title
    write_page(
        output,
        "review/page.html",
        styles=("theme.css", "review/page.css"),
        scripts=[f"{name}.js" for name in _SCRIPTS],
        data={
            **to_page_data(rows),
            "title": title,
            "decisions": [
                decision.model_dump(exclude_none=True, mode="python")
                for decision in made
            ],
        },
        title=title,
    )
    return summary


def to_page_data(suggestions: Sequence[Suggestion]) -> dict[str, Any]:
    """What the page shows, in a compact form: texts and groups are there once.

    suggestions (Sequence[Suggestion]): The suggestions.
    RETURNS (dict[str, Any]): The data, with a hash of it under "id".
    """
    colors = label_colors(_labels(suggestions))
    label_ids = {label: i for i, label in enumerate(colors)}

    def to_row(span: SuggestedSpan) -> list[int]:
        return [span.start, span.end, label_ids[span.label]]

    text_ids: dict[str, int] = {}
    annotated: dict[int, list[list[int]]] = {}
    groups: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    rows = []
    for i, suggestion in enumerate(suggestions):
        text_id = text_ids.setdefault(suggestion.text, len(text_ids))
        annotated.setdefault(text_id, [to_row(span) for span in suggestion.annotated])
        groups[suggestion.group].append(i)
        readings = [
            [reading.probability, [to_row(span) for span in reading.spans]]
            for reading in suggestion.alternatives
        ]
        rows.append(
            [
                text_id,
                *to_row(suggestion),
                suggestion.kind,
                suggestion.score,
                suggestion.line,
                readings,
            ]
        )
    ranked = sorted(
        groups.items(),
        key=lambda item: -max(suggestions[i].value for i in item[1]),
    )
    data = {
        "labels": list(colors),
        "texts": list(text_ids),
        "annotated": [annotated[i] for i in range(len(text_ids))],
        "suggestions": rows,
        "groups": [
            [
                form,
                label_ids[label],
                kind,
                max(suggestions[i].value for i in members),
                *_counts(suggestions[members[0]]),
                # The clearest example of a form comes first.
                sorted(members, key=lambda i: -suggestions[i].score),
            ]
            for (form, label, kind), members in ranked
        ],
    }
    # Decisions of an earlier page of the same suggestions are found by it.
    digest = hashlib.sha256(to_embedded_json(data).encode("utf8")).hexdigest()
    return {"id": digest[:16], "colors": list(colors.values()), **data}


def _counts(suggestion: Suggestion) -> tuple[int, int, int]:
    return suggestion.found, suggestion.marked, suggestion.outside


def _labels(suggestions: Iterable[Suggestion]) -> set[str]:
    labels = set()
    for suggestion in suggestions:
        labels.add(suggestion.label)
        labels.update(span.label for span in suggestion.annotated)
        for reading in suggestion.alternatives:
            labels.update(span.label for span in reading.spans)
    return labels
