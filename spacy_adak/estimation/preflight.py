"""Find everything that is wrong with a config and its data before the first step."""

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from thinc.api import Config, require_gpu

from ..errors import Errors, Warnings
from .settings import read_settings


def check_run(
    config: Config, train: list[Doc], dev: list[Doc], use_gpu: int, strict: bool
) -> None:
    """Raise an error that lists all problems, or return in silence.

    config (Config): The complete config, interpolated.
    train (list[Doc]): The training data.
    dev (list[Doc]): The development data.
    use_gpu (int): The GPU asked for, or -1.
    strict (bool): Whether incomplete dev documents are a problem. If not, they are
        warned of.
    """
    problems = [
        *_problems_of_config(config, use_gpu),
        *_problems_of_data(config, train, dev),
    ]
    incomplete = [doc for doc in dev if not is_complete(doc)]
    if dev and len(incomplete) == len(dev):
        problems.append(Errors.A213)
    elif incomplete and strict:
        problems.append(Errors.A216.format(count=len(incomplete), total=len(dev)))
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise ValueError(Errors.A207.format(problems=listed))
    if incomplete:
        warnings.warn(
            Warnings.W201.format(count=len(incomplete), total=len(dev)), stacklevel=2
        )


def is_complete(doc: Doc) -> bool:
    """RETURNS (bool): Whether the annotation says something about every token."""
    return all(token.ent_iob != 0 for token in doc if not token.is_space)


def adak_components(config: Mapping[str, Any]) -> list[str]:
    """RETURNS (list[str]): The components of the pipeline that are `adak_ner`s."""
    return [
        name
        for name in config["nlp"]["pipeline"]
        if config["components"].get(name, {}).get("factory") == "adak_ner"
    ]


def _problems_of_config(config: Config, use_gpu: int) -> Iterator[str]:
    names = adak_components(config)
    if len(names) != 1:
        yield Errors.A209.format(count=len(names), names=", ".join(names) or "none")
    try:
        read_settings(config)
    except ValueError as error:
        yield str(error)
    yield from _missing_folders(config["components"], "components")
    if use_gpu >= 0:
        try:
            require_gpu(use_gpu)
        except ValueError as error:
            yield Errors.A215.format(gpu=use_gpu, error=error)


def _missing_folders(block: Mapping[str, Any], where: str) -> Iterator[str]:
    """Names of encoders that are paths, and lead nowhere."""
    for key, value in block.items():
        setting = f"{where}.{key}"
        if isinstance(value, Mapping):
            yield from _missing_folders(value, setting)
        elif (
            key == "name"
            and isinstance(value, str)
            and value.startswith((".", "/", "~"))
            and not Path(value).expanduser().is_dir()
        ):
            yield Errors.A214.format(path=value, setting=setting)


def _problems_of_data(
    config: Config, train: list[Doc], dev: list[Doc]
) -> Iterator[str]:
    labels = {ent.label_ for doc in train for ent in doc.ents}
    if not labels:
        path = config.get("paths", {}).get("train")
        yield Errors.A210.format(path=path)
    folds = config.get("adak", {}).get("folds", 2)
    distinct = len({doc.text for doc in train})
    if isinstance(folds, int) and distinct < folds:
        yield Errors.A211.format(count=distinct, folds=folds)
    unseen = sorted({ent.label_ for doc in dev for ent in doc.ents} - labels)
    if labels and unseen:
        yield Errors.A212.format(labels=", ".join(unseen))
