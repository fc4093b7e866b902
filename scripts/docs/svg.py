"""What all pictures of the documentation are drawn with.

A picture has a background of its own, so that it is readable on any page, and follows
the light or dark mode of the system.
"""

from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

STYLE = """\
.panel { fill: #ffffff; stroke: #d0d7de; }
text { fill: #1f2328; font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; }
.token { font: 14px ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
.small { font-size: 12px; }
.title { font-weight: 600; }
.soft { fill: #59636e; }
.on-color { fill: #1f2328; }
.line { stroke: #59636e; fill: none; }
.faint { stroke: #d0d7de; fill: none; }
.box { fill: #f6f8fa; stroke: #8c959f; }
@media (prefers-color-scheme: dark) {
  .panel { fill: #161b22; stroke: #3d444d; }
  text { fill: #e6edf3; }
  .soft { fill: #9da7b3; }
  .on-color { fill: #1f2328; }
  .line { stroke: #9da7b3; }
  .faint { stroke: #3d444d; }
  .box { fill: #212830; stroke: #656c76; }
}"""
# The width of a character of a token. Text is set to this width in any font.
TOKEN_WIDTH = 8.43
COLORS = {
    "COMPANY": "#7aecec",
    "PERSON": "#aa9cfc",
    "PLACE": "#feca74",
    "MONEY": "#bfeeb7",
    "O": "#d0d7de",
}

Shape = Literal["dot", "ring", "bar"]


class Entry(NamedTuple):
    """An entry of a legend.

    name (str): What is named.
    color (str): Its color.
    shape (str): What it looks like in the picture.
    """

    name: str
    color: str
    shape: Shape = "dot"


class Picture:
    """A picture that is being drawn.

    title (str): What it shows, for those who can't see it.
    width (int): Its width.
    height (int): Its height.
    """

    def __init__(self, title: str, width: int, height: int) -> None:
        self.title, self.width, self.height = title, width, height
        self._parts: list[str] = []

    def add(self, tag: str, content: str = "", /, **attributes: object) -> None:
        """Add an element. Underscores in the names of attributes are hyphens."""
        written = "".join(
            f' {name.strip("_").replace("_", "-")}="{escape(_write(value))}"'
            for name, value in attributes.items()
        )
        end = f">{content}</{tag}>" if content else "/>"
        self._parts.append(f"<{tag}{written}{end}")

    def text(
        self, text: str, x: float, y: float, kind: str = "", anchor: str = "start"
    ) -> None:
        """Add text; its baseline is at y."""
        self.add("text", escape(text), x=x, y=y, text_anchor=anchor, class_=kind)

    def caption(self, title: str, note: str, x: float, y: float) -> None:
        """Add a title, and a note in small letters after it."""
        kind = 'class="small soft" font-weight="400" dx="10"'
        following = f"<tspan {kind}>{escape(note)}</tspan>"
        self.add("text", escape(title) + following, x=x, y=y, class_="title")

    def token(self, text: str, x: float, y: float, kind: str = "") -> None:
        """Add text of tokens, which is as wide in any font."""
        width = {"textLength": TOKEN_WIDTH * len(text)}
        self.add(
            "text", escape(text), x=x, y=y, class_=f"token {kind}".strip(), **width
        )

    def line(
        self, points: Sequence[tuple[float, float]], kind: str = "line", **more: object
    ) -> None:
        """Add a line through points."""
        path = " ".join(f"{_write(x)},{_write(y)}" for x, y in points)
        self.add("polyline", points=path, class_=kind, **more)

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Add an arrow."""
        self.line([start, end], marker_end="url(#head)", stroke_width=1.5)

    def box(self, x: float, y: float, width: float, height: float, *lines: str) -> None:
        """Add a box with lines of text in the middle, the first one as its title."""
        self.add("rect", x=x, y=y, width=width, height=height, rx=6, class_="box")
        top = y + height / 2 - 8.5 * (len(lines) - 1) + 5
        for i, text in enumerate(lines):
            kind = "small soft" if i else "title"
            self.text(text, x + width / 2, top + 17 * i, kind, "middle")

    def legend(self, entries: Sequence[Entry], left: float = 130.0, y: int = 26) -> int:
        """Add a legend, in as many lines as it takes.

        entries (Sequence[Entry]): The entries.
        left (float): Where lines begin.
        y (int): The baseline of the first line.
        RETURNS (int): The baseline of the last line.
        """
        x = left
        for name, color, shape in entries:
            width = 24 + 7.2 * len(name)
            if x + width > self.width - 10:
                x, y = left, y + 22
            look: dict[str, object] = {"fill": color, "height": 11, "rx": 5.5}
            look["width"] = 11
            if shape == "bar":
                look |= {"height": 15, "rx": 1, "width": 4}
            elif shape == "ring":
                look |= {"fill": "none", "stroke": color, "stroke_width": 2}
            self.add("rect", x=x, y=y - 10, **look)
            self.text(name, x + 17, y, "small")
            x += width + 12
        return y

    def mark(
        self, x: float, y: float, text: str, label: str, *, dashed: bool = False
    ) -> float:
        """Add an entity as displaCy draws it, or with a dashed frame if it was found.

        x (float): Where it begins.
        y (float): The baseline of its text.
        text (str): The entity.
        label (str): Its type and what else is to be said of it.
        dashed (bool): Whether the frame is dashed.
        RETURNS (float): Where it ends.
        """
        inner = TOKEN_WIDTH * len(text)
        width = inner + _label_width(label) + 26
        frame: dict[str, object] = {"rx": 5, "fill": COLORS[label.split()[0]]}
        if dashed:
            frame |= {"stroke": "#8f6bc4", "stroke_width": 2, "stroke_dasharray": "5 3"}
        self.add("rect", x=x, y=y - 18, width=width, height=26, **frame)
        self.token(text, x + 7, y, "on-color")
        self.text(label, x + inner + 15, y, "small on-color title")
        return x + width

    def to_svg(self) -> str:
        """RETURNS (str): The picture."""
        frame = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'role="img" aria-label="{escape(self.title)}">'
        )
        head = (
            '<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" '
            'markerWidth="7" markerHeight="7" orient="auto">'
            '<path d="M0,0 L10,5 L0,10 z" fill="#8c959f"/></marker></defs>'
        )
        panel = (
            f'<rect x="0.5" y="0.5" width="{self.width - 1}" '
            f'height="{self.height - 1}" rx="10" class="panel"/>'
        )
        title = f"<title>{escape(self.title)}</title>"
        parts = [frame, title, f"<style>{STYLE}</style>", head, panel, *self._parts]
        return "\n".join([*parts, "</svg>", ""])


def _label_width(label: str) -> float:
    """The most that small bold letters take in common fonts."""
    return sum(9.4 if letter.isupper() else 7.4 for letter in label)


def _write(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
