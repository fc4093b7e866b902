"""Train a pipeline with AdaK-NER: checks, rounds, and what a run leaves behind."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy.cli._util import import_code
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span, SpanGroup
from spacy.util import load_config, load_model, load_model_from_config
from thinc.api import Config

from ..errors import Errors
from ..pipeline.estimates import ESTIMATE_KEY
from .checkpoint import locked, new_folder, recover_folder, write_file
from .corpus import list_shards, read_references, tokenizing_pipeline, write_shards
from .executors import make_executor
from .loop import DICTIONARY_FILE, Round, Run, run_rounds
from .preflight import adak_components, check_run, is_complete
from .progress import Stopwatch, watched
from .settings import default_settings, read_settings

CONFIG_FILE = "config.cfg"
COMPLETED_FILE = "train-completed.spacy"
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
    show_progress (bool): Show progress bars.
    on_start (Callable): Called with the run when all checks have passed.
    on_round (Callable): Called after every round with its results and how many seconds
        may be left.
    RETURNS (tuple[Language, list[Round]]): The best pipeline, and all rounds.
    """
    folder = Path(output)
    code = Path(code_path) if code_path is not None else None
    import_code(code)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder):
            prepare = _go_on if resume else _begin
            run = prepare(folder, config, overrides or {}, use_gpu, code, strict)
            stopwatch = Stopwatch(
                _planned_trainings(run),
                1 if run.settings.executor == "serial" else run.settings.n_jobs,
            )
            run = run._replace(execute=watched(run.execute, stopwatch, show_progress))
            on_start(run)
            for result in run_rounds(run):
                on_round(result, stopwatch.seconds_left())
            _publish(run)
    except OSError as error:
        raise OSError(Errors.A205.format(path=folder, error=error)) from error
    return load_model(folder / "model-best"), run.history()


def _begin(
    folder: Path,
    config: Config | str | Path,
    overrides: dict[str, Any],
    use_gpu: int,
    code_path: Path | None,
    strict: bool,
) -> Run:
    """Check a new run, and write down what all of it is based on."""
    if (folder / "corpus").exists() and not (folder / "model-best").exists():
        run = _make_run(folder, use_gpu, code_path)
        raise ValueError(
            Errors.A203.format(
                path=folder, round=len(run.history()) + 1, rounds=run.settings.rounds
            )
        )
    raw = _load(config, overrides)
    complete = _complete(raw)
    train_docs = list(read_references(complete, "train"))
    dev_docs = list(read_references(complete, "dev"))
    check_run(complete, train_docs, dev_docs, use_gpu, strict)
    settings = read_settings(complete)
    for path in [folder / "history.jsonl", *folder.glob("round-*"), folder / "corpus"]:
        _remove(path)
    component = adak_components(complete)[0]
    raw["adak"] = {**default_settings(), **raw.get("adak", {})}
    # All models must number their tags alike, whatever their fold happens to hold.
    labels = sorted({ent.label_ for doc in train_docs for ent in doc.ents})
    raw.setdefault("initialize", {}).setdefault("components", {}).setdefault(
        component, {}
    ).setdefault("labels", labels)
    dev_path = folder / "dev.spacy"
    scorable = DocBin(docs=[doc for doc in dev_docs if is_complete(doc)])
    write_file(dev_path, scorable.to_disk)
    raw["corpora"]["dev"] = {"@readers": "spacy.Corpus.v1", "path": str(dev_path)}
    write_file(folder / CONFIG_FILE, raw.to_disk)
    write_shards(
        train_docs, folder / "corpus", settings.folds, complete["training"]["seed"] or 0
    )
    return _make_run(folder, use_gpu, code_path)


def _go_on(
    folder: Path,
    config: Config | str | Path,
    overrides: dict[str, Any],
    use_gpu: int,
    code_path: Path | None,
    strict: bool,
) -> Run:
    """Take up a run where it was stopped, with the settings it was begun with."""
    if not (folder / "corpus").exists():
        raise ValueError(Errors.A204.format(path=folder, why="there is no run there"))
    run = _make_run(folder, use_gpu, code_path)
    asked, begun = _load(config, overrides), load_config(folder / CONFIG_FILE)
    for section in ("training", "components", "adak", "nlp"):
        wanted = asked.interpolate().get(section, {})
        if section == "adak":
            wanted = {**default_settings(), **wanted}
        if wanted != begun.interpolate().get(section, {}):
            why = f"the settings in [{section}] are not those the run was begun with"
            raise ValueError(Errors.A204.format(path=folder, why=why))
    return run


def _load(config: Config | str | Path, overrides: dict[str, Any]) -> Config:
    if isinstance(config, Config):
        return Config().from_str(
            config.to_str(), overrides=overrides, interpolate=False
        )
    return load_config(config, overrides=overrides, interpolate=False)


def _complete(raw: Config) -> Config:
    """The config with all defaults, interpolated. `raw` stays what trainings start
    from: a component with a `source` would be new in the complete one."""
    return load_model_from_config(raw, auto_fill=True).config.interpolate()


def _make_run(folder: Path, use_gpu: int, code_path: Path | None) -> Run:
    config = _complete(load_config(folder / CONFIG_FILE, interpolate=False))
    settings = read_settings(config)
    return Run(
        folder=folder,
        config_path=folder / CONFIG_FILE,
        config=config,
        settings=settings,
        component=adak_components(config)[0],
        execute=make_executor(settings),
        use_gpu=use_gpu,
        code_path=code_path,
    )


def _planned_trainings(run: Run) -> int:
    rounds_left = run.settings.rounds - len(run.history())
    return rounds_left * (run.settings.folds + 1) if run.needs_q() else 1


def _publish(run: Run) -> None:
    """Put what the user came for where spaCy's own training would put it."""
    best, last = run.best_round(), len(run.history())
    assert best is not None
    for name, number in (("model-best", best), ("model-last", last)):
        recover_folder(run.folder / name)
        with new_folder(run.folder / name) as beside:
            source = run.round_folder(number) / "final" / name
            shutil.copytree(source, beside, dirs_exist_ok=True)
    if run.needs_q():
        write_file(
            run.folder / DICTIONARY_FILE,
            lambda path: shutil.copy(run.round_folder(best) / DICTIONARY_FILE, path),
        )
        write_file(run.folder / COMPLETED_FILE, _completed_data(run, best).to_disk)


def _completed_data(run: Run, number: int) -> DocBin:
    """The training data with all entities on the path of q as `doc.ents`. The span
    groups "annotated" and "estimated" tell where they are from."""
    completed = DocBin()
    vocab = tokenizing_pipeline(run.config).vocab
    for shard in list_shards(run.round_folder(number) / "estimates" / "all"):
        for doc in DocBin().from_disk(shard.path).get_docs(vocab):
            completed.add(_complete_doc(doc))
    return completed


def _complete_doc(doc: Doc) -> Doc:
    path = doc.spans.pop(ESTIMATE_KEY)
    annotated = list(doc.ents)
    known = {(ent.start, ent.end, ent.label) for ent in annotated}
    estimated: list[Span] = []
    scores: list[float] = []
    for span, score in zip(path, path.attrs["scores"], strict=True):
        if (span.start, span.end, span.label) not in known:
            estimated.append(span)
            scores.append(float(score))
    doc.set_ents([*annotated, *estimated], default="outside")
    doc.spans[ANNOTATED_KEY] = annotated
    doc.spans[ESTIMATED_KEY] = SpanGroup(
        doc, name=ESTIMATED_KEY, spans=estimated, attrs={"scores": scores}
    )
    return doc


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()
