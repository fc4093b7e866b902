"""`python -m spacy adak package`"""

from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import string_to_list
from wasabi import msg

from .app import adak_cli, readable_errors


@adak_cli.command("package")
@readable_errors()
def package_cli(
    input_dir: Annotated[
        Path,
        typer.Argument(
            help="Directory with pipeline data", exists=True, file_okay=False
        ),
    ],
    output_dir: Annotated[
        Path, typer.Argument(help="Output parent directory", file_okay=False)
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", "-n", help="Package name, also for spacy.load"),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option("--version", "-v", help="Package version to override meta"),
    ] = None,
    meta_path: Annotated[
        Path | None,
        typer.Option(
            "--meta-path",
            "--meta",
            "-m",
            help="JSON file with entries to add to the pipeline's meta, such as name, "
            "description, license, author and sources",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    scores_path: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            "-s",
            help="JSON file with scores written by `adak evaluate`, to use instead of "
            "the scores on dev",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    code_paths: Annotated[
        str,
        typer.Option(
            "--code",
            "-c",
            help="Comma-separated paths to Python files with additional code "
            "(registered functions) to be included in the package",
        ),
    ] = "",
    build: Annotated[
        str,
        typer.Option(
            "--build",
            "-b",
            help="Comma-separated formats to build: sdist and/or wheel, or none",
        ),
    ] = "wheel",
    force: Annotated[
        bool,
        typer.Option("--force", "-f", "-F", help="Overwrite an existing package"),
    ] = False,
) -> None:
    """
    Make an installable package of a pipeline.

    Works like `spacy package`, but does not put the language in front of the name:
    after `pip install`, spacy.load("adak_conll") works. The meta also says how the
    pipeline was trained.

    \b
    python -m spacy adak package training/model-best packages --name adak_conll
    """
    from ..packaging.package import package

    folder = package(
        input_dir,
        output_dir,
        name=name,
        version=version,
        meta_path=meta_path,
        scores_path=scores_path,
        code_paths=[Path(path) for path in string_to_list(code_paths)],
        build=string_to_list(build),
        force=force,
    )
    msg.good(f"Created package directory {folder}")
    for path in sorted((folder / "dist").glob("*")):
        msg.good(f"Built {path}")
    (module,) = folder.glob("*/__init__.py")
    msg.text(f'Once installed: nlp = spacy.load("{module.parent.name}")')
