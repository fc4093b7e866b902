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


@adak_cli.command("suggest")
@readable_errors()
def suggest_cli(
    model: Annotated[str, typer.Argument(help="Name or path of the pipeline")],
    data_path: Annotated[
        Path,
        typer.Argument(
            help="Texts with their annotation, in any format of `adak convert`: best "
            "the train-completed.spacy of the run the pipeline is from",
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
            help="Format of the output. If not given, told by its suffix; suggestions, "
            "for `adak review`, for .jsonl",
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            help="Lowest probability of an entity that is suggested, whether it is on "
            "the best reading of the text or not",
        ),
    ] = 0.1,
    doubt: Annotated[
        float,
        typer.Option(
            "--doubt",
            help="Highest probability of an annotated entity that is called doubtful; "
            "0 for none",
        ),
    ] = 0.05,
    k: Annotated[
        int,
        typer.Option(
            "--kbest",
            "-k",
            min=0,
            help="In how many of the best readings to look for alternatives",
        ),
    ] = 5,
    n_process: Annotated[
        int, typer.Option("--n-process", "-n", help="Number of processes", min=1)
    ] = 1,
    batch_size: Annotated[
        int | None,
        typer.Option(
            "--batch-size", "-b", help="Texts per batch; that of the pipeline", min=1
        ),
    ] = None,
    converter: Annotated[
        str | None,
        typer.Option(
            "--converter",
            "-c",
            metavar="[conll|spans|prodigy|doccano|label-studio|spacy]",
            help="Format of the data. If not given, told by its suffix and content",
        ),
    ] = None,
    unlabelled: UnlabelledOption = None,
    text_key: TextKeyOption = "text",
    incorrect_spans_key: IncorrectSpansKeyOption = "incorrect_spans",
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
) -> None:
    """
    Suggest entities that annotators have missed, and annotations to doubt.

    Each suggestion has its exact probability, what other readings have in its place,
    and how often its form is found, marked and stated outside in all data. A form is
    worth a decision if it comes up often and the model is unsure of it: `adak review`
    asks about these first.

    A pipeline is too sure of texts that it was trained on, for it has learnt what was
    estimated for them. In the train-completed.spacy of `adak train` its fold models
    have left what they thought of each text before; their probabilities are then used.
    Doubtful annotations and alternatives are always those of the pipeline.

    \b
    python -m spacy adak suggest output/model-best output/train-completed.spacy \\
        suggestions.jsonl
    """
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
                    ranked.form.encode("utf8", "backslashreplace").decode("utf8"),
                    ranked.label,
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
            "Probabilities are those of the pipeline. It is too sure of texts that it "
            "was trained on: for these give train-completed.spacy"
        )
    msg.good(f"Generated output file: {output_path}")
