"""Suggestions in a notebook, drawn by displaCy."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from spacy import displacy

from ..data.suggestions import SuggestedSpan, Suggestion, read_suggestions
from ..data.summary import Summary
from .colors import label_colors


def render_suggestions(
    suggestions: Iterable[Suggestion] | str | Path,
    *,
    limit: int = 20,
    jupyter: bool | None = None,
) -> str | None:
    """Show suggestions in their texts, the most valuable ones first and each form once,
    with their probabilities and what is annotated in the same text.

    suggestions (Iterable[Suggestion] | str | Path): The suggestions, or their file.
    limit (int): How many are shown.
    jupyter (bool | None): Whether to display them. If None, in a notebook only.
    RETURNS (str | None): HTML, if it is not displayed.
    """
    if isinstance(suggestions, str | Path):
        suggestions = read_suggestions(Path(suggestions), Summary())
    by_form: dict[Any, Suggestion] = {}
    for suggestion in suggestions:
        shown = by_form.setdefault(suggestion.group, suggestion)
        if shown.score < suggestion.score:
            by_form[suggestion.group] = suggestion
    ranked = sorted(by_form.values(), key=lambda suggestion: -suggestion.value)[:limit]
    labels = {span.label for one in ranked for span in (one, *one.annotated)}
    return displacy.render(
        [_to_displacy(suggestion) for suggestion in ranked],
        style="ent",
        manual=True,
        jupyter=jupyter,
        options={"colors": label_colors(labels)},
    )


def _to_displacy(suggestion: Suggestion) -> dict[str, Any]:
    note = f"{100 * suggestion.score:.0f} %"
    if suggestion.kind == "doubtful":
        note = f"doubtful, {note}"
    beside = [
        span
        for span in suggestion.annotated
        if span.end <= suggestion.start or suggestion.end <= span.start
    ]
    spans = [
        _to_span(suggestion, f"{suggestion.label} {note}"),
        *(_to_span(span, span.label) for span in beside),
    ]
    return {"text": suggestion.text, "ents": spans, "title": None}


def _to_span(span: SuggestedSpan, name: str) -> dict[str, Any]:
    # displaCy looks the colour up by the label, and writes labels as they are.
    return {
        "start": span.start,
        "end": span.end,
        "label": span.label,
        "params": {"label": escape(name)},
    }
