"""The page with all commands and their options, from the code of the commands."""

import json
from collections.abc import Callable
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo
from wasabi import MarkdownRenderer

from spacy_adak.cli import adak_cli

INTRODUCTION = """\
Generated from the code by `python -m scripts.docs`. All commands are subcommands of
`python -m spacy adak`, and each of them explains itself with `--help`."""
PROGRAM = "python -m spacy adak"
_TYPES = {int: "INTEGER", float: "FLOAT", str: "TEXT", Path: "PATH", bool: ""}


def commands() -> dict[str, Callable]:
    """RETURNS (dict[str, Callable]): The function of each command, by its name."""
    registered = adak_cli.registered_commands
    return {str(c.name): c.callback for c in registered if c.callback is not None}


def make_cli_page() -> str:
    """RETURNS (str): The page."""
    md = MarkdownRenderer()
    md.add(md.title(1, "Command line"))
    md.add(INTRODUCTION)
    for name, function in sorted(commands().items()):
        md.add(_describe_command(name, function))
    return f"{md.text}\n"


def _describe_command(name: str, function: Callable) -> str:
    md = MarkdownRenderer()
    md.add(md.title(2, f"`{name}`"))
    md.add(_describe_help(function.__doc__ or ""))
    arguments, options = _read_parameters(function)
    if arguments:
        md.add(md.table(arguments, ["Argument", "What it is"]))
    if options:
        md.add(md.table(options, ["Option", "Value", "Default", "What it does"]))
    return md.text


def _describe_help(docstring: str) -> str:
    """RETURNS (str): A help text in Markdown. A paragraph after \\b is an example, and
    keeps its lines."""
    parts = []
    for part in cleandoc(docstring).split("\n\n"):
        if part.startswith("\b"):
            example = part.removeprefix("\b").strip()
            parts.append(f"```bash\n{example}\n```")
        else:
            parts.append(part)
    return "\n\n".join(parts)


def parameters_of(function: Callable) -> dict[str, ArgumentInfo | OptionInfo]:
    """RETURNS (dict): What Typer is told of the parameters of a command."""
    infos = {}
    for name, hint in get_type_hints(function, include_extras=True).items():
        for note in get_args(hint)[1:]:
            if isinstance(note, ArgumentInfo | OptionInfo):
                infos[name] = note
    return infos


def _read_parameters(
    function: Callable,
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """RETURNS (tuple): The rows of the arguments, and those of the options."""
    md = MarkdownRenderer()
    arguments: list[tuple[str, ...]] = []
    options: list[tuple[str, ...]] = []
    kinds = get_type_hints(function)
    defaults = signature(function).parameters
    for name, info in parameters_of(function).items():
        text = _escape(info.help or "")
        if isinstance(info, ArgumentInfo):
            arguments.append((md.code(info.metavar or name.upper()), text))
            continue
        # Within Annotated, Typer takes the first name for a default.
        flags = (info.default, *(info.param_decls or ()))
        names = ", ".join(md.code(flag) for flag in flags if isinstance(flag, str))
        value = info.metavar or _describe_type(kinds[name])
        default = _describe_default(defaults[name].default)
        options.append((names, _escape(value), default, text))
    return arguments, options


def _describe_type(kind: Any) -> str:
    if isinstance(kind, UnionType):
        kind = next(k for k in get_args(kind) if k is not NoneType)
    return _TYPES.get(kind, "TEXT")


def _describe_default(default: object) -> str:
    if default is Parameter.empty:
        return "required"
    if default is None or default is False:
        return ""
    return f"`{json.dumps(default, default=str)}`"


def _escape(text: str) -> str:
    """RETURNS (str): Text for a cell of a table."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
