"""What is distributed: the package with its papers, and what it requires."""

import ast
import shutil
import subprocess
import sys
import tarfile
from configparser import ConfigParser
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import spacy_adak

PACKAGE = Path(spacy_adak.__file__).parent
ROOT = PACKAGE.parent


def imported_modules() -> set[str]:
    """The top-level modules that the package imports."""
    names = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names.add(str(node.module))
    return {name.split(".")[0] for name in names} - set(sys.stdlib_module_names)


def test_what_is_imported_is_required_by_name() -> None:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    lines = config["options"]["install_requires"].split("\n")
    for extra in config["options.extras_require"].values():
        lines += extra.split("\n")
    required = {canonicalize_name(Requirement(line).name) for line in lines if line}
    distributions = packages_distributions()
    for module in imported_modules() - {"spacy_adak"}:
        names = {
            canonicalize_name(name) for name in distributions.get(module, [module])
        }
        assert names & required, module


def test_sdist_has_the_package_and_its_papers_but_no_tests(tmp_path: Path) -> None:
    source = tmp_path / "source"
    files = [path for path in ROOT.iterdir() if path.is_file()]
    source.mkdir()
    for path in files:
        shutil.copy(path, source)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("spacy_adak", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    code = (
        f"from setuptools import build_meta; build_meta.build_sdist({str(tmp_path)!r})"
    )
    subprocess.run(
        [sys.executable, "-c", code], cwd=source, check=True, capture_output=True
    )
    (sdist,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "setup.cfg"} <= names
    assert "spacy_adak/py.typed" in names
    for path in (PACKAGE / "report" / "assets").rglob("*.*"):
        assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith("tests")]
