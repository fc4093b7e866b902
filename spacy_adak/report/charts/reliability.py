"""The reliability diagram: how probable entities were said to be, and how many are
right."""

from collections.abc import Sequence

from markupsafe import Markup

from ..reliability import Bin
from .canvas import COLORS, Axis, Canvas, describe_percent, tooltip


def reliability_chart(title: str, bins: Sequence[Bin]) -> Markup:
    """Draw a reliability diagram, with a 95 % interval for each point. The larger a
    point, the more entities it stands for.

    title (str): What the chart shows.
    bins (Sequence[Bin]): Entities of about the same probability.
    RETURNS (Markup): The chart.
    """
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    canvas = Canvas(
        title,
        Axis("said to be right", ticks, describe_percent, low=-0.02, high=1.02),
        Axis("right", ticks, describe_percent),
    )
    ends = {"x1": canvas.x(0), "y1": canvas.y(0), "x2": canvas.x(1), "y2": canvas.y(1)}
    canvas.add(
        "line", **ends, stroke="currentColor", stroke_dasharray="4 4", opacity=0.5
    )
    total = sum(one.size for one in bins)
    for one in bins:
        x, color = canvas.x(one.mean_probability), COLORS[0]
        low, high = canvas.y(one.right.low), canvas.y(one.right.high)
        canvas.add("line", x1=x, x2=x, y1=low, y2=high, stroke=color, stroke_width=1.6)
        text = (
            f"{one.size:,} entities said to be {one.mean_probability:.0%} sure: "
            f"{one.right.value:.0%} are right"
        )
        radius = 3.0 + 9.0 * (one.size / total) ** 0.5
        canvas.add(
            "circle",
            tooltip(text),
            cx=x,
            cy=canvas.y(one.right.value),
            r=radius,
            fill=color,
            fill_opacity=0.85,
        )
    return canvas.to_svg()
