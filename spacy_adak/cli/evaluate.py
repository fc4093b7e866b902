"""`python -m spacy adak evaluate`"""

from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import import_code
from wasabi import msg

from .app import CodeOption, GpuOption, adak_cli, readable_errors


@adak_cli.command("evaluate")
@readable_errors()
def evaluate_cli(
    model: Annotated[str, typer.Argument(help="Name or path of the pipeline")],
    data_path: Annotated[
        Path,
        typer.Argument(
            help="Gold annotations, a .spacy file or a directory of them", exists=True
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="JSON file to write the scores to", dir_okay=False
        ),
    ] = None,
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
    gold_preproc: Annotated[
        bool,
        typer.Option("--gold-preproc", "-G", help="Use the gold sentences and tokens"),
    ] = False,
) -> None:
    """
    Score the entities that a pipeline finds.

    Prints precision, recall and F1 per entity type and over all, as seqeval has them;
    on complete annotations they are those of `spacy evaluate`. Where annotations are
    missing, only what is annotated is scored, and a warning says so: precision then
    looks better than it is, for wrong entities among the unknown do not count.

    \b
    python -m spacy adak evaluate training/model-best corpus/test.spacy -o metrics.json
    """
    from ..report.evaluation import evaluate

    import_code(code_path)
    evaluation = evaluate(
        model,
        data_path,
        output=output,
        use_gpu=use_gpu,
        gold_preproc=gold_preproc,
        silent=False,
    )
    msg.divider("Entities")
    print(evaluation.to_table())
    if output is not None:
        msg.good(f"Saved results to {output}")
