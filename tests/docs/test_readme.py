"""The README is short, and its results are the stored ones."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf8")
RESULTS = (ROOT / "RESULTS.md").read_text(encoding="utf8")
# What the README calls the columns of RESULTS.md.
COLUMNS = ("CRF", "our default", "the paper")


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the first table after a heading, with its titles."""
    table = text.split(f"\n{heading}\n", 1)[1]
    lines = re.findall(r"^\|.*\|$", table.split("\n## ", 1)[0], re.MULTILINE)
    return [
        [cell.strip(" *") for cell in line.strip("|").split("|")]
        for line in lines
        if not set(line) <= set("|-: ")
    ]


def test_readme_takes_a_minute() -> None:
    assert len(README.splitlines()) <= 150


def test_results_are_those_of_the_results_page() -> None:
    titles, *stored = rows(RESULTS, "## Recovery")
    found = {
        tuple(row[:3]): [row[titles.index(column)] for column in COLUMNS]
        for row in stored
    }
    _, *shown = rows(README, "## Results")
    assert len(shown) == 3
    for dataset, *values in shown:
        assert values[:3] == found[dataset, "random", "0.2"]
        assert values[3:] == found[dataset, "entity", "0.2"]


def test_gain_of_decisions_is_that_of_the_results_page() -> None:
    said = re.search(r"100\s+decisions[^.]*?from\s+([\d.]+)\s+to\s+([\d.]+)", README)
    titles, *stored = rows(RESULTS, "## Decisions")
    youku = next(row for row in stored if row[:3] == ["Youku", "entity", "0.2"])
    expected = [
        youku[titles.index(title)] for title in ("nothing decided", "100 by form")
    ]
    assert said is not None
    assert list(said.groups()) == expected
