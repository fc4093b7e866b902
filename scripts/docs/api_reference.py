"""The page with the functions and classes to be used from Python, from their
docstrings."""

import re
from collections.abc import Callable
from inspect import Parameter, cleandoc, signature
from typing import Any, NamedTuple

from wasabi import MarkdownRenderer

import spacy_adak
from scripts.make_configuration import read_docstring
from spacy_adak.data.combine import combine
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import corrupt
from spacy_adak.packaging.package import package
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.report.debug_data import check_config, check_files
from spacy_adak.report.evaluation import Evaluation, evaluate
from spacy_adak.report.finding import Finding
from spacy_adak.report.review import write_review
from spacy_adak.report.run_report import RunReport, write_report
from spacy_adak.report.sample import draw_sample
from spacy_adak.review.merge import merge
from spacy_adak.review.suggest import suggest
from spacy_adak.run.folder import Round

INTRODUCTION = """\
Generated from the docstrings by `python -m scripts.docs`. Each command calls a plain
function, which you can call as well. Functions that are not part of the package itself
are imported from the module that is named here. Registered architectures, losses and
readers are in the [configuration reference](configuration.md)."""


class Section(NamedTuple):
    """A part of the page.

    title (str): Its title.
    text (str): What to know before.
    members (tuple[Callable, ...]): What it describes.
    """

    title: str
    text: str
    members: tuple[Callable, ...]


SECTIONS = (
    Section(
        "Training",
        "`spacy_adak` itself has these. They are imported when they are first used, so "
        "that `import spacy_adak` is fast.",
        (
            spacy_adak.train,
            Round,
            spacy_adak.make_report,
            spacy_adak.render_suggestions,
        ),
    ),
    Section(
        "The component",
        '`nlp.get_pipe("adak_ner")` is an object of this class. It has the methods of '
        "any spaCy component; listed here is what it adds.",
        (
            AdaKRecognizer,
            AdaKRecognizer.predict,
            AdaKRecognizer.kbest,
            AdaKRecognizer.tag_scores,
            AdaKRecognizer.score,
        ),
    ),
    Section(
        "Data", "", (convert, combine, corrupt, check_files, check_config, Finding)
    ),
    Section(
        "Evaluation and reports", "", (evaluate, Evaluation, write_report, RunReport)
    ),
    Section("Review", "", (suggest, write_review, merge, draw_sample)),
    Section("Packaging", "", (package,)),
)
_RETURNS = re.compile(r"^(RETURNS|YIELDS) \((.+?)\): ")


def make_api_page() -> str:
    """RETURNS (str): The page."""
    md = MarkdownRenderer()
    md.add(md.title(1, "Python API"))
    md.add(INTRODUCTION)
    for section in SECTIONS:
        md.add(md.title(2, section.title))
        if section.text:
            md.add(section.text)
        for member in section.members:
            md.add(_describe(member))
    return f"{md.text}\n"


def _describe(member: Callable) -> str:
    md = MarkdownRenderer()
    is_class = isinstance(member, type)
    name = member.__qualname__
    md.add(md.title(3, f"`{name}`"))
    if "." not in name:
        module = member.__module__
        if name in spacy_adak.__all__:
            module = "spacy_adak"
        md.add(f"```python\nfrom {module} import {name}\n```")
    introduction, described = read_docstring(member.__doc__ or "")
    md.add(introduction)
    if described:
        defaults = {} if is_class else _defaults(member)
        settings = [
            (md.code(key), kind.replace("|", "or"), text, defaults.get(key, ""))
            for key, (kind, text) in described.items()
            if key not in ("RETURNS", "YIELDS")
        ]
        header = ["Name", "Type", "What it is", "Default"]
        columns = 4 if any(default for *_, default in settings) else 3
        rows = [setting[:columns] for setting in settings]
        md.add(md.table(rows, header[:columns]))
    if returns := _read_returns(member.__doc__ or ""):
        md.add(returns)
    return md.text


def _defaults(function: Callable) -> dict[str, str]:
    parameters = signature(function).parameters.values()
    return {
        parameter.name: _write_default(parameter.default)
        for parameter in parameters
        if parameter.default is not Parameter.empty
    }


def _write_default(value: Any) -> str:
    # A function as default has its address in its representation.
    return "" if callable(value) else f"`{value!r}`"


def _read_returns(docstring: str) -> str:
    """RETURNS (str): What a docstring says of the value, or nothing."""
    lines: list[str] = []
    for line in cleandoc(docstring).splitlines():
        if found := _RETURNS.match(line):
            kind = found[2].replace("|", "or")
            lines = [f"**{found[1].capitalize()}** {kind}: {line[found.end() :]}"]
        elif lines:
            if not line.strip():
                break
            lines.append(line.strip())
    return " ".join(lines)
