"""What all charts are drawn on: a frame with two axes, ticks, a legend and a title.

Colours and sizes are attributes of the elements, so that a chart looks the same in a
page with a strict security policy, in a notebook and on paper. Text has the colour of
the text around the chart.
"""

import math
import unicodedata
from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

# Readable on white and on near black, and apart for most colour-blind readers.
COLORS = (
    "#2b7bba",
    "#dd7a1f",
    "#2f9e68",
    "#c74f4f",
    "#8f6bc4",
    "#9a6a4f",
    "#d45f9f",
    "#7d8590",
)
WIDTH = 440
FONT_SIZE = 14
_LEFT, _RIGHT, _BOTTOM = 66, 14, 48
_PLOT_HEIGHT = 200
_LEGEND_ROW = 21


class Scale(NamedTuple):
    """Maps values to places.

    low (float): The value at the first place.
    high (float): The value at the last one.
    first (float): The first place.
    last (float): The last one.
    """

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """RETURNS (float): The place of a value."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return self.first + share * (self.last - self.first)


def round_ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Choose round numbers for an axis.

    low (float): The lowest value.
    high (float): The highest value.
    count (int): About how many numbers.
    RETURNS (list[float]): The numbers. The first is not above the lowest value, and the
        last not below the highest.
    """
    span = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(span / count))
    step = min(
        (power * factor for factor in (1, 2, 2.5, 5, 10)),
        key=lambda step: abs(span / step - count),
    )
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(i * step, 10) for i in range(first, max(last, first + 1) + 1)]


def whole_ticks(low: int, high: int, count: int = 8) -> list[float]:
    """RETURNS (list[float]): Some whole numbers from the lowest to the highest."""
    step = max(1, math.ceil((high - low) / count))
    return [float(i) for i in range(low, high + 1, step)]


def describe_number(value: float) -> str:
    """RETURNS (str): A number as axes have it."""
    if value == round(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def describe_percent(value: float) -> str:
    """RETURNS (str): A share as axes have it."""
    return f"{100 * value:.3g} %"


class Axis(NamedTuple):
    """An axis of a chart.

    title (str): What is on it.
    ticks (Sequence[float]): The numbers on it.
    describe (Callable): How a number is written.
    low (float | None): Where it begins, if not at the first tick.
    high (float | None): Where it ends, if not at the last one.
    """

    title: str
    ticks: Sequence[float]
    describe: Callable[[float], str] = describe_number
    low: float | None = None
    high: float | None = None


class Key(NamedTuple):
    """An entry of a legend."""

    name: str
    color: str


class Canvas:
    """A chart that is being drawn.

    title (str): What it shows.
    x (Axis): The horizontal axis.
    y (Axis): The vertical axis.
    legend (Sequence[Key]): What colours mean; nothing if that is clear without.
    """

    def __init__(self, title: str, x: Axis, y: Axis, legend: Sequence[Key] = ()):
        self.title = title
        self._parts: list[Markup] = []
        top = 10 + self._draw_legend(legend)
        self.left, self.right = _LEFT, WIDTH - _RIGHT
        self.top, self.bottom = top, top + _PLOT_HEIGHT
        self.height = self.bottom + _BOTTOM
        self.x = Scale(*_ends(x), self.left, self.right)
        self.y = Scale(*_ends(y), self.bottom, self.top)
        self._draw_axes(x, y)

    def add(self, tag: str, content: str = "", /, **attributes: object) -> None:
        """Add an element. Underscores in the names of attributes are hyphens."""
        written = Markup("").join(
            Markup(' {}="{}"').format(name.strip("_").replace("_", "-"), _write(value))
            for name, value in attributes.items()
        )
        template = Markup("<{0}{1}>{2}</{0}>")
        self._parts.append(template.format(Markup(tag), written, content))

    def text(self, text: str, x: float, y: float, /, **attributes: object) -> None:
        """Add text."""
        self.add(
            "text",
            text,
            **{"x": x, "y": y, "fill": "currentColor", **attributes},
        )

    def to_svg(self) -> Markup:
        """RETURNS (Markup): The chart."""
        template = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="100%" '
            'font-size="{}" font-family="inherit" role="img" aria-label="{}">{}</svg>'
        )
        content = Markup("").join(self._parts)
        size = (WIDTH, round(self.height), FONT_SIZE)
        return Markup(template).format(*size, self.title, content)

    def _draw_legend(self, legend: Sequence[Key]) -> float:
        x, row = float(_LEFT), 0
        for name, color in legend:
            width = 22 + text_width(name) + 14
            if x + width > WIDTH and x > _LEFT:
                x, row = float(_LEFT), row + 1
            y = 16 + row * _LEGEND_ROW
            self.add("rect", x=x, y=y - 9, width=14, height=9, rx=2, fill=color)
            self.text(name, x + 20, y)
            x += width
        return (row + 1) * _LEGEND_ROW + 4 if legend else 0

    def _draw_axes(self, x: Axis, y: Axis) -> None:
        line = {"stroke": "currentColor", "stroke_width": 1}
        for tick in y.ticks:
            at = self.y(tick)
            ends = {"x1": self.left, "x2": self.right, "y1": at, "y2": at}
            self.add("line", **ends, **line, stroke_opacity=0.13)
            label = y.describe(tick)
            self.text(label, self.left - 7, at + 5, text_anchor="end", opacity=0.75)
        for tick in x.ticks:
            label = x.describe(tick)
            place = {"text_anchor": "middle", "opacity": 0.75}
            self.text(label, self.x(tick), self.bottom + 19, **place)
        ends = {"x1": self.left, "x2": self.right, "y1": self.bottom, "y2": self.bottom}
        self.add("line", **ends, **line, stroke_opacity=0.45)
        middle = (self.left + self.right) / 2
        self.text(x.title, middle, self.bottom + 41, text_anchor="middle")
        turned = f"rotate(-90 14 {(self.top + self.bottom) / 2:g})"
        place = {"text_anchor": "middle", "transform": turned}
        self.text(y.title, 14, (self.top + self.bottom) / 2, **place)


def _ends(axis: Axis) -> tuple[float, float]:
    low = axis.ticks[0] if axis.low is None else axis.low
    high = axis.ticks[-1] if axis.high is None else axis.high
    return low, high


def text_width(text: str) -> float:
    """RETURNS (float): About how wide a text is."""
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return FONT_SIZE * (0.62 * (len(text) - wide) + wide)


def tooltip(text: str) -> Markup:
    """RETURNS (Markup): What is shown when a pointer rests on an element."""
    return Markup("<title>{}</title>").format(text)


def _write(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
