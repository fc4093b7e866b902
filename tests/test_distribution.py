"""What is distributed: the package with its papers, and what it requires."""

import ast
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from configparser import ConfigParser
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
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


def build(folder: Path, hook: str) -> Path:
    """RETURNS (Path): What setuptools makes of a copy of the source."""
    source = folder / "source"
    files = [path for path in ROOT.iterdir() if path.is_file()]
    source.mkdir()
    for path in files:
        shutil.copy(path, source)
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("spacy_adak", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    built = folder / "built"
    built.mkdir()
    code = f"from setuptools import build_meta; build_meta.{hook}({str(built)!r})"
    subprocess.run(
        [sys.executable, "-c", code], cwd=source, check=True, capture_output=True
    )
    (path,) = built.iterdir()
    return path


@pytest.mark.slow
@pytest.mark.parametrize("hook", ["build_wheel", "build_sdist"])
def test_what_is_distributed_installs_and_passes_tests(
    tmp_path: Path, hook: str
) -> None:
    distribution = build(tmp_path, hook)
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    show = "import sysconfig; print(sysconfig.get_path('purelib'))"
    command = [python, "-c", show]
    packages = Path(subprocess.check_output(command, text=True).strip())
    # What it requires is that of this environment. What is installed here to be edited
    # is not found: that takes a .pth file, which is only read in a folder of one's own.
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib"))
    install = ["-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    install += ["--force-reinstall", str(distribution)]
    subprocess.run([python, *install], check=True, cwd=tmp_path)
    # Away from the source, or that would be imported.
    tests = tmp_path / "elsewhere"
    shutil.copytree(ROOT / "tests", tests / "tests")
    where = "import spacy_adak; print(spacy_adak.__file__)"
    found = subprocess.check_output([python, "-c", where], cwd=tests, text=True)
    assert Path(found.strip()).is_relative_to(packages)
    chosen = ["tests/crf/test_spans.py", "tests/pipeline/test_serialization.py"]
    chosen += ["tests/cli/test_init_config_cli.py", "tests/shards/test_checkpoint.py"]
    subprocess.run([python, "-m", "pytest", "-q", *chosen], cwd=tests, check=True)


def test_sdist_has_the_package_and_its_papers_but_no_tests(tmp_path: Path) -> None:
    sdist = build(tmp_path, "build_sdist")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "setup.cfg"} <= names
    assert "spacy_adak/py.typed" in names
    for path in (PACKAGE / "report" / "assets").rglob("*.*"):
        assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith("tests")]
