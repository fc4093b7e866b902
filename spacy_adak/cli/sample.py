"""`python -m spacy adak sample`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import adak_cli, readable_errors

DEFAULT_TEXTS = 50


@adak_cli.command("sample")
@readable_errors()
def sample_cli(
    data_path: Annotated[
        Path,
        typer.Argument(
            help="The texts, a .spacy file. Complete texts are not drawn",
            exists=True,
            dir_okay=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            help="The file for the annotation tool, or for `adak review`",
            dir_okay=False,
        ),
    ],
    n_texts: Annotated[
        int | None,
        typer.Option(
            "--n-texts", "-n", min=1, help="How many texts to draw. If not given, 50"
        ),
    ] = None,
    predictions: Annotated[
        int | None,
        typer.Option(
            "--predictions",
            "-p",
            min=1,
            help="Draw this many predictions of --model instead of texts, to be "
            "judged in `adak review`",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "-t",
            metavar="[prodigy|label-studio|doccano|spans]",
            help="Format of the output. If not given, prodigy",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            help="Name or path of a pipeline. Texts are grouped by how many entities "
            "it finds, and without it by how many are annotated",
        ),
    ] = None,
    with_suggestions: Annotated[
        bool,
        typer.Option(
            "--with-suggestions",
            help="Show annotators what the pipeline finds. This is faster, but people "
            "tend to leave suggestions as they are, so scores look better than "
            "they are",
        ),
    ] = False,
    seed: Annotated[
        int,
        typer.Option("--seed", help="Random seed that decides which texts are drawn"),
    ] = 0,
) -> None:
    """
    Draw texts to annotate completely.

    The texts become a dev set, or test data for scores. They are drawn at random, in
    proportion from short and long texts and from texts with few and many entities.
    Annotators do not see what is annotated or found there, unless --with-suggestions is
    given. The command also prints how wide the intervals of scores will be for several
    numbers of texts. The records are marked, so that `adak convert` takes them as
    completely annotated when they come back, even with --unlabelled missing.

    With --predictions it draws entities that a pipeline finds and that the annotation
    says nothing about, from each type and range of probability. Each one stores how
    many predictions it stands for. Once they are judged, `adak evaluate` estimates the
    precision of the pipeline. Use texts that the pipeline was not trained on.

    \b
    python -m spacy adak sample train.spacy dev-tasks.jsonl --n-texts 50
    python -m spacy adak convert dev-annotated.jsonl dev.spacy --unlabelled missing

    \b
    python -m spacy adak sample test.spacy drawn.jsonl -m model-best --predictions 200
    python -m spacy adak review drawn.jsonl --output review.html
    python -m spacy adak evaluate model-best test.spacy --sample drawn.jsonl \\
        --decisions decisions.jsonl
    """
    from spacy.vocab import Vocab

    from ..data.docbin import read_docbin
    from ..data.outputs import refuse_to_overwrite_inputs
    from ..data.sample_tasks import write_tasks
    from ..errors import Errors
    from ..report.sample import draw_sample, find_entities
    from ..report.sample_predictions import sample_predictions

    if predictions is not None:
        if model is None:
            raise ValueError(Errors.A413)
        given = {"n-texts": n_texts, "to": to, "with-suggestions": with_suggestions}
        for option in (name for name, value in given.items() if value):
            raise ValueError(Errors.A414.format(option=option))
        result = sample_predictions(model, data_path, output, predictions, seed=seed)
        msg.info(
            f"{result.predictions:,} predictions, of which the annotation decides "
            f"{result.known:,}; the others are of {result.strata:,} types and ranges "
            "of probability"
        )
        msg.good(f"Drew {result.drawn:,} predictions: {output}")
        return
    if with_suggestions and model is None:
        raise ValueError(Errors.A411)
    refuse_to_overwrite_inputs(output, data_path)
    docs = list(read_docbin(data_path, Vocab()))
    sample = draw_sample(
        docs,
        DEFAULT_TEXTS if n_texts is None else n_texts,
        found=None if model is None else find_entities(docs, model),
        with_suggestions=with_suggestions,
        seed=seed,
    )
    msg.table(
        [
            (
                f"{row.texts:,}",
                f"{row.entities:,.0f}",
                f"± {100 * row.score:.1f}",
                f"± {100 * row.annotators:.0f} %",
            )
            for row in sample.outlook
        ],
        header=("Texts", "Entities", "P or R of 80", "Annotators' recall"),
        aligns=("r", "r", "r", "r"),
        divider=True,
        title="Half the width of 95 % intervals, by how many texts are complete",
    )
    if model is None:
        msg.text(
            "Entities are those annotated so far. There are more, so that intervals "
            "will be narrower; --model counts what a pipeline finds"
        )
    write_tasks(sample.tasks, output, to or "prodigy")
    msg.good(f"Drew {len(sample.tasks):,} of {sample.texts:,} texts: {output}")
    print(
        "Annotate all entities in them, also in texts that seem to have none. Then:\n"
        "python -m spacy adak convert ANNOTATED dev.spacy --unlabelled missing"
    )
