"""`python -m spacy adak train`"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from .app import CodeOption, GpuOption, adak_cli, readable_errors

if TYPE_CHECKING:
    from ..run.folder import Round, Run

_HEADER = (
    "ROUND",
    "P",
    "R",
    "F",
    "SCORE",
    "CHANGED",
    "FOUND",
    "DICT",
    "DROPPED",
    "TIME",
    "LEFT",
)
_WIDTHS = (5, 6, 6, 6, 6, 8, 7, 6, 7, 9, 9)


@adak_cli.command(
    "train", context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)
@readable_errors()
def train_cli(
    ctx: typer.Context,  # holds the overrides
    config_path: Annotated[
        Path, typer.Argument(help="Path to config file", exists=True, dir_okay=False)
    ],
    output_path: Annotated[
        Path,
        typer.Option(
            "--output",
            "--output-path",
            "-o",
            help="Output directory: model-best, model-last, the completed training "
            "data, the dictionary, the history and what is needed to resume",
        ),
    ],
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            "-r",
            help="Go on with a run that was stopped in the output directory. It ends "
            "as it would have without the stop",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Refuse dev data that is not annotated completely"
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-V", "-VV", help="Show what all trainings log as they go"
        ),
    ] = False,
) -> None:
    """
    Train a pipeline from incomplete annotations with AdaK-NER.

    Needs a config with an adak_ner component and an [adak] block, as written by
    `python -m spacy adak init-config`, and data in spaCy's binary format in which
    tokens that nobody looked at are missing. Settings are overridden by their names:
    --paths.train, --adak.rounds, --components.adak_ner.k.

    \b
    python -m spacy adak train config.cfg --output output \\
        --paths.train train.spacy --paths.dev dev.spacy
    """
    import logging

    from spacy.util import logger

    from ..run.folder import find_best
    from ..run.train import train
    from ..tasks.train_model import BEST_MODEL

    if verbose:
        logger.setLevel(logging.DEBUG)
    overrides = parse_config_overrides(ctx.args)
    try:
        _, history = train(
            config_path,
            output_path,
            overrides=overrides,
            use_gpu=use_gpu,
            code_path=code_path,
            resume=resume,
            strict=strict,
            show_progress=True,
            follow_logs=verbose,
            on_start=_announce,
            on_round=_report,
        )
    except KeyboardInterrupt:
        msg.warn(
            "Stopped. All that was finished is kept: give the same command with "
            "--resume to go on"
        )
        raise typer.Exit(130) from None
    best = find_best(history)
    assert best is not None
    msg.good(f"Best model: round {best.round}, saved to {output_path / BEST_MODEL}")


def _announce(run: "Run") -> None:
    settings = run.settings
    done = len(run.history())
    if run.needs_q():
        msg.info(
            f"Up to {settings.rounds} rounds of {settings.folds} folds and a final "
            f"training: {settings.trainings} trainings at most"
        )
    else:
        msg.info("One training: this loss has no q to estimate")
    if done:
        msg.info(f"Going on after round {done}")
    msg.text(f"Logs of all trainings: {run.folder}/round-*/*.log")
    msg.row(_HEADER, widths=_WIDTHS, aligns=("r",) * len(_WIDTHS))
    msg.row(["-" * width for width in _WIDTHS])


def _report(round_: "Round", seconds_left: float | None) -> None:
    from ..tasks.progress import describe_seconds

    cells = [
        str(round_.round),
        *(
            f"{100 * value:.2f}" if value is not None else "-"
            for value in (round_.precision, round_.recall, round_.f1)
        ),
        f"{round_.score:.3f}" + ("*" if round_.is_best else " "),
        f"{100 * round_.changed:.2f} %",
        f"{round_.estimated_entities:,}",
        f"{round_.dictionary_size:,}",
        f"{round_.dropped:,}",
        describe_seconds(round_.seconds),
        f"≤ {describe_seconds(seconds_left)}" if seconds_left else "",
    ]
    msg.row(cells, widths=_WIDTHS, aligns=("r",) * len(_WIDTHS))
