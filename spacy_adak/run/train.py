"""Train a pipeline with AdaK-NER: checks, rounds, and what a run leaves behind."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.util import load_config, load_model, load_model_from_config
from thinc.api import Config, ConfigValidationError

from ..annotation.q_of_text import ESTIMATE_KEY
from ..atomic import remove, write_file
from ..data.docbin import make_docbin
from ..encoders.sharing import FOLDER as FROZEN
from ..encoders.sharing import forget_shared_folders, has_frozen_encoder, remove_rows
from ..errors import Errors, describe
from ..q.adak_block import EXECUTION, default_settings, read_settings
from ..shards.checkpoint import (
    claim,
    explained_write_errors,
    locked,
    new_folder,
    recover,
    refuse_to_overwrite,
)
from ..shards.layout import in_given_order, list_shards, write_shards
from ..shards.references import tokenizing_pipeline
from ..shards.with_q import read_shard
from ..tasks.executors import executor
from ..tasks.progress import Stopwatch, watched
from ..tasks.train_model import BEST_MODEL, LAST_MODEL
from .algorithm import run_rounds
from .folder import (
    COMPLETED_FILE,
    CONFIG_FILE,
    CORPUS,
    DEV_FILE,
    DICTIONARY_FILE,
    GIVEN,
    MADE,
    Round,
    Run,
)
from .preflight import (
    adak_components,
    check_run,
    complete,
    refuse_unread_overrides,
)

ANNOTATED_KEY, ESTIMATED_KEY = "annotated", "estimated"


def train(
    config: Config | str | Path,
    output: str | Path,
    *,
    overrides: dict[str, Any] | None = None,
    use_gpu: int = -1,
    code_path: str | Path | None = None,
    resume: bool = False,
    strict: bool = False,
    show_progress: bool = False,
    follow_logs: bool = False,
    on_start: Callable[[Run], None] = lambda run: None,
    on_round: Callable[[Round, float | None], None] = lambda round_, seconds_left: None,
) -> tuple[Language, list[Round]]:
    """Train a pipeline whose config has an `adak_ner` component.

    config (Config | str | Path): A training config with an `[adak]` block, or its path.
    output (str | Path): The folder for everything that the run leaves behind.
    overrides (dict[str, Any]): Settings to override, by dotted names.
    use_gpu (int): The id of a GPU, or -1.
    code_path (str | Path): Python code with registered functions to import first.
    resume (bool): Go on with a run that was stopped.
    strict (bool): Refuse dev data that is not annotated completely.
    show_progress (bool): Show how far the trainings are.
    follow_logs (bool): Show what the trainings log.
    on_start (Callable): Called with the run when all checks have passed.
    on_round (Callable): Called after every round with its results and how many seconds
        may be left.
    RETURNS (tuple[Language, list[Round]]): The best pipeline, and all rounds.
    """
    # Tasks may run in processes that were started in another folder.
    folder = Path(output).absolute()
    code = Path(code_path).absolute() if code_path is not None else None
    import_code(code)
    if not resume:
        refuse_to_overwrite(folder, (*GIVEN, *MADE))
    elif not is_begun(folder):
        raise ValueError(Errors.A204.format(path=folder, why="there is no run there"))
    with explained_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            recover(folder, MADE)
            raw = _load(config, overrides or {})
            refuse_unread_overrides(overrides or {}, _load(config, {}))
            if resume:
                run = _go_on(folder, raw, use_gpu, code)
            else:
                run = _begin(folder, raw, use_gpu, code, strict)
            with executor(run.settings) as execute:
                on_start(run)
                stopwatch = _stopwatch(run)
                watching = watched(execute, stopwatch, show_progress, follow_logs)
                for result in run_rounds(run, watching):
                    on_round(result, stopwatch.seconds_left())
            if not (folder / BEST_MODEL).exists():
                _publish(run)
    return load_model(folder / BEST_MODEL), run.history()


def is_stopped(folder: Path) -> bool:
    """RETURNS (bool): Whether a folder holds a run that was begun but not finished."""
    return is_begun(folder) and not (folder / BEST_MODEL).exists()


def is_begun(folder: Path) -> bool:
    """RETURNS (bool): Whether a folder holds a run, finished or not."""
    return all((folder / name).exists() for name in (CONFIG_FILE, CORPUS))


def _load(config: Config | str | Path, overrides: dict[str, Any]) -> Config:
    try:
        if isinstance(config, Config):
            return Config().from_str(
                config.to_str(), overrides=overrides, interpolate=False
            )
        return load_config(config, overrides=overrides, interpolate=False)
    except ConfigValidationError as error:
        raise ValueError(Errors.A219.format(error=describe(error))) from error


def _begin(
    folder: Path, raw: Config, use_gpu: int, code_path: Path | None, strict: bool
) -> Run:
    """Check a new run, and write down what all of it is based on."""
    if is_stopped(folder):
        run = _make_run(folder, use_gpu, code_path)
        where = f"round {len(run.history()) + 1} of {run.settings.rounds}"
        if run.is_finished():
            where = f"all rounds are, but {BEST_MODEL} is not there"
        raise ValueError(Errors.A203.format(path=folder, where=where))
    config, settings, train_docs, dev_docs, labels = check_run(raw, use_gpu, strict)
    claim(folder)
    # As in spaCy's own training a new run takes the place of a finished one. The corpus
    # goes first: while there is none, there is nothing to resume.
    for name in (*MADE, BEST_MODEL, LAST_MODEL):
        for path in folder.glob(name):
            remove(path)
    (component,) = adak_components(config)
    initialize = raw.setdefault("initialize", {}).setdefault("components", {})
    initialize.setdefault(component, {})["labels"] = labels
    write_file(folder / CONFIG_FILE, _fill(raw).to_disk)
    write_file(folder / DEV_FILE, make_docbin(dev_docs).to_disk)
    seed = config["training"]["seed"] or 0
    write_shards(train_docs, folder / CORPUS, settings.folds, seed)
    return _make_run(folder, use_gpu, code_path)


def _go_on(folder: Path, raw: Config, use_gpu: int, code_path: Path | None) -> Run:
    """Take up a run where it was stopped, with the settings it was begun with. Where
    it is executed and what is logged may change."""
    asked = _fill(raw).interpolate()
    path = folder / CONFIG_FILE
    begun = load_config(path, interpolate=False)
    changed = begun.copy()
    changed["training"]["logger"] = asked["training"]["logger"]
    for name in EXECUTION:
        changed["adak"][name] = asked["adak"][name]
    interpolated = changed.interpolate()
    for section in ("nlp", "components", "corpora", "training", "adak"):
        if asked[section] != interpolated[section]:
            why = f"the settings in [{section}] are not those the run was begun with"
            raise ValueError(Errors.A204.format(path=folder, why=why))
    if changed != begun:
        write_file(path, changed.to_disk)
    return _make_run(folder, use_gpu, code_path)


def _fill(raw: Config) -> Config:
    """The config with all defaults. A component with a source keeps nothing but that,
    or trainings would begin with a new one."""
    filled = load_model_from_config(raw, auto_fill=True).config
    for name, block in raw["components"].items():
        if "source" in block:
            filled["components"][name] = block
    filled["adak"] = {**default_settings(), **raw.get("adak", {})}
    return filled


def _make_run(folder: Path, use_gpu: int, code_path: Path | None) -> Run:
    path = folder / CONFIG_FILE
    config = complete(load_config(path, interpolate=False))
    return Run(
        folder=folder,
        config_path=path,
        config=config,
        settings=read_settings(config),
        component=adak_components(config)[0],
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


def _publish(run: Run) -> None:
    """Put what the user came for where spaCy's own training would put it."""
    best, last = run.best_round(), len(run.history())
    assert best is not None
    if run.needs_q():
        write_file(
            run.folder / DICTIONARY_FILE,
            lambda path: shutil.copy(run.round_folder(best) / DICTIONARY_FILE, path),
        )
        write_file(run.folder / COMPLETED_FILE, _completed_data(run, best).to_disk)
    remove_rows(run.folder / FROZEN)
    # The best model comes last: with it a run counts as finished.
    for name, number in ((LAST_MODEL, last), (BEST_MODEL, best)):
        with new_folder(run.folder / name) as beside:
            _copy_model(run.round_folder(number) / "final" / name, beside)
            _restore_settings(beside / "config.cfg", run.config_path)


def _copy_model(source: Path, target: Path) -> None:
    """Copy a model, and give it the encoders that it shares with others in the run."""
    if has_frozen_encoder(load_config(source / "config.cfg")):
        load_model(source).to_disk(target)
    else:
        shutil.copytree(source, target, dirs_exist_ok=True)


def _restore_settings(model_config: Path, run_config: Path) -> None:
    """Undo what was changed in a model's config for one training of the run."""
    config = load_config(model_config, interpolate=False)
    original = load_config(run_config, interpolate=False)
    for section in ("paths", "system", "corpora", "training", "initialize"):
        if section in original:
            config[section] = original[section]
    forget_shared_folders(config)
    config.to_disk(model_config)


def _completed_data(run: Run, number: int) -> DocBin:
    """The training data with all entities on the path of q as `doc.ents`. The span
    groups "annotated" and "estimated" tell where they are from."""
    nlp = tokenizing_pipeline(run.config)
    completed = [
        complete_doc(example.reference)
        for shard in list_shards(run.corpus)
        for example in read_shard(nlp, shard.path, run.estimates(number))
    ]
    return make_docbin(in_given_order(completed, run.corpus))


def complete_doc(doc: Doc) -> Doc:
    """Add the entities on the path of q to those that are annotated.

    doc (Doc): A document with q, which is changed.
    RETURNS (Doc): The document.
    """
    path = doc.spans.pop(ESTIMATE_KEY)
    doc.user_data.pop(ESTIMATE_KEY, None)
    annotated = list(doc.ents)
    # The path has these as well. But where an entity does not align with the tokens of
    # the pipeline it has not, and may have another one in its place.
    taken = {token.i for ent in annotated for token in ent}
    estimated: list[Span] = []
    scores: list[float] = []
    for span, score in zip(path, path.attrs["scores"], strict=True):
        if taken.isdisjoint(range(span.start, span.end)):
            estimated.append(span)
            scores.append(float(score))
    doc.set_ents([*annotated, *estimated], default="outside")
    doc.spans[ANNOTATED_KEY] = annotated
    doc.spans[ESTIMATED_KEY] = SpanGroup(
        doc, name=ESTIMATED_KEY, spans=estimated, attrs={"scores": scores}
    )
    return doc
