"""The meta of a packaged pipeline, checked and completed."""

import configparser
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import srsly
from packaging.requirements import Requirement
from packaging.version import Version
from spacy.schemas import ModelMetaSchema, validate
from spacy.util import dict_to_dot, get_minor_version_range, load_config
from wasabi import MarkdownRenderer

from .. import __version__
from ..errors import Errors
from ..q.adak_block import EXECUTION

# What of the config tells how a pipeline was trained.
_TRAINING_SETTINGS = (
    "seed",
    "max_epochs",
    "max_steps",
    "dropout",
    "batcher",
    "optimizer",
)
_PARTS = ("factory", "model", "scorer")
# What the files given by options are to hold.
_CONTENT = {
    "--meta-path": "entries such as those of a meta.json",
    "--scores": "scores such as `adak evaluate` writes",
}


def collect_meta(
    input_dir: Path,
    name: str | None,
    version: str | None,
    meta_path: Path | None,
    scores_path: Path | None,
) -> dict[str, Any]:
    """What the meta of the package says, beyond or other than that of the pipeline.

    input_dir (Path): The pipeline.
    name (str | None): The name, if it is not that in the meta.
    version (str | None): The version, if it is not that in the meta.
    meta_path (Path | None): A JSON file with entries to add to the meta.
    scores_path (Path | None): A JSON file with scores for the meta.
    RETURNS (dict[str, Any]): The meta.
    """
    try:
        own = srsly.read_json(input_dir / "meta.json")
        config = load_config(input_dir / "config.cfg", interpolate=True)
    except (OSError, ValueError, configparser.Error) as error:
        raise ValueError(Errors.A500.format(path=input_dir, error=error)) from error
    if not isinstance(own, dict):
        raise ValueError(
            Errors.A500.format(path=input_dir, error="its meta.json is no JSON object")
        )
    meta = {**own, **_read_object(meta_path, "--meta-path")}
    if name is not None:
        meta["name"] = name
    if version is not None:
        meta["version"] = version
    if scores_path is not None:
        scores = _read_object(scores_path, "--scores")
        meta["performance"] = {k: scores[k] for k in scores if k.startswith("ents_")}
        # What scores on incomplete gold rest on stays with them.
        meta["notes"] = "\n\n".join(
            filter(None, [meta.get("notes"), scores.get("note")])
        )
    _check_meta(meta, [input_dir / "meta.json", *filter(None, [meta_path])])
    meta["training"] = training_settings(config)
    meta["notes"] = "\n\n".join(
        [*filter(None, [meta.get("notes")]), _describe_training(meta["training"])]
    )
    # spaCy finds requirements by the modules of registered functions, and overlooks
    # packages that are installed in editable mode.
    requirements = meta.get("requirements", [])
    if not any(requirement.startswith("spacy-adak") for requirement in requirements):
        requirements = [
            *requirements,
            f"spacy-adak{get_minor_version_range(__version__)}",
        ]
    return {**meta, "requirements": requirements}


def _read_object(path: Path | None, option: str) -> dict[str, Any]:
    """The JSON object in a file; without a file, an empty one."""
    if path is None:
        return {}
    try:
        found = srsly.read_json(path)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        content = _CONTENT[option]
        raise ValueError(Errors.A505.format(path=path, option=option, content=content))
    return found


def _check_meta(meta: dict[str, Any], paths: Sequence[Path]) -> None:
    """Refuse values that spaCy or pip would, and say which files they may be in."""
    problems = validate(ModelMetaSchema, meta)
    if not isinstance(meta.get("notes"), str | None):
        problems.append("[notes] Input should be a valid string")
    if not problems:
        values = [("version", meta["version"])]
        values += [("requirements", value) for value in meta.get("requirements", [])]
        for key, value in values:
            try:
                Version(value) if key == "version" else Requirement(value)
            except ValueError:
                problems.append(f"[{key}] {value!r} is none that pip can read")
    if problems:
        raise ValueError(
            Errors.A506.format(
                paths=" and ".join(f"'{path}'" for path in paths),
                problems="; ".join(problems),
            )
        )


def training_settings(config: dict[str, Any]) -> dict[str, Any]:
    """List what of a config tells how a pipeline was trained.

    config (dict[str, Any]): The config.
    RETURNS (dict[str, Any]): The settings by their dotted names.
    """
    training = config.get("training", {})
    settings: dict[str, Any] = {
        "training": {k: v for k, v in training.items() if k in _TRAINING_SETTINGS},
        "components": {
            name: {k: v for k, v in block.items() if k not in _PARTS}
            for name, block in config["components"].items()
            if block.get("factory") == "adak_ner"
        },
        # Where folds were trained makes no difference to the result.
        "adak": {
            key: value
            for key, value in config.get("adak", {}).items()
            if key not in EXECUTION
        },
    }
    return dict_to_dot(settings)


def _describe_training(settings: dict[str, Any]) -> str:
    md = MarkdownRenderer()
    rows = [
        (md.code(key), md.code(json.dumps(value))) for key, value in settings.items()
    ]
    return f"{md.title(3, 'Training')}\n\n{md.table(rows, ['Setting', 'Value'])}"
