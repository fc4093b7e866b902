"""`python -m spacy adak evaluate`"""

import sys
from contextlib import nullcontext, redirect_stdout
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
    annotation_recall: Annotated[
        float | None,
        typer.Option(
            "--annotation-recall",
            "-r",
            min=0.01,
            max=1.0,
            help="The share of all entities that is annotated, for incomplete gold. "
            "Estimated if not given",
        ),
    ] = None,
    sample: Annotated[
        Path | None,
        typer.Option(
            "--sample",
            "-s",
            help="Predictions that `adak sample --predictions` drew from this data",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions",
            "-d",
            help="Which of them are right, as saved by the page of `adak review`. "
            "Precision is estimated from them",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the scores as JSON")
    ] = False,
) -> None:
    """
    Score the entities that a pipeline finds.

    Prints precision, recall and F1 per entity type and over all types, as seqeval
    computes them. On complete annotations they equal those of `spacy evaluate`.

    Where annotations are missing, recall is measured on annotated entities, and
    precision and F1 are corrected by the share of entities that is annotated. That
    share is estimated from completely annotated texts, from texts that two people
    annotated, from how consistently forms are marked, and from how many of the
    pipeline's surest predictions are annotated. All scores have 95 % intervals and
    assume that annotators forget at random. Some 50 completely annotated texts (`python
    -m spacy adak sample` draws them) make the scores independent of the pipeline. For
    precision, so do predictions that a person has judged: --sample and --decisions. If
    all texts were drawn by `adak sample`, they count by their weights, except with
    --gold-preproc.

    \b
    python -m spacy adak evaluate training/model-best corpus/test.spacy -o metrics.json
    """
    import json

    from ..report.evaluation import evaluate

    import_code(code_path)
    # Warnings and the device are no part of the JSON.
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        evaluation = evaluate(
            model,
            data_path,
            output=output,
            use_gpu=use_gpu,
            gold_preproc=gold_preproc,
            annotation_recall=annotation_recall,
            sample=sample,
            decisions=decisions,
            silent=as_json,
        )
    if as_json:
        typer.echo(json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False))
        return
    msg.divider("Entities")
    print(evaluation.to_table())
    if output is not None:
        msg.good(f"Saved results to {output}")
