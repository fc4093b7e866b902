"""Train a pipeline with AdaK-NER: checks, rounds, and what a run leaves behind."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy.cli._util import import_code
from spacy.language import Language
from spacy.util import load_config, load_model
from thinc.api import Config

from ..atomic import remove, write_file
from ..data.docbin import make_docbin
from ..errors import Errors, Warnings
from ..q.adak_block import EXECUTION, read_settings
from ..q.guess_trust import Trust
from ..shards.checkpoint import (
    claim,
    damage_named,
    explained_write_errors,
    locked,
    recover,
    refuse_to_overwrite,
)
from ..shards.layout import write_shards
from ..shards.recall_file import KnownRecall
from ..tasks.executors import executor
from ..tasks.machine import settings_for_this_machine
from ..tasks.progress import Stopwatch, watched
from ..tasks.train_model import BEST_MODEL, LAST_MODEL
from .algorithm import run_rounds
from .changed_settings import changed_settings
from .check_guessers import refuse_own_models
from .dev_data import choose_by_likelihood, chooses_by_likelihood
from .filled_config import FilledConfig, fill_config
from .folder import (
    CONFIG_FILE,
    CORPUS,
    DEV_FILE,
    FIRST_FOLDS_FILE,
    GIVEN,
    MADE,
    SOURCES_FILE,
    Round,
    Run,
)
from .frozen_start import with_frozen_transformer
from .init_config import quick_settings
from .overrides import read_config
from .preflight import check_run
from .publish import is_published, publish, publish_best, reopen
from .ruled_out import count_ruled_out
from .source_files import changed_files, write_digests
from .training_length import warn_of_short_trainings


def train(
    config: Config | str | Path,
    output: str | Path,
    *,
    overrides: dict[str, Any] | None = None,
    use_gpu: int = -1,
    code_path: str | Path | None = None,
    quick: bool = False,
    resume: bool = False,
    finish: bool = False,
    strict: bool = False,
    show_progress: bool = False,
    follow_logs: bool = False,
    on_start: Callable[[Run], None] = lambda run: None,
    on_recall: Callable[[KnownRecall], None] = lambda recall: None,
    on_trust: Callable[[Trust], None] = lambda trust: None,
    on_round: Callable[[Round, float | None], None] = lambda round_, seconds_left: None,
) -> tuple[Language, list[Round]]:
    """Train a pipeline whose config has an `adak_ner` component.

    config (Config | str | Path): A training config with an `[adak]` block, or its path.
    output (str | Path): The folder for everything that the run leaves behind.
    overrides (dict[str, Any]): Settings to override, by dotted names.
    use_gpu (int): The id of a GPU, or -1.
    code_path (str | Path): Python code with registered functions to import first.
    quick (bool): One round of short trainings. Overrides take precedence.
    resume (bool): Continue a run that was stopped, or that should have more rounds.
    finish (bool): End a stopped run without further rounds: its best round so far is
        the result.
    strict (bool): Refuse dev data that is not annotated completely.
    show_progress (bool): Show how far the trainings are.
    follow_logs (bool): Show what the trainings log.
    on_start (Callable): Called with the run when all checks have passed.
    on_recall (Callable): Called with the recall of the annotators, if it is needed.
    on_trust (Callable): Called with how far guessers are trusted, if there are any.
    on_round (Callable): Called after every round with its results and how many seconds
        may be left.
    RETURNS (tuple[Language, list[Round]]): The best pipeline, and all rounds.
    """
    # Tasks may run in processes that were started in another folder.
    folder = Path(output).absolute()
    code = Path(code_path).absolute() if code_path is not None else None
    import_code(code)
    if not (resume or finish):
        refuse_to_overwrite(folder, (*GIVEN, *MADE))
    elif not is_begun(folder):
        raise ValueError(Errors.A204.format(path=folder, why="there is no run there"))
    with explained_write_errors(folder, lambda: is_begun(folder)):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            recover(folder, MADE)
            overrides = overrides or {}
            if quick:
                overrides = {**quick_settings(config), **overrides}
            raw = read_config(config, overrides)
            if resume or finish:
                run = _go_on(folder, raw, use_gpu, code)
            else:
                run = _begin(folder, raw, use_gpu, code, quick=quick, strict=strict)
            publish_best(run)
            if finish and not run.history():
                raise ValueError(Errors.A225.format(path=folder))
            if not finish:
                if not run.has_all_rounds():
                    reopen(folder)
                with executor(run.settings, folder) as execute:
                    on_start(run)
                    stopwatch = _stopwatch(run)
                    watching = watched(execute, stopwatch, show_progress, follow_logs)
                    for result in run_rounds(run, watching, on_recall, on_trust):
                        publish_best(run)
                        on_round(result, stopwatch.seconds_left())
            if not is_published(folder):
                publish(run)
    return load_model(folder / BEST_MODEL), run.history()


def is_stopped(folder: Path) -> bool:
    """RETURNS (bool): Whether a folder holds a run that was started but not
    finished."""
    return is_begun(folder) and not is_published(folder)


def is_begun(folder: Path) -> bool:
    """RETURNS (bool): Whether a folder holds a run, finished or not."""
    return all((folder / name).exists() for name in (CONFIG_FILE, CORPUS))


def _begin(
    folder: Path,
    raw: Config,
    use_gpu: int,
    code_path: Path | None,
    *,
    quick: bool,
    strict: bool,
) -> Run:
    """Check a new run, and write its settings and data to the folder."""
    if is_stopped(folder):
        begun = fill_config(load_config(folder / CONFIG_FILE, interpolate=False))
        run = _make_run(folder, begun, use_gpu, code_path)
        where = f"round {len(run.history()) + 1} of {run.settings.rounds}"
        if run.has_all_rounds():
            where = "all rounds are, but not all of its results are there"
        raise ValueError(Errors.A203.format(path=folder, where=where))
    checked = check_run(raw, use_gpu, strict)
    config = checked.config
    refuse_own_models(checked.settings, folder)
    if not quick:
        warn_of_short_trainings(config.resolved, checked.train, checked.labels)
    claim(folder)
    # As in spaCy's own training a new run takes the place of a finished one. The corpus
    # goes first: while there is none, there is nothing to resume.
    for name in (*MADE, BEST_MODEL, LAST_MODEL):
        for path in folder.glob(name):
            remove(path)
    for each in config:
        initialize = each["initialize"]["components"]
        initialize.setdefault(config.component, {})["labels"] = checked.labels
        if not checked.dev_is_complete:
            choose_by_likelihood(each["training"])
    write_file(folder / CONFIG_FILE, config.to_write.to_disk)
    if checked.settings.start.frozen_encoder:
        first = with_frozen_transformer(config.to_write, config.component)
        write_file(folder / FIRST_FOLDS_FILE, first.to_disk)
    write_digests(config.resolved, folder / SOURCES_FILE)
    write_file(folder / DEV_FILE, make_docbin(checked.dev).to_disk)
    seed = config.resolved["training"]["seed"] or 0
    write_shards(checked.train, folder / CORPUS, checked.settings.folds, seed)
    run = _make_run(folder, config, use_gpu, code_path)
    key = run.config["components"][run.component]["incorrect_spans_key"]
    return run._replace(
        ruled_out=count_ruled_out(key, checked.train, checked.labels, run.component)
    )


def _go_on(folder: Path, raw: Config, use_gpu: int, code_path: Path | None) -> Run:
    """Continue a run where it was stopped, with the settings it was started with. Only
    rounds, patience, the executor and the logger may change."""
    filled = fill_config(raw)
    asked = filled.to_write.interpolate()
    path = folder / CONFIG_FILE
    with damage_named(path):
        begun = load_config(path, interpolate=False)
        by_likelihood = chooses_by_likelihood(begun["training"])
        changed = begun.copy()
        changed["training"]["logger"] = asked["training"]["logger"]
        for name in ("rounds", "patience", *EXECUTION):
            changed["adak"][name] = asked["adak"][name]
    if by_likelihood:
        # Set when the run was begun, as its dev data is incomplete.
        choose_by_likelihood(filled.to_write["training"])
    differences = changed_settings(changed, filled.to_write)
    if differences:
        listed = "\n".join(f"- {difference}" for difference in differences)
        raise ValueError(Errors.A226.format(path=folder, changes=listed))
    if files := changed_files(folder / SOURCES_FILE):
        message = Warnings.W220.format(paths=", ".join(files))
        warnings.warn(message, stacklevel=2)
    interpolated = changed.interpolate()
    if changed != begun:
        write_file(path, changed.to_disk)
    interpolated["components"] = filled.resolved["components"]
    resumed = FilledConfig(changed, interpolated)
    return _make_run(folder, resumed, use_gpu, code_path)


def _make_run(
    folder: Path, config: FilledConfig, use_gpu: int, code_path: Path | None
) -> Run:
    return Run(
        folder=folder,
        config_path=folder / CONFIG_FILE,
        config=config.resolved,
        settings=settings_for_this_machine(
            read_settings(config.to_write.interpolate()), config.resolved, use_gpu
        ),
        component=config.component,
        use_gpu=use_gpu,
        code_path=code_path,
    )


def _stopwatch(run: Run) -> Stopwatch:
    settings = run.settings
    if not run.needs_q():
        return Stopwatch(rounds=1, folds=0, at_once=1)
    return Stopwatch(
        rounds=settings.rounds - len(run.history()),
        folds=settings.folds,
        at_once=settings.at_once,
    )
