"""Colours of entity types: those of displaCy, and others for types it does not know."""

from collections.abc import Iterable

from spacy.displacy.render import EntityRenderer

# As light as those of displaCy, for dark text, and well apart from each other.
_PALETTE = (
    "#7aecec",
    "#feca74",
    "#aa9cfc",
    "#bfeeb7",
    "#ff9561",
    "#ffeb80",
    "#f0b6e0",
    "#9cc9ff",
    "#c9e265",
    "#e0c3a4",
    "#ff8197",
    "#9cc9cc",
)


def label_colors(labels: Iterable[str]) -> dict[str, str]:
    """Choose the colours of entity types.

    labels (Iterable[str]): The types.
    RETURNS (dict[str, str]): A colour for each type, in the order of their names.
    """
    known = EntityRenderer().colors
    labels = sorted(set(labels))
    used = {known[label.upper()] for label in labels if label.upper() in known}
    free = [color for color in _PALETTE if color not in used] or list(_PALETTE)
    colors = {}
    for label in labels:
        if label.upper() in known:
            colors[label] = known[label.upper()]
        else:
            free.append(free.pop(0))
            colors[label] = free[-1]
    return colors
