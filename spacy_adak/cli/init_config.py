"""`python -m spacy adak init-config`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import adak_cli, readable_errors


@adak_cli.command("init-config")
@readable_errors()
def init_config_cli(
    output_file: Annotated[
        Path,
        typer.Argument(
            help="File to save the config to, or - for standard output",
            allow_dash=True,
            dir_okay=False,
        ),
    ],
    lang: Annotated[
        str, typer.Option("--lang", "-l", help="Code of the language")
    ] = "en",
    gpu: Annotated[
        bool,
        typer.Option(
            "--gpu/--cpu",
            "-G/-C",
            help="Fine-tune a transformer, which needs a GPU and a download, or train "
            "a small network on the CPU",
        ),
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            "-e",
            help="A transformer on the hub, or the path of a folder. On the CPU it "
            "stays frozen, and a small network is trained on top of it",
        ),
    ] = None,
    recipe: Annotated[
        str,
        typer.Option(
            "--recipe",
            "-r",
            metavar="[best|paper]",
            help="best: the settings that recovered most in our experiments. paper: "
            "AdaK-NER with the settings of the paper",
        ),
    ] = "best",
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="One round of short trainings, for a first look at the data"
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", "-F", help="Overwrite the file if it exists")
    ] = False,
) -> None:
    """
    Write a config for `adak train`.

    It has the settings that you may want to change. docs/configuration.md lists all.

    \b
    python -m spacy adak init-config config.cfg --lang en --cpu
    python -m spacy adak init-config config.cfg --lang en --encoder bert-base-cased
    python -m spacy adak init-config config.cfg --lang en --gpu --recipe paper
    """
    from ..atomic import write_bytes
    from ..run.init_config import init_config

    text = init_config(lang, gpu, encoder, quick, recipe)
    if str(output_file) == "-":
        typer.echo(text, nl=False)
        return
    if output_file.exists() and not force:
        msg.fail(
            f"{output_file} exists. Choose another file, or --force to overwrite it",
            exits=1,
        )
    write_bytes(output_file, text.encode())
    msg.good(f"Saved config to {output_file}")
    msg.text("You can now train. Add --paths.dev dev.spacy if you have complete texts:")
    print(
        f"python -m spacy adak train {output_file} --output output "
        "--paths.train train.spacy"
    )
