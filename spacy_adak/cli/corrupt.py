"""`python -m spacy adak corrupt`"""

from pathlib import Path
from typing import Annotated

import typer
from wasabi import msg

from .app import adak_cli, readable_errors


@adak_cli.command("corrupt")
@readable_errors()
def corrupt_cli(
    input_path: Annotated[
        Path,
        typer.Argument(
            help="Annotated documents, a .spacy file", exists=True, dir_okay=False
        ),
    ],
    output_path: Annotated[
        Path, typer.Argument(help="The .spacy file to write", dir_okay=False)
    ],
    keep_ratio: Annotated[
        float,
        typer.Option(
            "--keep-ratio",
            "-r",
            help="Share of entities that stay annotated, from 0 to 1 (the paper's ρ). "
            "What is kept at one ratio is kept at every higher one",
        ),
    ],
    scheme: Annotated[
        str,
        typer.Option(
            "--scheme",
            "-s",
            metavar="[random|entity]",
            help="random: remove single entities, as if overlooked. entity: remove "
            "all occurrences of a surface form, as if the annotator did not know "
            "it. The share kept is then only close to the given one",
        ),
    ] = "random",
    seed: Annotated[
        int,
        typer.Option(
            "--seed", help="Random seed that decides which entities are removed"
        ),
    ] = 0,
) -> None:
    """
    Make annotations incomplete, for experiments.

    Removes entities by one of the paper's two schemes. All tokens become missing except
    those of the entities that are kept, and span groups are removed, such as that of
    ruled-out spans. For a corpus in a config of `spacy train`, the augmenter
    spacy-adak.drop_entities.v1 does the same for one document at a time. `adak train`
    refuses this augmenter, because it reads all data in advance.

    \b
    python -m spacy adak corrupt corpus/train.spacy corpus/train_02.spacy -r 0.2
    """
    from ..data.corruption import corrupt

    result = corrupt(
        input_path, output_path, keep_ratio=keep_ratio, scheme=scheme, seed=seed
    )
    rows = [
        (
            label,
            f"{result.kept[label]:,}",
            f"{count:,}",
            _percent(result.kept[label], count),
        )
        for label, count in result.entities.most_common()
    ]
    kept, total = result.kept.total(), result.entities.total()
    msg.table(
        rows,
        header=("Type", "Kept", "Of", "%"),
        footer=("All", f"{kept:,}", f"{total:,}", _percent(kept, total)),
        aligns=("l", "r", "r", "r"),
        divider=True,
        title="Entities kept",
    )
    msg.good(f"Generated output file ({result.documents:,} documents): {output_path}")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}"
