"""Make an installable package of a pipeline, under the very name it is given.

`spacy package` always puts the language before the name: `en_adak_conll`. And
`spacy.load(name)` looks for a distribution and a module of that very name. So this lets
spaCy write its package, and gives distribution and module the name that was asked for.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import srsly
from packaging.requirements import Requirement
from packaging.version import Version
from spacy.cli._util import import_code
from spacy.cli.package import FILENAMES_DOCS, generate_readme, get_build_formats
from spacy.cli.package import package as spacy_package
from spacy.schemas import ModelMetaSchema, validate
from spacy.util import dict_to_dot, get_minor_version_range, load_config
from wasabi import MarkdownRenderer

from . import __version__
from .errors import Errors
from .estimation.settings import EXECUTION

_PYPROJECT = """\
[build-system]
requires = ["setuptools>=70.1"]
build-backend = "setuptools.build_meta"

[project]
name = {name}
version = {version}
description = {description}
readme = "README.md"
authors = {authors}
urls = {urls}
dynamic = ["license"]
dependencies = {requirements}

[project.entry-points.spacy_models]
{module} = {name}

[tool.setuptools]
packages = [{name}]
package-data = {{ {module} = ["**/*"] }}
"""
# In pyproject.toml it would have to be one that is known by a short name.
_SETUP = """\
from setuptools import setup

setup(license={license!r})
"""
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


def package(
    input_dir: Path,
    output_dir: Path,
    *,
    name: str | None = None,
    version: str | None = None,
    meta_path: Path | None = None,
    scores_path: Path | None = None,
    code_paths: Sequence[Path] = (),
    build: Sequence[str] = ("wheel",),
    force: bool = False,
) -> Path:
    """Make an installable package of a pipeline.

    input_dir (Path): The pipeline.
    output_dir (Path): Where to put the directory of the package.
    name (str | None): The name of distribution and module. If None, that in the meta.
    version (str | None): The version. If None, that in the meta.
    meta_path (Path | None): A JSON file with entries to add to the meta.
    scores_path (Path | None): A JSON file with scores to state.
    code_paths (Sequence[Path]): Python files to include and import.
    build (Sequence[str]): "sdist", "wheel", both or "none".
    force (bool): Overwrite an existing package.
    RETURNS (Path): The directory of the package.
    """
    if output_dir.resolve().is_relative_to(input_dir.resolve()):
        raise ValueError(Errors.A507.format(path=output_dir))
    for path in code_paths:
        import_code(path)
    meta = _collect_meta(input_dir, name, version, meta_path, scores_path)
    module = meta["name"]
    # spaCy takes the name in the meta to be without the language.
    meta["name"] = module.removeprefix(f"{meta['lang']}_")
    if not module.isidentifier() or not module.isascii() or module.strip("_") != module:
        raise ValueError(Errors.A501.format(name=module))
    target = output_dir / f"{module}-{meta['version']}"
    if target.exists() and not force:
        raise ValueError(Errors.A502.format(path=target))
    output_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output_dir) as temporary:
        beside = Path(temporary) / module
        by_spacy = _package_with_spacy(input_dir, Path(temporary), meta, code_paths)
        full_meta = srsly.read_json(by_spacy / "meta.json")
        beside.mkdir()
        prefixed = f"{full_meta['lang']}_{full_meta['name']}"
        (by_spacy / prefixed).rename(beside / module)
        for path in map(by_spacy.joinpath, FILENAMES_DOCS):
            if path.exists():
                path.rename(beside / path.name)
        _write_meta(full_meta, beside, module, prefixed)
        if not (input_dir / "README.md").exists():
            _write_readme(full_meta, beside, module, prefixed)
        _build(beside, get_build_formats(list(build)))
        if target.exists():
            shutil.rmtree(target)
        beside.rename(target)
    return target


def _collect_meta(
    input_dir: Path,
    name: str | None,
    version: str | None,
    meta_path: Path | None,
    scores_path: Path | None,
) -> dict[str, Any]:
    """What the meta of the package says beyond, or other than, the pipeline's own."""
    try:
        own = srsly.read_json(input_dir / "meta.json")
        config = load_config(input_dir / "config.cfg", interpolate=True)
    except (OSError, ValueError) as error:
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


def _package_with_spacy(
    input_dir: Path, folder: Path, meta: dict[str, Any], code_paths: Sequence[Path]
) -> Path:
    meta_path = folder / "meta.json"
    srsly.write_json(meta_path, meta)
    spacy_package(
        input_dir,
        folder,
        meta_path=meta_path,
        code_paths=list(code_paths),
        create_sdist=False,
        require_parent=True,
        silent=True,
    )
    return folder / f"{meta['lang']}_{meta['name']}-{meta['version']}"


def _write_meta(meta: dict[str, Any], folder: Path, module: str, prefixed: str) -> None:
    """Write what describes the package, for spaCy and for pip."""
    data = folder / module / f"{prefixed}-{meta['version']}"
    for path in (folder / module, data):
        srsly.write_json(path / "meta.json", meta)
    manifest = f"recursive-include {module} *\n"
    (folder / "MANIFEST.in").write_text(manifest, encoding="utf8")
    author = {"name": meta["author"]} if meta.get("author") else {}
    # spaCy takes any text, pip only an address.
    if "@" in (meta.get("email") or ""):
        author["email"] = meta["email"]
    pyproject = _PYPROJECT.format(
        module=module,
        name=_to_toml(module),
        version=_to_toml(meta["version"]),
        description=_to_toml(meta.get("description") or ""),
        authors=_to_toml([author] if author else []),
        urls=_to_toml({"Homepage": meta["url"]} if meta.get("url") else {}),
        requirements=_to_toml(meta["requirements"]),
    )
    (folder / "pyproject.toml").write_text(pyproject, encoding="utf8")
    setup = _SETUP.format(license=meta.get("license") or "")
    (folder / "setup.py").write_text(setup, encoding="utf8")


def _to_toml(value: str | list[Any] | dict[str, Any]) -> str:
    if isinstance(value, dict):
        pairs = (f"{key} = {_to_toml(item)}" for key, item in value.items())
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_to_toml, value))}]"
    # A JSON string is one in TOML, too, unless it has surrogates escaped in it.
    return json.dumps(value, ensure_ascii=False)


def _write_readme(
    meta: dict[str, Any], folder: Path, module: str, prefixed: str
) -> None:
    readme = generate_readme(meta).replace(f"`{prefixed}`", f"`{module}`")
    for path in (folder, folder / module / f"{prefixed}-{meta['version']}"):
        (path / "README.md").write_text(readme, encoding="utf8")


def _build(folder: Path, formats: tuple[bool, bool]) -> None:
    """Call setuptools as pip does, but in this environment: nothing is downloaded."""
    calls = [
        f"build_meta.build_{name}('dist')"
        for name, wanted in zip(("sdist", "wheel"), formats, strict=True)
        if wanted
    ]
    for call in calls:
        code = f"from setuptools import build_meta; {call}"
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True
        )
        if done.returncode != 0:
            raise ValueError(Errors.A503.format(tail=done.stderr.strip()[-1000:]))
    for path in (folder / "build", *folder.glob("*.egg-info")):
        shutil.rmtree(path, ignore_errors=True)
