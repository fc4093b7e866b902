"""`python -m spacy adak review`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import adak_cli, readable_errors

PROBLEMS_SHOWN = 10


@adak_cli.command("review")
@readable_errors()
def review_cli(
    suggestions: Annotated[
        Path,
        typer.Argument(
            help="Suggestions, as `adak suggest` writes them (.jsonl)",
            exists=True,
            dir_okay=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The HTML page to write", dir_okay=False),
    ] = Path("review.html"),
    decisions: Annotated[
        Path | None,
        typer.Option(
            "--decisions",
            "-d",
            help="Decisions to continue with, a file saved by the page (.jsonl)",
            exists=True,
            dir_okay=False,
        ),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            "--title", help="Title of the page; the name of the file if not given"
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            "-n",
            min=1,
            help="How many suggestions the page has, approximately: the forms where a "
            "decision is worth most, with all of their places",
        ),
    ] = 20_000,
) -> None:
    """
    Write a page for deciding about suggestions.

    The page asks form by form or place by place. It is one file that works in any
    browser, without a server or network. Its keys are those of Prodigy: a accepts, x
    rejects, space ignores, backspace undoes, and ? lists all of them. Decisions are
    kept in the browser as they are made. Save them to a file to merge them into the
    data.

    \b
    python -m spacy adak review suggestions.jsonl --output review.html
    """
    from ..report.review import write_review

    page = write_review(
        suggestions, output, decisions=decisions, title=title, limit=limit
    )
    for problem in page.problems[:PROBLEMS_SHOWN]:
        msg.warn(str(problem))
    hidden = len(page.problems) - PROBLEMS_SHOWN
    if hidden > 0:
        msg.text(f"... and {hidden:,} more problems")
    if page.other_decisions:
        msg.warn(
            f"{page.other_decisions:,} of {page.decisions:,} decisions are about other "
            "suggestions than those of the page, which keeps them as they are"
        )
    if page.suggestions < page.of_suggestions:
        msg.info(
            f"The page has the most valuable {page.suggestions:,} of "
            f"{page.of_suggestions:,} suggestions; --limit changes that"
        )
    msg.good(f"Generated the page: {output}. Open it in a browser")
