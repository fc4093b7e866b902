"""`python -m spacy adak merge`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import (
    AlignmentModeOption,
    AnnotatorsOption,
    DocumentColumnOption,
    IncorrectSpansKeyOption,
    LabelsOption,
    LangOption,
    NSentsOption,
    TagColumnOption,
    TagSchemeOption,
    TextKeyOption,
    TokenColumnOption,
    UnlabelledOption,
    adak_cli,
    readable_errors,
)

SHOWN = 10


@adak_cli.command("merge")
@readable_errors()
def merge_cli(
    data_path: Annotated[
        Path,
        typer.Argument(
            help="The texts with their annotation, in any format of `adak convert`",
            exists=True,
        ),
    ],
    decisions_path: Annotated[
        Path,
        typer.Argument(
            help="Decisions, as saved by the page of `adak review` (.jsonl)",
            exists=True,
            dir_okay=False,
        ),
    ],
    output_path: Annotated[Path, typer.Argument(help="File to write", dir_okay=False)],
    rejected: Annotated[
        str,
        typer.Option(
            "--rejected",
            "-r",
            metavar="[ruled-out|outside]",
            help="What a rejected span becomes. ruled-out: not an entity of its type, "
            "though parts of it may be in another entity. outside: none of its "
            "tokens is part of any entity",
        ),
    ] = "ruled-out",
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "-t",
            metavar="[spacy|conll|spans|prodigy|doccano|label-studio]",
            help="Format of the output. If not given, detected from its suffix. Only "
            "spacy keeps everything that was decided",
        ),
    ] = None,
    converter: Annotated[
        str | None,
        typer.Option(
            "--converter",
            "-c",
            metavar="[conll|spans|prodigy|doccano|label-studio|huggingface|spacy-v2|"
            "brat|spacy]",
            help="Format of the data. If not given, detected from its suffix and "
            "content",
        ),
    ] = None,
    unlabelled: UnlabelledOption = None,
    lang: LangOption = "en",
    n_sents: NSentsOption = 1,
    token_column: TokenColumnOption = 0,
    tag_column: TagColumnOption = -1,
    document_column: DocumentColumnOption = None,
    tag_scheme: TagSchemeOption = None,
    labels: LabelsOption = None,
    text_key: TextKeyOption = "text",
    alignment_mode: AlignmentModeOption = "strict",
    annotators: AnnotatorsOption = "union",
    incorrect_spans_key: IncorrectSpansKeyOption = "incorrect_spans",
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-V", help=f"List all conflicts, not only the first {SHOWN}"
        ),
    ] = False,
) -> None:
    """
    Merge decisions about suggestions into the data.

    Accepted suggestions become entities, rejected ones are ruled out, and everything
    else stays unknown. A decision about a form applies to all of its occurrences,
    unless another decision was made about the place. Annotations are not changed,
    except for doubtful ones that were found to be wrong. Decisions that contradict the
    data, or whose text or place does not exist, are listed and not applied.

    \b
    python -m spacy adak merge train.spacy decisions.jsonl train_2.spacy
    python -m spacy adak train config.cfg --output output_2 \\
        --paths.train train_2.spacy --paths.dev dev.spacy
    """
    from ..errors import printable
    from ..review.merge import merge

    result = merge(
        data_path,
        decisions_path,
        output_path,
        rejected=rejected,
        to=to,
        converter=converter,
        unlabelled=unlabelled,
        lang=lang,
        n_sents=n_sents,
        token_column=token_column,
        tag_column=tag_column,
        document_column=document_column,
        tag_scheme=tag_scheme,
        labels=labels,
        text_key=text_key,
        alignment_mode=alignment_mode,
        annotators=annotators,
        incorrect_spans_key=incorrect_spans_key,
        silent=False,
    )
    for problem in result.problems.problems[: None if verbose else SHOWN]:
        msg.warn(f"{problem.outcome}: {problem}")
    conflicts = [
        f"text {conflict.line + 1:,}: '{conflict.span}' ({conflict.label}) was not "
        f"{conflict.answer}ed: {conflict.why}"
        for conflict in result.conflicts
    ]
    unused = [
        f"not in the data: '{decision.form}' ({decision.label})"
        for decision in result.unused
    ]
    for lines in (conflicts, unused):
        for line in lines[: None if verbose else SHOWN]:
            msg.warn(printable(line))
        if len(lines) > SHOWN and not verbose:
            msg.text(f"... and {len(lines) - SHOWN} more; --verbose lists them all")
    msg.table(
        {
            "Decisions": f"{result.decisions:,}",
            "  not in the data": f"{len(result.unused):,}",
            "Left undecided": f"{result.ignored:,}",
            "Texts": f"{result.documents:,}",
            "  changed": f"{result.changed:,}",
            "New entities": f"{result.entities.total():,}",
            **{f"  {k}": f"{v:,}" for k, v in result.entities.most_common()},
            "New ruled-out spans": f"{result.ruled_out.total():,}",
            "Tokens now outside": f"{result.outside:,}",
            "Annotations withdrawn": f"{result.withdrawn.total():,}",
            "Known before": f"{result.unchanged:,}",
            "Conflicts, not applied": f"{len(result.conflicts):,}",
        },
        aligns=("l", "r"),
        title="Merged",
    )
    msg.good(f"Generated output file: {output_path}")
