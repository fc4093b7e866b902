"""Make an installable package of a pipeline, under the very name it is given.

`spacy package` always puts the language before the name: `en_adak_conll`. But
`spacy.load(name)` looks for a distribution and a module of exactly that name. So spaCy
writes its package, and then distribution and module get the name that was asked for.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import entry_points, packages_distributions
from pathlib import Path
from typing import Any

import srsly
from spacy.cli._util import import_code
from spacy.cli.package import FILENAMES_DOCS, generate_readme, get_build_formats
from spacy.cli.package import package as spacy_package

from ..errors import Errors
from .meta import collect_meta

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
# In pyproject.toml it must be one with a short name.
_SETUP = """\
from setuptools import setup

setup(license={license!r})
"""


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
    name (str | None): The name of the distribution and the module. If None, the one in
        the meta.
    version (str | None): The version. If None, the one in the meta.
    meta_path (Path | None): A JSON file with entries to add to the meta.
    scores_path (Path | None): A JSON file with scores for the meta.
    code_paths (Sequence[Path]): Python files to include and import.
    build (Sequence[str]): "sdist", "wheel", both or "none".
    force (bool): Overwrite an existing package.
    RETURNS (Path): The directory of the package.
    """
    if output_dir.resolve().is_relative_to(input_dir.resolve()):
        raise ValueError(Errors.A507.format(path=output_dir))
    for path in code_paths:
        import_code(path)
    meta = collect_meta(input_dir, name, version, meta_path, scores_path)
    module = meta["name"]
    # spaCy takes the name in the meta to be without the language.
    meta["name"] = module.removeprefix(f"{meta['lang']}_")
    if not module.isidentifier() or not module.isascii() or module.strip("_") != module:
        raise ValueError(Errors.A501.format(name=module))
    _refuse_taken_name(module)
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


def _refuse_taken_name(name: str) -> None:
    """Refuse a name that is that of a module of Python, or of a package that is no
    pipeline."""
    if name in sys.stdlib_module_names:
        raise ValueError(Errors.A508.format(name=name, what="a module of Python"))
    pipelines = {point.name for point in entry_points(group="spacy_models")}
    if name in packages_distributions() and name not in pipelines:
        what = "an installed package that is no pipeline"
        raise ValueError(Errors.A508.format(name=name, what=what))


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
