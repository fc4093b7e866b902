"""A chart of lines over a few values of x."""

from collections.abc import Sequence
from typing import NamedTuple

from .svg import Picture

_INSET = 12


class LineChart(NamedTuple):
    """A place in a picture, and what values are where in it.

    left (float): The left edge.
    top (float): The upper edge.
    width (float): The width.
    height (float): The height.
    xs (Sequence[float]): The values of x, which are shown at equal distances.
    low (int): The lowest value of y.
    high (int): The highest value of y.
    """

    left: float
    top: float
    width: float
    height: float
    xs: Sequence[float]
    low: int
    high: int

    def place(self, x: float, y: float) -> tuple[float, float]:
        """RETURNS (tuple[float, float]): Where a point is in the picture."""
        step = (self.width - 2 * _INSET) / (len(self.xs) - 1 or 1)
        share = (y - self.low) / (self.high - self.low)
        return (
            self.left + _INSET + step * self.xs.index(x),
            self.top + self.height * (1 - share),
        )

    def draw_frame(self, picture: Picture, title: str, x_title: str, step: int) -> None:
        """Draw what the lines are drawn into.

        picture (Picture): The picture.
        title (str): What is shown.
        x_title (str): What x is.
        step (int): The distance of the horizontal lines.
        """
        right, bottom = self.left + self.width, self.top + self.height
        picture.text(title, self.left, self.top - 10, "title")
        for tick in range(self.low, self.high + 1, step):
            _, y = self.place(self.xs[0], tick)
            picture.line([(self.left, y), (right, y)], "faint")
            picture.text(str(tick), self.left - 8, y + 4, "small soft", "end")
        for value in self.xs:
            x, _ = self.place(value, self.low)
            picture.text(f"{value:g}", x, bottom + 18, "small soft", "middle")
        middle = (self.left + right) / 2
        picture.text(x_title, middle, bottom + 42, "small soft", "middle")

    def draw_line(
        self,
        picture: Picture,
        points: Sequence[tuple[float, float]],
        color: str,
        *,
        dashed: bool = False,
    ) -> None:
        """Draw a line with a circle at each point.

        picture (Picture): The picture.
        points (Sequence[tuple[float, float]]): The points, by x and y.
        color (str): The color.
        dashed (bool): Whether the line is dashed and its circles are open.
        """
        places = [self.place(x, y) for x, y in points]
        style = f"stroke: {color}"
        more = {"stroke_dasharray": "5 3"} if dashed else {}
        picture.line(places, stroke_width=2.5, style=style, **more)
        for x, y in places:
            look = {"class_": "panel", "style": style} if dashed else {"fill": color}
            picture.add("circle", cx=x, cy=y, r=4.5, **look)
