"""`python -m spacy adak suggest`"""

from pathlib import Path
from typing import Annotated

import typer
from spacy.cli._util import import_code
from wasabi import msg

from .app import (
    CodeOption,
    GpuOption,
    IncorrectSpansKeyOption,
    TextKeyOption,
    UnlabelledOption,
    adak_cli,
    readable_errors,
)

FORMS_SHOWN = 10
LONGEST_FORM = 60


@adak_cli.command("suggest")
@readable_errors()
def suggest_cli(
    model: Annotated[str, typer.Argument(help="Name or path of the pipeline")],
    data_path: Annotated[
        Path,
        typer.Argument(
            help="Texts with their annotation, in any format of `adak convert`, "
            "preferably the train-completed.spacy of the same run",
            exists=True,
        ),
    ],
    output_path: Annotated[Path, typer.Argument(help="File to write", dir_okay=False)],
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "-t",
            metavar="[suggestions|spans|prodigy|doccano|label-studio|spacy]",
            help="Format of the output. If not given, detected from its suffix. For "
            ".jsonl it is suggestions, which `adak review` reads",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            help="Lowest probability of a suggested entity, whether it is on the best "
            "reading of the text or not",
        ),
    ] = 0.1,
    doubt: Annotated[
        float,
        typer.Option(
            "--doubt",
            help="Highest probability of an annotated entity that is listed as "
            "doubtful. 0 for none",
        ),
    ] = 0.05,
    k: Annotated[
        int,
        typer.Option(
            "--kbest",
            "-k",
            min=0,
            help="How many of the best readings to search for alternatives",
        ),
    ] = 5,
    n_process: Annotated[
        int, typer.Option("--n-process", "-n", help="Number of processes", min=1)
    ] = 1,
    batch_size: Annotated[
        int | None,
        typer.Option(
            "--batch-size",
            "-b",
            help="Texts per batch. If not given, the batch size of the pipeline",
            min=1,
        ),
    ] = None,
    converter: Annotated[
        str | None,
        typer.Option(
            "--converter",
            metavar="[conll|spans|prodigy|doccano|label-studio|spacy]",
            help="Format of the data. If not given, detected from its suffix and "
            "content",
        ),
    ] = None,
    unlabelled: UnlabelledOption = None,
    text_key: TextKeyOption = "text",
    incorrect_spans_key: IncorrectSpansKeyOption = "incorrect_spans",
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
) -> None:
    """
    Suggest missed entities and doubtful annotations.

    Each suggestion has its exact probability, alternatives from other readings, and how
    often its form is found, marked and stated to be outside in the data. A decision
    about a form is worth most if the form is frequent and the model is unsure about it.
    `adak review` asks about these first.

    A pipeline is overconfident on texts it was trained on, because it has learnt the
    estimates for them. The train-completed.spacy of `adak train` has the probabilities
    of the fold models, which are used instead. Doubtful annotations and alternatives
    always come from the pipeline.

    \b
    python -m spacy adak suggest output/model-best output/train-completed.spacy \\
        suggestions.jsonl
    """
    from ..errors import printable
    from ..review.suggest import suggest

    import_code(code_path)
    result = suggest(
        model,
        data_path,
        output_path,
        to=to,
        threshold=threshold,
        doubt=doubt,
        k=k,
        n_process=n_process,
        batch_size=batch_size,
        use_gpu=use_gpu,
        converter=converter,
        unlabelled=unlabelled,
        text_key=text_key,
        incorrect_spans_key=incorrect_spans_key,
        silent=False,
    )
    if result.forms:
        msg.table(
            [
                (
                    printable(ranked.form, LONGEST_FORM),
                    printable(ranked.label, LONGEST_FORM),
                    ranked.kind,
                    f"{ranked.counts.found:,}",
                    f"{ranked.counts.marked:,}",
                    f"{ranked.counts.outside:,}",
                    f"{ranked.value:.1f}",
                )
                for ranked in result.forms[:FORMS_SHOWN]
            ],
            header=("Form", "Type", "Kind", "Found", "Marked", "Outside", "Value"),
            aligns=("l", "l", "l", "r", "r", "r", "r"),
            divider=True,
            title="Forms whose decision is worth most",
        )
    for problem in result.problems.problems[:FORMS_SHOWN]:
        msg.warn(f"{problem.outcome}: {problem}")
    missed, doubtful = result.found["missed"], result.found["doubtful"]
    msg.info(
        f"{result.documents:,} texts: {missed:,} entities that nobody annotated, "
        f"{doubtful:,} doubtful annotations, {len(result.forms):,} forms"
    )
    if not result.by_fold_models:
        msg.info(
            "Probabilities come from the pipeline, which is overconfident on texts it "
            "was trained on. For these, use the train-completed.spacy of the run"
        )
    msg.good(f"Generated output file: {output_path}")
