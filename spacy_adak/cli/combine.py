"""`python -m spacy adak combine`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import adak_cli, readable_errors

SHOWN = 10


@adak_cli.command("combine")
@readable_errors()
def combine_cli(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Annotated documents, .spacy files", exists=True, dir_okay=False
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The .spacy file to write", dir_okay=False),
    ],
    maps: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            "-m",
            metavar="[FILE:]OLD=NEW",
            help="A label to rename, in all files or in one. May be given more than "
            "once",
        ),
    ] = None,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            "-V",
            help=f"List all contradictions, not only the first {SHOWN}",
        ),
    ] = False,
) -> None:
    """
    Combine corpora with different label sets.

    Each text stays complete for the types that its file is complete for (`adak convert
    --complete-types`). A text that is in more than one file becomes one document with
    all of its annotations. Where files contradict each other, the tokens become
    unknown, and the contradiction is listed.

    \b
    python -m spacy adak combine people.spacy products.spacy \\
        --output train.spacy --map products.spacy:ORGANISATION=ORG
    """
    from ..data.combine import combine
    from ..errors import printable

    combined = combine(inputs, output, maps=maps or [])
    found = combined.contradictions
    for contradiction in found[: None if verbose else SHOWN]:
        msg.warn(printable(str(contradiction)))
    if len(found) > SHOWN and not verbose:
        msg.text(f"... and {len(found) - SHOWN} more; --verbose lists them all")
    types = sorted(combined.total.types)
    rows = []
    for part in combined.parts:
        rows.append((part.path.name, f"{part.documents:,}", *map(part.describe, types)))
    total = combined.total
    msg.table(
        rows,
        header=("File", "Texts", *types),
        footer=("All", f"{total.documents:,}", *map(total.describe, types)),
        aligns=("l", *"r" * (1 + len(types))),
        divider=True,
        title="Entities, and the share of texts that are complete for the type",
    )
    msg.info(
        f"{combined.merged:,} texts were in another file, too; {len(found):,} "
        "contradictions became unknown"
    )
    msg.good(f"Generated output file ({total.documents:,} documents): {output}")
