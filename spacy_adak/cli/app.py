"""The command group, and how its commands print errors and warnings."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from click import UsageError
from spacy.cli._util import app
from wasabi import msg

from .notices import without_notices

# That of a log may be long.
_LONGEST_LINE = 10_000

adak_cli = typer.Typer(
    name="adak",
    help="Train named entity recognition from incomplete annotations (AdaK-NER).",
    no_args_is_help=True,
)
app.add_typer(adak_cli)

CodeOption = Annotated[
    Path | None,
    typer.Option(
        "--code",
        "-c",
        help="Path to Python file with additional code (registered functions) to be "
        "imported",
    ),
]
GpuOption = Annotated[int, typer.Option("--gpu-id", "-g", help="GPU ID or -1 for CPU")]
LangOption = Annotated[
    str,
    typer.Option(
        "--lang",
        "-l",
        help="Language code, for the tokenizer. 'zh' splits Chinese into characters. "
        "Column files keep their tokens, with spaces between them if the "
        "language uses spaces",
    ),
]
TextKeyOption = Annotated[
    str,
    typer.Option("--text-key", "-tk", help="Key of the text in JSON and JSONL records"),
]
IncorrectSpansKeyOption = Annotated[
    str,
    typer.Option(
        "--incorrect-spans-key",
        help="Key in Doc.spans for spans that annotators ruled out, as in spaCy's ner",
    ),
]
UnlabelledOption = Annotated[
    str | None,
    typer.Option(
        "--unlabelled",
        "-u",
        metavar="[missing|outside]",
        help="What a token without a label is, for data that does not state it",
    ),
]

NSentsOption = Annotated[
    int,
    typer.Option(
        "--n-sents",
        "-n",
        min=0,
        help="Number of sentences per document of a column file (0 for all in "
        "one). Files with -DOCSTART- lines keep their documents",
    ),
]
TokenColumnOption = Annotated[
    int,
    typer.Option(
        "--token-column",
        help="Column of the token, counted from 0; negative counts from the end",
    ),
]
TagColumnOption = Annotated[
    int,
    typer.Option(
        "--tag-column",
        help="Column of the tag, counted from 0; negative counts from the end",
    ),
]
DocumentColumnOption = Annotated[
    int | None,
    typer.Option(
        "--document-column",
        help="Column with the name of the document, if there is one. A document "
        "starts where it changes",
    ),
]
TagSchemeOption = Annotated[
    str | None,
    typer.Option(
        "--tag-scheme",
        metavar="[IOB1|BIO|BILUO|BIOES]",
        help="Scheme of the tags of a column file. If not given, detected from the "
        "tags when reading, and BIO when writing",
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        help="Names of the tags in order, for Hugging Face rows with numbers: "
        "'O,B-PER,I-PER', or a file with the names. If not given, taken from the "
        "features of the dataset",
    ),
]
AlignmentModeOption = Annotated[
    str,
    typer.Option(
        "--alignment-mode",
        "-a",
        metavar="[strict|contract|expand]",
        help="What to do with a span that starts or ends inside a token: make its "
        "tokens unknown, keep only the tokens inside it, or take all tokens that "
        "it touches",
    ),
]
AnnotatorsOption = Annotated[
    str,
    typer.Option(
        "--annotators",
        metavar="[union|intersection|majority|NAME]",
        help="Which spans to take if several people annotated a text: those of "
        "anybody, of all, of more than half, or of one person. Other marked "
        "spans become unknown, and for 'union' also those that contradict each "
        "other",
    ),
]


@contextmanager
def readable_errors() -> Iterator[None]:
    """Print warnings, and errors caused by wrong input, as messages. Any other error is
    a bug and keeps its traceback."""
    with without_notices():
        try:
            yield
        except UsageError as error:
            # spaCy raises those of click. Typer may have its own copy of click.
            raise typer.BadParameter(error.format_message()) from error
        except (ValueError, OSError) as error:
            message = _explain(error)
            if not message:
                raise
            # Wrapping would make one paragraph of a list or a log.
            first, *rest = message.splitlines()
            msg.fail(_printable(first))
            for line in rest:
                typer.echo(_printable(line))
            raise typer.Exit(1) from error


def _printable(line: str) -> str:
    from ..errors import printable

    return printable(line, _LONGEST_LINE)


def _explain(error: ValueError | OSError) -> str | None:
    """What an error says, or None if it was not caused by wrong input."""
    from ..errors import Errors, describe, is_explained

    if isinstance(error, BrokenPipeError):  # nobody reads any more
        return None
    if isinstance(error, OSError) and error.filename is not None:
        return Errors.A504.format(path=error.filename, why=error.strerror)
    if isinstance(error, OSError) or is_explained(error):
        return describe(error)
    return None
