"""The command group, and how its commands speak of errors and warnings."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from spacy.cli._util import app
from wasabi import msg

adak_cli = typer.Typer(
    name="adak",
    help="Train named entity recognition from incomplete annotations (AdaK-NER).",
    no_args_is_help=True,
)
app.add_typer(adak_cli)

CodeOption = Annotated[
    Path | None,
    typer.Option(
        "--code",
        "-c",
        help="Path to Python file with additional code (registered functions) to be "
        "imported",
    ),
]
GpuOption = Annotated[int, typer.Option("--gpu-id", "-g", help="GPU ID or -1 for CPU")]


@contextmanager
def readable_errors() -> Iterator[None]:
    """Print the package's own errors and warnings as messages, not as tracebacks."""
    with warnings.catch_warnings():
        default = warnings.showwarning

        def show(message: Warning | str, *args: Any, **kwargs: Any) -> None:
            if str(message).startswith("[W"):
                msg.warn(str(message))
            else:
                default(message, *args, **kwargs)

        warnings.showwarning = show
        warnings.filterwarnings("always", message=r"\[W\d")
        try:
            yield
        except (ValueError, OSError) as error:
            # E050 is spaCy's own: no such pipeline.
            if not str(error).startswith(("[A", "[E050]")):
                raise
            # Wrapping would make one paragraph of a list or a log.
            first, *rest = str(error).splitlines()
            msg.fail(first)
            for line in rest:
                typer.echo(line)
            raise typer.Exit(1) from error
