"""Which annotations count if several people have annotated the same text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Span

RULES = ("union", "intersection", "majority")


class Agreement(NamedTuple):
    """The spans that count, and those that are undecided."""

    entities: list[Span]
    disputed: list[Span]


def agree(
    marked: Mapping[str, Sequence[Span]], rule: str, settled_by: str | None = None
) -> Agreement:
    """Decide which entities count if several annotators have marked a text.

    marked (Mapping[str, Sequence[Span]]): What each of them has marked in the whole
        text, without overlaps.
    rule (str): "union" takes what anybody has marked, unless others have marked another
        span there or the same one with another label. "intersection" takes what all
        have marked, "majority" what more than half of them have.
    settled_by (str | None): The annotator whose word holds, whatever the rule.
    RETURNS (Agreement): The spans that are taken, in order, and the others.
    """
    if not marked:
        return Agreement([], [])
    if settled_by is not None:
        return Agreement(list(marked.get(settled_by, ())), [])
    spans = {_key(span): span for group in marked.values() for span in group}
    ordered = [spans[key] for key in sorted(spans)]
    if rule == "union":
        entities = _without_contradictions(ordered)
    else:
        needed = len(marked) if rule == "intersection" else len(marked) // 2 + 1
        keys = [{_key(span) for span in group} for group in marked.values()]
        entities = [s for s in ordered if sum(_key(s) in k for k in keys) >= needed]
    taken = {_key(span) for span in entities}
    return Agreement(entities, [s for s in ordered if _key(s) not in taken])


def annotator_name(value: Any) -> str | None:
    """Read who has annotated something.

    value (Any): What a file says: a name, a number, or an object with one of these.
    RETURNS (str | None): The name; None if there is none.
    """
    if isinstance(value, dict):
        keys = (key for key in ("email", "username", "id") if value.get(key))
        value = value.get(next(keys, ""))
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    # A name is written to files, and half a character can't be.
    name = str(value).encode("utf8", "backslashreplace").decode("utf8").strip()
    return name or None


def find_annotator(names: Iterable[str], wanted: str) -> str | None:
    """Find an annotator by name.

    names (Iterable[str]): The names to choose from.
    wanted (str): The name, or what follows the name of the dataset in that of a Prodigy
        session: "ann" finds "news-ann".
    RETURNS (str | None): The name as it is among the others.
    """
    named = list(names)
    if wanted in named:
        return wanted
    return next((name for name in named if name.endswith(f"-{wanted}")), None)


def _without_contradictions(ordered: Sequence[Span]) -> list[Span]:
    """The spans that share no token with another, of spans in order."""
    clusters: list[list[Span]] = []
    end = 0
    for span in ordered:
        if not clusters or span.start >= end:
            clusters.append([])
        clusters[-1].append(span)
        end = max(end, span.end)
    return [cluster[0] for cluster in clusters if len(cluster) == 1]


def _key(span: Span) -> tuple[int, int, int]:
    return span.start, span.end, span.label
