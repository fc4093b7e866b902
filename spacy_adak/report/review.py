"""A page to go through suggestions: by form, ranked by what a decision is worth, or by
place. Decisions are made with the keys that Prodigy's users know, and saved as JSONL.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..data.decisions import FormDecision, PlaceDecision, read_decisions
from ..data.outputs import refuse_to_overwrite_inputs
from ..data.suggestions import Group, SuggestedSpan, Suggestion, read_suggestions
from ..data.summary import Problem, Summary
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


# More than a person decides, and what a page shows without delay.
LIMIT = 20_000


class ReviewPage(NamedTuple):
    """The result of writing a page.

    suggestions (int): How many suggestions it has.
    of_suggestions (int): How many there are.
    problems (list[Problem]): Lines that were left out, and why.
    decisions (int): How many decisions it begins with.
    other_decisions (int): How many of these are about other suggestions.
    """

    suggestions: int
    of_suggestions: int
    problems: list[Problem]
    decisions: int = 0
    other_decisions: int = 0


def write_review(
    suggestions: Path,
    output: Path,
    *,
    decisions: Path | None = None,
    title: str | None = None,
    limit: int = LIMIT,
) -> ReviewPage:
    """Write a page for deciding about suggestions.

    suggestions (Path): The suggestions, a JSONL file.
    output (Path): The HTML file to write.
    decisions (Path | None): Decisions to continue with, as saved by the page.
    title (str | None): The title of the page; the name of the file if not given.
    limit (int): How many suggestions the page has, approximately: the forms where a
        decision is worth most, with all of their places.
    RETURNS (ReviewPage): What came of it.
    """
    suggestions, output = Path(suggestions), Path(output)
    refuse_to_overwrite_inputs(output, suggestions, decisions)
    summary = Summary()
    # The file is read twice, so that no more is in memory than the page has.
    forms = _Forms()
    for suggestion in read_suggestions(suggestions, summary):
        forms.add(suggestion)
    if not forms.places:
        problem = f" The first problem: {p[0]}" if (p := summary.problems) else ""
        raise ValueError(Errors.A403.format(path=suggestions, problem=problem))
    chosen = forms.most_valuable(limit)
    rows = [s for s in read_suggestions(suggestions, Summary()) if s.group in chosen]
    made = _read_decisions(Path(decisions), summary) if decisions is not None else []
    title = suggestions.stem if title is None else title
    write_page(
        output,
        "review/page.html",
        styles=("theme.css", "review/page.css"),
        scripts=[f"{name}.js" for name in _SCRIPTS],
        data={
            **to_page_data(rows),
            "title": title,
            "isDrawn": all(suggestion.draw is not None for suggestion in rows),
            "decisions": [
                decision.model_dump(exclude_none=True, mode="python")
                for decision in made
            ],
        },
        title=title,
    )
    return ReviewPage(
        len(rows),
        forms.places,
        summary.problems,
        len(made),
        len(made) - sum(_about_any(rows, made)),
    )


def _read_decisions(path: Path, summary: Summary) -> list[FormDecision | PlaceDecision]:
    """The decisions of a file, which has none if nothing was decided yet."""
    problems = len(summary.problems)
    made = read_decisions(path, summary)
    if not made and (mine := summary.problems[problems:]):
        problem = f" The first problem: {mine[0]}"
        raise ValueError(Errors.A453.format(path=path, problem=problem))
    return made


def _about_any(
    rows: Sequence[Suggestion], decisions: Iterable[FormDecision | PlaceDecision]
) -> Iterator[bool]:
    """Whether each decision is about one of the suggestions."""
    known: set[tuple[Any, ...]] = {suggestion.group for suggestion in rows}
    known.update(suggestion.place for suggestion in rows)
    for decision in decisions:
        if isinstance(decision, FormDecision):
            label = (decision.suggested or decision).label
            yield (decision.form, label, decision.kind) in known
        else:
            was = decision.suggested or decision
            place = (decision.text, was.start, was.end, was.label, decision.kind)
            yield place in known


class _Forms:
    """Statistics over all suggestions, to choose some of them."""

    def __init__(self) -> None:
        self.places = 0
        self._counts: Counter[Group] = Counter()
        self._values: dict[Group, float] = {}

    def add(self, suggestion: Suggestion) -> None:
        """Count a suggestion."""
        group, value = suggestion.group, suggestion.value
        self.places += 1
        self._counts[group] += 1
        self._values[group] = max(value, self._values.get(group, value))

    def most_valuable(self, limit: int) -> set[Group]:
        """Choose the forms on which a decision is worth most.

        limit (int): How many suggestions to choose, if the last form did not have more.
        RETURNS (set[Group]): The forms.
        """
        chosen: set[Group] = set()
        count = 0
        for group in sorted(self._values, key=lambda group: -self._values[group]):
            if count >= limit:
                break
            chosen.add(group)
            count += self._counts[group]
        return chosen


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
    rows = []
    for suggestion in suggestions:
        text_id = text_ids.setdefault(suggestion.text, len(text_ids))
        annotated.setdefault(text_id, [to_row(span) for span in suggestion.annotated])
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
            for (form, label, kind), members in _ranked_groups(suggestions)
        ],
    }
    # Decisions of an earlier page of the same suggestions are found by it.
    digest = hashlib.sha256(to_embedded_json(data).encode("utf8")).hexdigest()
    return {"id": digest[:16], "colors": list(colors.values()), **data}


def _ranked_groups(
    suggestions: Sequence[Suggestion],
) -> list[tuple[Group, list[int]]]:
    """The places of each form, that of the highest value first."""
    groups: dict[Group, list[int]] = defaultdict(list)
    for i, suggestion in enumerate(suggestions):
        groups[suggestion.group].append(i)
    return sorted(
        groups.items(),
        key=lambda item: -max(suggestions[i].value for i in item[1]),
    )


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
