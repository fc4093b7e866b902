"""A chart of bars, each made of parts: one bar per round, one part per type."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from .canvas import Axis, Canvas, Key, tooltip

_SHARE_OF_ROOM = 0.62
_WIDEST = 56.0


def stacked_bars(
    title: str,
    bars: Sequence[tuple[int, Mapping[str, float]]],
    colors: Mapping[str, str],
    x_title: str,
    y: Axis,
) -> Markup:
    """Draw bars.

    title (str): What the chart shows.
    bars (Sequence[tuple[int, Mapping[str, float]]]): The number below each bar, and the
        heights of its parts by their names.
    colors (Mapping[str, str]): The parts from the ground up, with their colours.
    x_title (str): What the numbers below are.
    y (Axis): The vertical axis.
    RETURNS (Markup): The chart.
    """
    first, last = bars[0][0], bars[-1][0]
    room = -(-len(bars) // 12)
    x = Axis(x_title, [n for n, _ in bars][::room], low=first - 0.5, high=last + 0.5)
    legend = [Key(name, color) for name, color in colors.items()]
    canvas = Canvas(title, x, y, legend if len(legend) > 1 else ())
    width = min((canvas.x(1) - canvas.x(0)) * _SHARE_OF_ROOM, _WIDEST)
    for number, parts in bars:
        ground = 0.0
        for name, color in colors.items():
            height = parts.get(name, 0.0)
            if not height:
                continue
            top = canvas.y(ground + height)
            canvas.add(
                "rect",
                tooltip(f"{x_title} {number}, {name}: {y.describe(height)}"),
                x=canvas.x(number) - width / 2,
                y=top,
                width=width,
                height=canvas.y(ground) - top,
                fill=color,
            )
            ground += height
    return canvas.to_svg()
