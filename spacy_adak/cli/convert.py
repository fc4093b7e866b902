"""`python -m spacy adak convert`"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    adak_cli,
    readable_errors,
)

if TYPE_CHECKING:
    from ..data.summary import Summary

PROBLEMS_SHOWN = 10


@adak_cli.command("convert")
@readable_errors()
def convert_cli(
    input_path: Annotated[
        Path,
        typer.Argument(
            help="Input file, or directory of files of one format", exists=True
        ),
    ],
    output_path: Annotated[
        Path,
        typer.Argument(
            help="Output file, or directory to write files of the same names to; an "
            "input directory needs a directory"
        ),
    ],
    unlabelled: Annotated[
        str | None,
        typer.Option(
            "--unlabelled",
            "-u",
            metavar="[missing|outside]",
            help="What a token without a label is: 'missing' (unknown: annotators may "
            "have skipped entities) or 'outside' (not an entity: all entities "
            "are annotated). You are asked if it is not given. A .spacy file "
            "states it for each token, unless you override it with this option",
        ),
    ] = None,
    converter: Annotated[
        str | None,
        typer.Option(
            "--converter",
            "-c",
            metavar="[conll|spans|prodigy|doccano|label-studio|huggingface|spacy-v2|"
            "brat|spacy]",
            help="Format of the input. If not given, detected from the file's suffix "
            "and content",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            "-t",
            metavar="[spacy|conll|spans|prodigy|doccano|label-studio]",
            help="Format of the output. If not given, detected from the suffix of the "
            "output; spacy for a directory",
        ),
    ] = None,
    lang: LangOption = "en",
    n_sents: NSentsOption = 1,
    token_column: TokenColumnOption = 0,
    tag_column: TagColumnOption = -1,
    document_column: DocumentColumnOption = None,
    tag_scheme: TagSchemeOption = None,
    labels: LabelsOption = None,
    text_key: TextKeyOption = "text",
    alignment_mode: AlignmentModeOption = "strict",
    incorrect_spans_key: IncorrectSpansKeyOption = "incorrect_spans",
    annotators: AnnotatorsOption = "union",
    complete_types: Annotated[
        str,
        typer.Option(
            "--complete-types",
            help="Types that the input is completely annotated for, separated by "
            "commas: PERSON,ORG. A token outside of all entities may be of any "
            "other type, but not of these",
        ),
    ] = "",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop at the first problem and write nothing, instead of repairing "
            "or skipping the record",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-V",
            help=f"List all problems, not only the first {PROBLEMS_SHOWN}",
        ),
    ] = False,
) -> None:
    """
    Convert annotations to spaCy's binary format, and back.

    Reads column files (CoNLL, IOB), span JSONL with character offsets, exports of
    Prodigy, doccano and Label Studio, and .spacy files, and writes any of them. It also
    reads Hugging Face rows of tokens and tags, training data of spaCy v2 and brat's
    standoff files. Unknown stays unknown: as in spaCy's documents, a token is part of
    an entity, outside of all entities, or missing.

    Problems are reported with file and line, then repaired or skipped. A token with a
    label that can't be used becomes missing, never outside. If it is not clear which
    token is meant, the rest of the text becomes missing.

    Predictions never become annotations. Estimated spans, such as those in
    train-completed.spacy, and guessed spans keep their scores: they become predictions
    in Label Studio and tasks without an answer in Prodigy. Formats without a place for
    them leave them out.

    \b
    python -m spacy adak convert train.conll corpus/train.spacy --unlabelled missing
    python -m spacy adak convert corpus/train.spacy train.jsonl --to prodigy
    """
    from ..data.convert import asks_what_unlabelled_means, convert

    types = [label.strip() for label in complete_types.split(",") if label.strip()]
    if (
        unlabelled is None
        and not types
        and is_terminal()
        and asks_what_unlabelled_means(input_path, converter)
    ):
        unlabelled = _ask_what_unlabelled_means()
    summary = convert(
        input_path,
        output_path,
        converter=converter,
        to=to,
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
        incorrect_spans_key=incorrect_spans_key,
        annotators=annotators,
        complete_types=types,
        strict=strict,
        silent=False,
    )
    print_summary(summary, verbose)
    if summary.by_several:
        msg.info(
            f"{summary.by_several:,} texts have several annotators, of whose "
            f"annotations the {_describe(annotators)} is taken (--annotators); "
            f"{summary.disputed:,} spans they disagree on are unknown"
        )


def is_terminal() -> bool:
    """RETURNS (bool): Whether a person can answer a question."""
    return sys.stdin.isatty()


def _ask_what_unlabelled_means() -> str:
    msg.text("What does a token without a label mean in this file?")
    msg.text("missing: unknown, annotators may have skipped entities")
    msg.text("outside: not an entity, all entities are annotated")
    answer = ""
    while answer not in ("missing", "outside"):
        answer = typer.prompt("missing or outside").strip().lower()
    return answer


def _describe(annotators: str) -> str:
    is_rule = annotators in ("union", "intersection", "majority")
    return annotators if is_rule else f"part of '{annotators}'"


def print_summary(summary: "Summary", verbose: bool) -> None:
    """Print what a conversion read, repaired and skipped.

    summary (Summary): The counts.
    verbose (bool): Whether to list all problems.
    """
    problems = sorted(summary.problems, key=lambda p: (p.record.path, p.line))
    shown = problems if verbose else problems[:PROBLEMS_SHOWN]
    for problem in shown:
        msg.warn(f"{problem.outcome}: {problem}")
    hidden = len(problems) - len(shown)
    if hidden:
        msg.text(f"... and {hidden} more problems; --verbose lists them all")
    known = summary.tokens - summary.unknown_tokens
    share = 100 * summary.unknown_tokens / max(1, summary.tokens)
    msg.table(
        {
            "Documents": f"{summary.documents:,}",
            "Entities": f"{summary.entities.total():,}",
            **{
                f"  {label}": f"{count:,}"
                for label, count in summary.entities.most_common()
            },
            "Ruled-out spans": f"{summary.ruled_out:,}",
            **{
                f"Texts complete for {label}": f"{count:,}"
                for label, count in sorted(summary.complete.items())
            },
            "Estimated spans": f"{summary.estimated:,}",
            "Guessed spans": f"{summary.guessed:,}",
            **{
                f"Texts by {name}": f"{count:,}"
                for name, count in sorted(summary.annotators.items())
            },
            "Known tokens": f"{known:,}",
            "Unknown tokens": f"{summary.unknown_tokens:,} ({share:.1f}%)",
            "Problems": f"{len(summary.problems):,}",
            "Repaired records": f"{summary.count_records('repaired'):,}",
            "Skipped records": f"{summary.count_records('skipped'):,}",
            "Set aside by annotators": f"{summary.set_aside:,}",
        },
        aligns=("l", "r"),
        title="Summary",
    )
    for path in summary.outputs:
        msg.good(f"Generated output file: {path}")
