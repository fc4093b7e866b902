"""`python -m spacy adak train`"""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, NamedTuple, NoReturn

import typer
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from .app import CodeOption, GpuOption, adak_cli, readable_errors

if TYPE_CHECKING:
    from ..q.guess_trust import Trust
    from ..run.folder import Round, Run
    from ..shards.recall_file import KnownRecall


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
            help="Output directory for model-best, model-last, the completed training "
            "data, the dictionary, the history, the report and checkpoints",
        ),
    ],
    code_path: CodeOption = None,
    use_gpu: GpuOption = -1,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="One round of short trainings, for a first look at the data. "
            "Overrides take precedence",
        ),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            "-r",
            help="Continue a run that was stopped, in the same output directory. The "
            "result is the same as without the stop. With another --adak.rounds it has "
            "more or fewer rounds",
        ),
    ] = False,
    finish: Annotated[
        bool,
        typer.Option(
            "--finish",
            help="End a stopped run after its last finished round, and publish its "
            "best model so far",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Stop if the dev data is not annotated completely"
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-V", "-VV", help="Show the logs of all trainings"),
    ] = False,
) -> None:
    """
    Train a pipeline from incomplete annotations with AdaK-NER.

    Needs a config with an adak_ner component and an [adak] block, as written by `python
    -m spacy adak init-config`, and data in spaCy's binary format in which unannotated
    tokens are missing. Settings are overridden by their dotted names: --paths.train,
    --adak.rounds, --adak.mask.kbest. docs/configuration.md lists all of them.

    Dev data is not required. Without it, a part of the training texts is held out,
    models are chosen by the likelihood of their annotation, and scores are corrected by
    the estimated recall of the annotators. With some 50 completely annotated texts
    (`python -m spacy adak sample` draws them) models are chosen by F1, and the recall
    of the annotators is counted instead of guessed. A full dev set gives reliable
    scores for each type.

    \b
    python -m spacy adak train config.cfg --output output \\
        --paths.train train.spacy --paths.dev dev.spacy
    """
    import logging
    from functools import partial

    from spacy.util import logger

    from ..report.reported_run import try_to_write_report
    from ..run.folder import find_best, read_history
    from ..run.train import is_stopped, train
    from ..tasks.train_model import BEST_MODEL
    from .interrupts import is_terminal, noted_interrupts

    if verbose:
        logger.setLevel(logging.DEBUG)
    table = _Table(output_path)
    run = partial(
        train,
        config_path,
        output_path,
        overrides=parse_config_overrides(ctx.args),
        use_gpu=use_gpu,
        code_path=code_path,
        quick=quick,
    )
    with noted_interrupts() as interrupts:
        try:
            run(
                resume=resume,
                finish=finish,
                strict=strict,
                show_progress=True,
                follow_logs=verbose,
                on_start=table.begin,
                on_recall=_tell_recall,
                on_trust=_tell_trust,
                on_round=table.add,
            )
        except KeyboardInterrupt:
            if not is_stopped(output_path):
                _exit("Stopped before anything was trained")
            best = find_best(read_history(output_path))
            may_ask = len(interrupts) == 1 and is_terminal()
            if best is None or not may_ask or not _wants_to_finish(best):
                _say_how_to_go_on(best)
            try:
                run(finish=True)
            except KeyboardInterrupt:
                _say_how_to_go_on(best)
    best = find_best(read_history(output_path))
    assert best is not None
    msg.good(f"Best model: round {best.round}, saved to {output_path / BEST_MODEL}")
    report = try_to_write_report(output_path, use_gpu)
    if report is not None:
        msg.good(f"Report: {report}")


def _wants_to_finish(best: "Round") -> bool:
    """Ask whether an interrupted run is to end here."""
    try:
        return typer.confirm(
            "Stopped. End the run with its best model so far, that of round "
            f"{best.round}?"
        )
    except typer.Abort:
        return False


def _say_how_to_go_on(best: "Round | None") -> NoReturn:
    finish = ""
    if best is not None:
        finish = (
            ", or end the run with --finish and the best model so far, that of "
            f"round {best.round}"
        )
    _exit(
        "Stopped. Everything that was finished is kept. Continue with the same command "
        f"and --resume{finish}"
    )


def _exit(message: str) -> NoReturn:
    msg.warn(message)
    raise typer.Exit(130)


class _Column(NamedTuple):
    title: str
    width: int
    describe: Callable[["Round"], str]


def _tell_recall(recall: "KnownRecall") -> None:
    (msg.info if recall.is_identifiable else msg.warn)(recall.description)


def _tell_trust(trust: "Trust") -> None:
    msg.info("How far guessers are trusted, estimated from the annotation:")
    header = ("GUESSER", "TYPE", "GUESSES", "PRECISION", "BY CHANCE", "RECALL")
    rows = [
        (
            row.guesser,
            row.label,
            f"{row.guesses:,}",
            _percent(row.precision.value),
            _percent(row.by_chance),
            _percent(row.recall.value if row.recall else None),
        )
        for row in trust.guessers
    ]
    msg.table(rows, header=header, divider=True, aligns=("l", "l", *"rrrr"))


def _percent(value: float | None) -> str:
    return f"{100 * value:.2f}" if value is not None else "-"


def _duration(seconds: float) -> str:
    from ..tasks.progress import describe_seconds

    return describe_seconds(seconds)


def _foretold(run: "Run", history: list["Round"]) -> str:
    """How long a resumed run may take, judged by the rounds that are done."""
    left = 0 if run.has_all_rounds() else run.settings.rounds - len(history)
    if left <= 0:
        return ""
    seconds = left * fmean(round_.seconds for round_ in history)
    return (
        f": at most about {_duration(seconds)} more, if rounds take as long as before"
    )


def _columns(run: "Run") -> list[_Column]:
    """The columns of a round, without those of strategies that are off."""
    columns = [
        _Column("ROUND", 5, lambda r: str(r.round)),
        _Column("P", 6, lambda r: _percent(r.precision)),
        _Column("R", 6, lambda r: _percent(r.recall)),
        _Column("F", 6, lambda r: _percent(r.f1)),
        _Column("SCORE", 6, lambda r: f"{r.score:.3f}" + ("*" if r.is_best else " ")),
    ]
    if run.needs_q():
        columns += [
            _Column("CHANGED", 8, lambda r: f"{100 * r.changed:.2f} %"),
            _Column("FOUND", 7, lambda r: f"{r.estimated_entities:,}"),
        ]
        if run.settings.has_dictionary:
            columns.append(_Column("DICT", 6, lambda r: f"{r.dictionary_size:,}"))
        if run.settings.drops_texts:
            columns.append(_Column("DROPPED", 7, lambda r: f"{r.dropped:,}"))
    return [*columns, _Column("TIME", 9, lambda r: _duration(r.seconds))]


class _Table:
    """The rounds, as they are finished."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.columns: list[_Column] = []
        self.has_titles = False

    def begin(self, run: "Run") -> None:
        """Print what the run will do."""
        from ..run.dev_data import chooses_by_likelihood
        from ..tasks.machine import describe_execution

        settings = run.settings
        history = run.history()
        if run.needs_q():
            most = f"At most {settings.rounds} rounds"
            rounds = "1 round" if settings.rounds == 1 else most
            msg.info(
                f"{rounds} of {settings.folds} folds and a final training, "
                f"{settings.trainings} trainings in all"
            )
        else:
            msg.info("One training: this loss has no q to estimate")
        msg.info(f"Trainings run {describe_execution(settings)}")
        if history:
            msg.info(f"Continuing after round {len(history)}{_foretold(run, history)}")
        if run.ruled_out:
            msg.info(f"{run.ruled_out:,} spans are ruled out as entities")
        if chooses_by_likelihood(run.config["training"]):
            msg.info(
                "The dev data is annotated incompletely: P and F are corrected for "
                "entities that nobody has marked, and SCORE, by which models are "
                "chosen, is the likelihood of the annotation"
            )
        msg.text(f"Logs of all trainings: {self.folder}/round-*/*.log")
        self.columns = _columns(run)

    def add(self, round_: "Round", seconds_left: float | None) -> None:
        """Add a round, and how long the run may still take. The first one comes with
        the titles, so that messages about what comes before do not part them."""
        if not self.has_titles:
            self._write([*(column.title for column in self.columns), "LEFT"])
            self._write(["-" * width for width in self._widths()])
            self.has_titles = True
        left = f"≤ {_duration(seconds_left)}" if seconds_left else ""
        self._write([*(column.describe(round_) for column in self.columns), left])

    def _widths(self) -> list[int]:
        return [*(column.width for column in self.columns), 9]

    def _write(self, cells: list[str]) -> None:
        msg.row(cells, widths=self._widths(), aligns=("r",) * len(cells))
