"""Find everything that is wrong with a config and its data before the first step."""

import warnings
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple, NoReturn

from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Config, require_gpu

from ..annotation.completeness import is_complete
from ..data.complete_types import with_outside_stated
from ..data.docbin import unreadable_file_named
from ..data.origins import without_estimates
from ..errors import Errors, Warnings, describe
from ..q.adak_block import AdakSettings, read_settings
from ..shards.references import read_references, reader_block
from .check_curated import problems_of_curated
from .check_guessers import guessed_types, problems_of_guessers
from .check_settings import problems_of_settings
from .dev_data import DevData, choose_dev_data
from .filled_config import FilledConfig, adak_components, fill_config, is_adak
from .folder import needs_q
from .frozen_start import frozen_start_problems
from .ruled_out import problems_of_ruled_out

# Short texts often come more than once: in CoNLL-2003 6 % of the dev texts.
_SHARE_OF_EQUAL_TEXTS = 0.1
_SECTIONS = ("nlp", "components", "corpora", "training")
_SECTIONS_OF_DATA = ("nlp", "corpora", "training")


class Checked(NamedTuple):
    """What is needed to begin a run, found to be in order.

    config (FilledConfig): The config with all defaults.
    settings (AdakSettings): Its `[adak]` block.
    train (list[Doc]): The training data.
    dev (list[Doc]): The texts that models are chosen by.
    dev_is_complete (bool): Whether these are annotated completely.
    labels (list[str]): Those that `[initialize]` gives the component, or those of the
        training data. All models must number their tags alike, whatever their fold
        happens to hold.
    """

    config: FilledConfig
    settings: AdakSettings
    train: list[Doc]
    dev: list[Doc]
    dev_is_complete: bool
    labels: list[str]


def check_run(raw: Config, use_gpu: int, strict: bool) -> Checked:
    """Raise an error that lists all problems, or give back what was read.

    raw (Config): The config as the user wrote it, overrides included.
    use_gpu (int): The GPU asked for, or -1.
    strict (bool): Whether incomplete dev documents are a problem. If not, they are
        warned of.
    RETURNS (Checked): What was read.
    """
    problems = list(_problems_of_device(use_gpu))
    interpolated = _interpolate(raw, _SECTIONS, problems)
    wrong_settings = list(problems_of_settings(interpolated))
    problems += wrong_settings
    settings = None
    try:
        settings = read_settings(interpolated)
    except ValueError as error:
        problems.append(str(error))
    config: FilledConfig | None = None
    wrong_components: list[str] = []
    labels = None
    try:
        config = fill_config(raw)
        wrong_components = list(_problems_of_components(config.resolved))
        problems += wrong_components
        is_frozen_start = settings is not None and settings.start.frozen_encoder
        if not wrong_components:
            problems += problems_of_curated(config.resolved, config.component)
            if is_frozen_start:
                problems += frozen_start_problems(config.resolved, config.component)
        labels = _given_labels(config.resolved)
    except Exception as error:
        # Settings that are known to be wrong need not be complained of twice.
        if not wrong_settings:
            problems.append(Errors.A219.format(error=describe(error)))
    train: list[Doc] = []
    dev: list[Doc] | None = []
    known: set[str] = set()
    unreadable = list(_problems_of_paths(interpolated))
    problems += unreadable
    if not unreadable:
        try:
            train, dev = _read_both(interpolated)
        except Exception as error:
            problems.append(Errors.A220.format(error=describe(error)))
        else:
            known = _types_of_data(settings, train, dev)
            problems += _problems_of_data(interpolated, train, dev, known, strict)
            problems += _problems_of_folds(interpolated, config, train)
            if settings is not None and config is not None:
                uses_q = _uses_q(config)
                problems += problems_of_guessers(settings, train, known, uses_q)
                if not wrong_components:
                    block = config.resolved["components"][config.component]
                    key = block["incorrect_spans_key"]
                    problems += problems_of_ruled_out(key, train)
    if problems or config is None or settings is None:
        _refuse(problems)
    if labels is None:
        labels = sorted(known)
    train = [with_outside_stated(doc, labels) for doc in train]
    if dev is not None:
        dev = [with_outside_stated(doc, labels) for doc in dev]
    seed = config.resolved["training"]["seed"] or 0
    data = choose_dev_data(train, dev, seed, labels)
    _warn_of_dev_data(dev, data)
    _warn_of_equal_texts(data)
    return Checked(config, settings, data.train, data.dev, data.is_complete, labels)


def read_data(raw: Config) -> tuple[list[Doc], list[Doc] | None]:
    """Read the data of a config, or raise an error that lists what is in the way.

    raw (Config): The config as the user wrote it, overrides included.
    RETURNS (tuple[list[Doc], list[Doc] | None]): The training data, and the dev data if
        there is any.
    """
    config = _interpolate(raw, _SECTIONS_OF_DATA, [])
    problems = list(_problems_of_paths(config))
    if problems:
        _refuse(problems)
    try:
        return _read_both(config)
    except Exception as error:
        _refuse([Errors.A220.format(error=describe(error))])


def _interpolate(raw: Config, sections: Iterable[str], problems: list[str]) -> Config:
    """A config that has some sections, with the values of its variables. If there is
    none, an error lists that after other problems."""
    missing = [section for section in sections if not raw.get(section)]
    if missing:
        names = ", ".join(f"[{section}]" for section in missing)
        _refuse([*problems, Errors.A217.format(sections=names)])
    try:
        return raw.interpolate()
    except ValueError as error:
        _refuse([*problems, Errors.A219.format(error=describe(error))])


def _warn_of_dev_data(dev: list[Doc] | None, data: DevData) -> None:
    """Say how models are chosen, unless it is by F1 on complete dev data."""
    if data.drawn:
        warnings.warn(Warnings.W219.format(count=data.drawn), stacklevel=3)
    if dev is None:
        message = Warnings.W210.format(
            count=len(data.dev), total=len(data.dev) + len(data.train)
        )
    elif not data.is_complete:
        complete = sum(map(is_complete, data.dev))
        message = Warnings.W211.format(complete=complete, count=len(data.dev))
    elif data.left_out:
        message = Warnings.W201.format(count=data.left_out, total=len(dev))
    else:
        return
    warnings.warn(message, stacklevel=3)


def _warn_of_equal_texts(data: DevData) -> None:
    learnt = {doc.text for doc in data.train}
    count = sum(doc.text in learnt for doc in data.dev)
    if count > _SHARE_OF_EQUAL_TEXTS * len(data.dev):
        message = Warnings.W222.format(count=count, total=len(data.dev))
        warnings.warn(message, stacklevel=3)


def _given_labels(config: Config) -> list[str] | None:
    for name in adak_components(config):
        block = registry.resolve(config["initialize"]["components"].get(name, {}))
        if block.get("labels") is not None:
            return list(block["labels"])
    return None


def _refuse(problems: list[str]) -> NoReturn:
    listed = "\n".join(f"- {problem}" for problem in problems)
    raise ValueError(Errors.A207.format(problems=listed))


def _problems_of_device(use_gpu: int) -> Iterator[str]:
    if use_gpu >= 0:
        try:
            require_gpu(use_gpu)
        except ValueError as error:
            yield Errors.A215.format(gpu=use_gpu, error=error)


def _problems_of_components(config: Config) -> Iterator[str]:
    names = adak_components(config)
    if len(names) != 1:
        yield Errors.A209.format(count=len(names), names=", ".join(names) or "none")
    limits = ("max_epochs", "max_steps", "patience")
    if all(config["training"][limit] <= 0 for limit in limits):
        yield Errors.A224


def _problems_of_paths(config: Config) -> Iterator[str]:
    for corpus in ("train", "dev"):
        block = reader_block(config, corpus)
        if "path" not in block:
            continue
        option = f"--{config['training'][f'{corpus}_corpus']}.path"
        if corpus in config.get("paths", {}):
            option = f"--paths.{corpus}"
        path = block["path"]
        if path is None and corpus == "dev":
            # A part of the training data takes its place.
            continue
        if path is None:
            yield Errors.A218.format(corpus=corpus, why="not given", option=option)
        elif not Path(path).exists():
            why = f"'{path}', which does not exist"
            yield Errors.A218.format(corpus=corpus, why=why, option=option)
        elif (
            block.get("@readers") == "spacy.Corpus.v1"
            and Path(path).is_file()
            and not str(path).endswith(".spacy")
        ):
            why = f"'{path}', which is no .spacy file (`adak convert` makes one)"
            yield Errors.A218.format(corpus=corpus, why=why, option=option)


def _has_no_dev(config: Config) -> bool:
    return reader_block(config, "dev").get("path", "") is None


def _read_both(config: Config) -> tuple[list[Doc], list[Doc] | None]:
    """The training data, and the dev data if there is any."""
    train = _read(config, "train")
    return train, None if _has_no_dev(config) else _read(config, "dev")


def _read(config: Config, corpus: str) -> list[Doc]:
    """Read a corpus. What a model has estimated in it is no annotation."""
    path = reader_block(config, corpus).get("path")
    if _has_no_dev(config):
        # spaCy makes the readers of all corpora, and none without a path.
        config = config.copy()
        reader_block(config, "dev")["path"] = path
    with nullcontext() if path is None else unreadable_file_named(Path(path)):
        docs = list(read_references(config, corpus))
    facts = [without_estimates(doc) for doc in docs]
    estimates = sum(len(doc.ents) for doc in docs) - sum(len(doc.ents) for doc in facts)
    if estimates:
        message = Warnings.W215.format(count=estimates, path=path or corpus)
        warnings.warn(message, stacklevel=2)
    return facts


def _types_of_data(
    settings: AdakSettings | None, train: list[Doc], dev: list[Doc] | None
) -> set[str]:
    """The types of the training data, and those of dev that are only guessed there: so
    a trained pipeline is taught a new type."""
    types = {ent.label_ for doc in train for ent in doc.ents}
    others = {ent.label_ for doc in dev or () for ent in doc.ents} - types
    if types and others and settings is not None:
        types |= others & guessed_types(settings, train)
    return types


def _problems_of_data(
    config: Config,
    train: list[Doc],
    dev: list[Doc] | None,
    labels: set[str],
    strict: bool,
) -> Iterator[str]:
    if not labels:
        yield Errors.A210.format(path=reader_block(config, "train").get("path"))
    if dev is None:
        if strict:
            yield Errors.A216.format(count="all", total="0")
        return
    of_dev = {ent.label_ for doc in dev for ent in doc.ents}
    unseen = sorted(of_dev - labels)
    if labels and unseen:
        yield Errors.A212.format(labels=", ".join(unseen))
    incomplete = sum(not is_complete(doc) for doc in dev)
    if not of_dev:
        yield Errors.A213
    elif incomplete and strict:
        yield Errors.A216.format(count=incomplete, total=len(dev))


def _problems_of_folds(
    given: Config, filled: FilledConfig | None, train: list[Doc]
) -> Iterator[str]:
    folds = given.get("adak", {}).get("folds", AdakSettings().folds)
    distinct = len({doc.text for doc in train})
    if not isinstance(folds, int) or distinct >= folds:
        return
    # What is wrong with a config that can't be filled is said elsewhere.
    if filled is None or _uses_q(filled):
        yield Errors.A211.format(count=distinct, folds=folds)


def _uses_q(filled: FilledConfig) -> bool:
    blocks = filled.resolved["components"].values()
    return any(needs_q(block["loss"]) for block in blocks if is_adak(block))
