"""`python -m spacy adak report`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import CodeOption, GpuOption, adak_cli, readable_errors


@adak_cli.command("report")
@readable_errors()
def report_cli(
    folder: Annotated[
        Path,
        typer.Argument(
            help="Output directory of `adak train`", exists=True, file_okay=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The HTML page to write; report.html in the directory if not given",
            dir_okay=False,
        ),
    ] = None,
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
) -> None:
    """
    Write a page about a training run.

    The page says what was learnt, how sure it is, and what to do next. It shows the
    scores on dev by round and type, how the trainings went, what was found in the
    training texts, and whether the probabilities can be trusted. It is one file that
    works in any browser and on paper. `adak train` writes it at its end. For an
    unfinished run it shows what there is so far.

    \b
    python -m spacy adak report output --output report.html
    """
    from ..report.run_report import write_report

    path = write_report(folder, output, use_gpu=use_gpu, code_path=code_path)
    msg.good(f"Generated the report: {path}. Open it in a browser")
