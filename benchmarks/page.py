"""Write `benchmarks/RESULTS.md` from the recorded results.

    python -m benchmarks.page

Each benchmark has a section: what its module says of it, the settings it was recorded
with, and its rows. What was written by hand, in `results/*.md`, comes last.
"""

import ast
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import srsly

from .result_files import RESULTS, Row

FOLDER = Path(__file__).parent
PAGE = FOLDER / "RESULTS.md"
INTRODUCTION = """\
# Speed and size

`make bench` repeats the benchmarks that fit in ten minutes and writes this page. Others
have their own command, given in the section. Contenders take turns in one process. Read
the ratios: absolute times depend on the machine and on what else was running on it.
"load average" is the number of processes that wanted a core at the time. Where it is
given, seconds are CPU seconds of one thread. Other results are older, and are
wall-clock time.
"""


def read_module(name: str) -> tuple[str, str]:
    """RETURNS (tuple[str, str]): The first paragraph of a docstring as a title,
    and the rest."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf8"))
    title, _, rest = (ast.get_docstring(tree) or "").partition("\n\n")
    return " ".join(title.split()).rstrip("."), rest


def section(name: str, rows: Sequence[Row]) -> Iterator[str]:
    """Show the results of a benchmark.

    name (str): The name of its module.
    rows (Sequence[Row]): Its results. Those with the same columns make a table.
    YIELDS (str): Paragraphs.
    """
    title, text = read_module(name)
    yield f"## {title}"
    yield text
    for keys, group in groupby(rows, key=tuple):
        if keys == ("settings",):
            yield from (describe(row["settings"]) for row in group)
        else:
            yield table(keys, list(group))


def describe(settings: Row) -> str:
    """RETURNS (str): Settings as a sentence."""
    return "Settings: " + ", ".join(f"{k} {show(v)}" for k, v in settings.items()) + "."


def table(keys: Sequence[str], rows: Sequence[Row]) -> str:
    """RETURNS (str): Rows with the same columns as a table."""
    numeric = [isinstance(rows[0][key], (int, float)) for key in keys]
    lines = [
        [key.replace("_", " ") for key in keys],
        ["---:" if is_number else "---" for is_number in numeric],
        *([show(row[key]) for key in keys] for row in rows),
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def show(value: object) -> str:
    """RETURNS (str): A value for people."""
    if isinstance(value, dict):
        return ", ".join(f"{k} {show(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(map(show, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{round(value, 4):,}"
    return str(value)


def write_page(results: Path, page: Path) -> None:
    """Write the page.

    results (Path): A folder of results.
    page (Path): The file.
    """
    paragraphs = [INTRODUCTION.strip()]
    for path in sorted(results.glob("*.jsonl")):
        if not path.name.startswith("quick."):
            paragraphs += section(path.stem, list(srsly.read_jsonl(path)))
    for path in sorted(results.glob("*.md")):
        paragraphs.append(path.read_text(encoding="utf8").strip())
    page.write_text("\n\n".join(paragraphs) + "\n", encoding="utf8")


if __name__ == "__main__":
    write_page(RESULTS, PAGE)
