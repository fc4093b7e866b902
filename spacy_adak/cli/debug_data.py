"""`python -m spacy adak debug-data`"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.cli._util import import_code, parse_config_overrides
from wasabi import msg

from .app import CodeOption, LangOption, adak_cli, readable_errors

# A list of labels may be long.
LONGEST_FINDING = 10_000


@adak_cli.command(
    "debug-data",
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
@readable_errors()
def debug_data_cli(
    ctx: typer.Context,
    path: Annotated[
        Path,
        typer.Argument(
            help="A config whose training and dev data are checked, or training data "
            "in any format of `adak convert`",
            exists=True,
        ),
    ],
    dev_path: Annotated[
        Path | None,
        typer.Option("--dev", "-d", help="Dev data, if no config is given"),
    ] = None,
    unlabelled: Annotated[
        str | None,
        typer.Option(
            "--unlabelled",
            "-u",
            metavar="[missing|outside]",
            help="What a token without a label is, for training data that does not "
            "state it. In dev data it is outside",
        ),
    ] = None,
    converter: Annotated[
        str | None,
        typer.Option("--converter", help="Format of the data, as in convert"),
    ] = None,
    lang: LangOption = "en",
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="[error|warning|never]",
            help="The lowest level for which the exit code is 1",
        ),
    ] = "error",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object and nothing else")
    ] = False,
    code_path: CodeOption = None,
) -> None:
    """
    Check annotated data before training on it.

    Prints what is annotated, unknown, outside and blocked, how many of the entities the
    annotators found, and where annotations contradict each other. An error would make
    training fail or learn something wrong, and a warning may make it worse. The exit
    code is 1 if there is an error (with --fail-on warning, also for a warning) or the
    data can't be read, 2 if an option is wrong, and 0 otherwise. Settings of a config
    are overridden by their dotted names.

    \b
    python -m spacy adak debug-data config.cfg --paths.train train.spacy \\
        --paths.dev dev.spacy
    python -m spacy adak debug-data train.spacy --dev dev.spacy --json
    """
    from ..errors import printable
    from ..report.debug_data import LEVELS, check_config, check_files

    import_code(code_path)
    overrides = parse_config_overrides(ctx.args)
    if fail_on not in ("error", "warning", "never"):
        raise typer.BadParameter(f"'{fail_on}' is not one of error, warning, never")
    if path.suffix == ".cfg":
        findings = check_config(path, overrides)
    elif overrides:
        raise typer.BadParameter(f"no such option: --{next(iter(overrides))}")
    else:
        findings = check_files(
            path, dev_path, converter=converter, unlabelled=unlabelled, lang=lang
        )
    if as_json:
        typer.echo(json.dumps({"findings": [f._asdict() for f in findings]}))
    else:
        shows: dict[str, Callable[[str], Any]]
        shows = {"info": msg.info, "warning": msg.warn, "error": msg.fail}
        for finding in findings:
            shows[finding.level](printable(finding.message, LONGEST_FINDING))
        counts = [
            (sum(finding.level == level for finding in findings), level)
            for level in LEVELS[1:]
        ]
        msg.text(" and ".join(f"{n} {level}{'s' * (n != 1)}" for n, level in counts))
    failing = LEVELS[LEVELS.index(fail_on) :] if fail_on != "never" else ()
    if any(finding.level in failing for finding in findings):
        raise typer.Exit(1)
