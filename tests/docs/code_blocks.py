"""The code blocks of the documentation."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>.+?) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
# Run over another pipeline by test_pipelines_page.py.
TESTED_ELSEWHERE = ("docs/pipelines.md",)
_COMMAND = re.compile(r"python -m spacy adak ([^\n]*(?:\\\n[^\n]*)*)")


class Block(NamedTuple):
    """A block of code.

    page (str): The page it is on.
    line (int): Where it begins there.
    language (str): What it is written in.
    code (str): The code.
    is_run (bool): Whether it can be run. If not, the page says why.
    """

    page: str
    line: int
    language: str
    code: str
    is_run: bool

    def __str__(self) -> str:
        return f"{self.page}, line {self.line}"


def pages() -> list[str]:
    """All pages with code: the README and docs/, but for those with tests of their
    own."""
    found = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    names = [path.relative_to(ROOT).as_posix() for path in found]
    return [name for name in names if name not in TESTED_ELSEWHERE]


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf8")
    return [
        Block(
            page,
            text.count("\n", 0, match.start()) + 1,
            match["language"],
            match["code"],
            match["reason"] is None,
        )
        for match in _BLOCK.finditer(text)
    ]


def commands_in(code: str) -> list[list[str]]:
    """The arguments of each `python -m spacy adak` in some code."""
    return [
        match.replace("\\\n", " ").split("#")[0].split()
        for match in _COMMAND.findall(code)
    ]
