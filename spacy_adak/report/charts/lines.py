"""A chart of lines: how something goes over rounds or steps."""

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from .canvas import Axis, Canvas, Key, describe_number, tooltip


class Line(NamedTuple):
    """A line of a chart.

    name (str): What it is.
    points (Sequence[tuple[float, float]]): Where it goes.
    color (str): Its colour.
    is_faint (bool): Whether it is only background to others.
    """

    name: str
    points: Sequence[tuple[float, float]]
    color: str
    is_faint: bool = False


def line_chart(
    title: str,
    lines: Sequence[Line],
    x: Axis,
    y: Axis,
    *,
    has_dots: bool = True,
    has_legend: bool = True,
) -> Markup:
    """Draw lines.

    title (str): What the chart shows.
    lines (Sequence[Line]): The lines, the most important one last. Those with one name
        have one entry in the legend.
    x (Axis): The horizontal axis.
    y (Axis): The vertical axis.
    has_dots (bool): Whether points are marked.
    has_legend (bool): Whether the names of the lines are shown.
    RETURNS (Markup): The chart.
    """
    names = {line.name: Key(line.name, line.color) for line in lines}
    canvas = Canvas(title, x, y, list(names.values()) if has_legend else ())
    for line in lines:
        opacity = 0.45 if line.is_faint else 1.0
        places = [(canvas.x(a), canvas.y(b)) for a, b in line.points]
        canvas.add(
            "polyline",
            points=" ".join(f"{a:.1f},{b:.1f}" for a, b in places),
            fill="none",
            stroke=line.color,
            stroke_width=1.5 if line.is_faint else 2.4,
            stroke_opacity=opacity,
            stroke_linejoin="round",
            stroke_linecap="round",
        )
        # A line of one point can only be seen by its dot.
        if has_dots or len(places) == 1:
            for (a, b), place in zip(line.points, places, strict=True):
                text = f"{line.name}, {x.title} {describe_number(a)}: {y.describe(b)}"
                canvas.add(
                    "circle",
                    tooltip(text),
                    cx=place[0],
                    cy=place[1],
                    r=3.5,
                    fill=line.color,
                    fill_opacity=opacity,
                )
    return canvas.to_svg()
