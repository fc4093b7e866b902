"""Drawings of what the package does, and of its concepts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from .svg import COLORS, TOKEN_WIDTH, Picture

_CROSS = "#c74f4f"
_TAGS = ("B-PER", "L-PER", "U-ORG", "O")
_TOKENS = ("Maren", "Caldson", "left", "Beacon")


def draw_before_after(example: Path) -> str:
    """RETURNS (str): A sentence as it was annotated, and as the pipeline reads it.

    example (Path): The sentence, as `scripts.docs.example` stores it.
    """
    stored = json.loads(example.read_text(encoding="utf8"))
    text, marked, found = stored["text"], stored["marked"], stored["found"]
    picture = Picture("A sentence before and after training", 975, 176)
    note = "one of three entities; the rest is unknown"
    picture.caption("What the annotators marked", note, 20, 32)
    labels = {(start, end): label for start, end, label in marked}
    _write_sentence(picture, text, labels, 68, unknown=True)
    note = "trained on such sentences alone, with probabilities"
    picture.caption("What the pipeline finds", note, 20, 114)
    scored = {(start, end): f"{label} {p:.2f}" for start, end, label, p in found}
    _write_sentence(picture, text, scored, 150, facts=labels)
    return picture.to_svg()


def _write_sentence(
    picture: Picture,
    text: str,
    labels: Mapping[tuple[int, int], str],
    y: float,
    *,
    unknown: bool = False,
    facts: Mapping[tuple[int, int], str] | None = None,
) -> None:
    x, position = 20.0, 0
    for (start, end), label in [*sorted(labels.items()), ((len(text), len(text)), "")]:
        for word in text[position:start].split():
            width = TOKEN_WIDTH * len(word)
            picture.token(word, x, y)
            if unknown:
                ends = [(x, y + 7), (x + width, y + 7)]
                picture.line(ends, stroke_dasharray="2 3", stroke_width=1.5)
            x += width + TOKEN_WIDTH
        if label:
            is_new = facts is not None and (start, end) not in facts
            x = picture.mark(x, y, text[start:end], label, dashed=is_new) + 8
        position = end


def draw_unknown() -> str:
    """RETURNS (str): The three things that an annotation can say of a token."""
    picture = Picture("A token is an entity, outside, or unknown", 720, 190)
    words = [
        ("Maren Caldson", "PERSON"),
        ("joined", "?"),
        ("Beacon", "?"),
        ("in", "O"),
        ("May", "O"),
    ]
    x, y = 24.0, 52
    for word, state in words:
        if state == "PERSON":
            x = picture.mark(x, y, word, state) + 12
            continue
        width = TOKEN_WIDTH * len(word) + 14
        more: dict[str, object] = {"fill": COLORS["O"]}
        if state == "?":
            more = {"class_": "line", "stroke_dasharray": "3 3"}
        picture.add("rect", x=x, y=y - 18, width=width, height=26, rx=5, **more)
        kind = "token on-color" if state == "O" else "token"
        picture.text(word, x + 7, y, kind)
        x += width + 12
    rows = [
        ("entity", "somebody marked it: a fact, with its bounds and its type"),
        ("outside (O)", "somebody looked and there is no entity: a fact, too"),
        ("unknown (missing)", "nobody said anything: it may be either"),
    ]
    for i, (name, meaning) in enumerate(rows):
        picture.text(name, 24, 102 + 28 * i, "title")
        picture.text(meaning, 190, 102 + 28 * i)
    return picture.to_svg()


def draw_q() -> str:
    """RETURNS (str): Where q is from: a model that has not seen the text."""
    picture = Picture("q is estimated by models that have not seen a text", 720, 250)
    for i, y in enumerate((24, 96, 168)):
        is_left_out = i == 2
        color = "#feca74" if is_left_out else "#9cc9ff"
        picture.add("rect", x=24, y=y, width=150, height=56, rx=6, fill=color)
        picture.text(f"texts, fold {i + 1}", 99, y + 26, "title on-color", "middle")
        role = "left out" if is_left_out else "trained on"
        picture.text(role, 99, y + 44, "small on-color", "middle")
    picture.box(262, 60, 140, 56, "fold model 3", "fresh weights")
    picture.arrow((176, 52), (260, 82))
    picture.arrow((176, 124), (260, 96))
    picture.arrow((332, 118), (332, 186))
    picture.arrow((176, 196), (262, 196))
    picture.text("reads fold 3", 268, 201)
    picture.arrow((362, 196), (440, 196))
    picture.text("q of “joined Beacon”", 450, 60, "title")
    bars = [
        ("Beacon = U-COMPANY", 0.71),
        ("Beacon = O", 0.24),
        ("Beacon = U-PLACE", 0.05),
    ]
    for i, (name, value) in enumerate(bars):
        y = 92 + 44 * i
        picture.text(f"{name}  {value:.2f}", 450, y, "small")
        color = COLORS["O"] if name.endswith("= O") else COLORS[name.split("-")[1]]
        picture.add(
            "rect", x=450, y=y + 6, width=240 * value, height=13, rx=2, fill=color
        )
    picture.text("weights of the readings in the next training", 450, 218, "small soft")
    return picture.to_svg()


def draw_kbest() -> str:
    """RETURNS (str): The K best paths that agree with the annotation."""
    picture = Picture("The K best readings that agree with the annotation", 720, 262)
    _draw_lattice(picture, allowed=None)
    paths = [((0, 1, 3, 2), "#2b7bba", "0.62"), ((0, 1, 3, 3), "#dd7a1f", "0.30")]
    for i, (tags, color, probability) in enumerate(paths):
        points = [_place(token, tag) for token, tag in enumerate(tags)]
        shifted = [(x, y + 3 * (2 * i - 1)) for x, y in points]
        picture.line(shifted, stroke_width=3, style=f"stroke: {color}")
        y = 84 + 40 * i
        picture.add("rect", x=528, y=y - 10, width=22, height=6, rx=3, fill=color)
        picture.text(f"p = {probability}", 560, y, "title")
    picture.text("K = 2: these two count,", 528, 172, "small")
    picture.text("by their probabilities.", 528, 190, "small")
    picture.text("Others do not.", 528, 208, "small")
    return picture.to_svg()


def draw_mask() -> str:
    """RETURNS (str): The tags that q may use."""
    picture = Picture("The mask: the tags that q may use", 720, 240)
    allowed = {(0, 0), (1, 1), (2, 3), (3, 2), (3, 3)}
    _draw_lattice(picture, allowed)
    entries = [
        ("#2f9e68", "allowed: by annotation,"),
        ("", "K-best path, dictionary"),
        (_CROSS, "masked: q is 0"),
    ]
    for i, (color, text) in enumerate(entries):
        y = 84 + 24 * i
        if color == _CROSS:
            _draw_cross(picture, 536, y - 5)
        elif color:
            picture.add("circle", cx=536, cy=y - 5, r=7, fill=color)
        picture.text(text, 552, y, "small")
    return picture.to_svg()


def _place(token: int, tag: int) -> tuple[float, float]:
    return 140.0 + 110 * token, 76.0 + 44 * tag


def _draw_lattice(picture: Picture, allowed: set[tuple[int, int]] | None) -> None:
    for tag, name in enumerate(_TAGS):
        picture.text(name, 24, _place(0, tag)[1] + 5, "small soft")
    for token, word in enumerate(_TOKENS):
        x = _place(token, 0)[0]
        picture.text(word, x, 36, "token", "middle")
        if token < 2:
            picture.text("marked PER", x, 52, "small soft", "middle")
        for tag in range(len(_TAGS)):
            x, y = _place(token, tag)
            if allowed is None:
                picture.add("circle", cx=x, cy=y, r=11, class_="box")
            elif (token, tag) in allowed:
                picture.add("circle", cx=x, cy=y, r=11, fill="#2f9e68")
            else:
                _draw_cross(picture, x, y)


def _draw_cross(picture: Picture, x: float, y: float) -> None:
    for slope in (-6, 6):
        ends = [(x - 6, y - slope), (x + 6, y + slope)]
        picture.line(ends, stroke_width=2, style=f"stroke: {_CROSS}")


_STEPS: Sequence[tuple[str, str]] = (
    ("convert", "data/"),
    ("cut", "annotation/"),
    ("shards on disk", "shards/"),
    ("fold models", "tasks/"),
    ("q in the mask", "q/"),
    ("final training", "tasks/"),
    ("calibration", "pipeline/"),
    ("model-best", "run/"),
)


def draw_run() -> str:
    """RETURNS (str): The way of one text through a run."""
    picture = Picture("The way of one text through a run of adak train", 760, 250)
    for i, (name, folder) in enumerate(_STEPS):
        row, column = divmod(i, 4)
        # The second row goes on below the end of the first.
        column = 3 - column if row else column
        x, y = 20 + 184 * column, 30 + 118 * row
        picture.box(x, y, 160, 58, name, folder)
        if i in (0, 1, 2):
            picture.arrow((x + 160, y + 29), (x + 183, y + 29))
        elif i == 3:
            picture.arrow((x + 80, y + 58), (x + 80, y + 117))
        elif i < 7:
            picture.arrow((x, y + 29), (x - 23, y + 29))
    picture.line(
        [(468, 206), (468, 224), (744, 224), (744, 59), (733, 59)],
        stroke_dasharray="4 4",
    )
    picture.text("next round", 570, 241, "small soft")
    return picture.to_svg()
