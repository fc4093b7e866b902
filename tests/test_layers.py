"""The layers of the package import downwards only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import spacy_adak

PACKAGE = Path(spacy_adak.__file__).parent
# From the ground up: a layer may import itself and what stands before it.
LAYERS = [
    "errors",
    "atomic",
    "crf",
    "data",
    "annotation",
    "recall",
    "encoders",
    "pipeline",
    "shards",
    "q",
    "tasks",
    "run",
    "review",
    "report",
    "packaging",
    "cli",
]
MODULES = sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(path: Path) -> list[str]:
    """All absolute names a module imports, relative imports resolved."""
    package = ["spacy_adak", *path.relative_to(PACKAGE).parent.parts]
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*base, *([node.module] if node.module else [])])
            names += [prefix, *(f"{prefix}.{alias.name}" for alias in node.names)]
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_imports_only_lower_layers(path: Path) -> None:
    layer = layer_of(path)
    if layer == "__init__":
        return
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    for name in imported_modules(path):
        parts = name.split(".")
        if parts[0] == "spacy_adak" and len(parts) > 1 and parts[1] in LAYERS:
            assert parts[1] in allowed, f"{layer} must not import {name}"


@pytest.mark.parametrize(
    "path",
    [p for p in MODULES if layer_of(p) == "crf"],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_crf_layer_knows_neither_spacy_nor_thinc(path: Path) -> None:
    roots = {name.split(".")[0] for name in imported_modules(path)}
    assert not roots & {"spacy", "thinc", "spacy_transformers"}


def test_import_of_the_package_does_not_import_torch() -> None:
    code = "import spacy_adak, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_import_of_the_commands_imports_no_other_layer() -> None:
    # spaCy itself imports torch where it is installed; what the commands would add to
    # every `spacy` command is our own layers and what those import.
    others = {f"spacy_adak.{layer}" for layer in LAYERS[:-1]}
    code = f"import spacy_adak.cli, sys; sys.exit(bool({others} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_commands_add_nothing_large_to_what_spacy_imports() -> None:
    code = (
        "import spacy.cli, sys; before = set(sys.modules); import spacy_adak.cli;"
        "print(*{m.split('.')[0] for m in set(sys.modules) - before})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    added = set(run.stdout.split()) - set(sys.stdlib_module_names)
    assert added == {"spacy_adak"}
