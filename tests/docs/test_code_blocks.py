"""What the documentation tells people to run can be run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from thinc.api import Config
from typer.models import OptionInfo

from scripts.docs.cli_reference import commands, parameters_of

from .code_blocks import Block, blocks_of, commands_in, pages
from .short_trainings import prepare

BLOCKS = [block for page in pages() for block in blocks_of(page)]
# What a person is told in their order: the first page makes what others begin with.
START = "docs/getting-started.md"
SERIES = [
    "README.md",
    "docs/component.md",
    "docs/recipes.md",
    "docs/review.md",
    "docs/label_sets.md",
    # The last one, because it replaces the training data.
    "docs/guesses.md",
]
# Parts of whole trainings, or of projects.
STATIC = ["docs/cli.md", "docs/project.md"]


def ids(block: Block) -> str:
    return str(block)


def run(block: Block, folder: Path) -> None:
    """Run a block as it is written."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
    command = ["bash", "-eu", "-c", block.code]
    if block.language == "python":
        command = [sys.executable, "-c", block.code]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0, f"{block}\n{result.stdout}\n{result.stderr}"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of somebody who has followed the first page."""
    folder = prepare(tmp_path_factory.mktemp("started"))
    for block in blocks_of(START):
        if block.is_run and block.language in ("bash", "python"):
            run(block, folder)
    return folder


@pytest.mark.slow
def test_first_page_leads_to_a_reviewed_pipeline(started: Path) -> None:
    for name in ("output/report.html", "output-2/model-best", "review.html"):
        assert (started / name).exists()


@pytest.mark.slow
@pytest.mark.parametrize("page", SERIES)
def test_blocks_of_page_run(page: str, started: Path) -> None:
    if page == "README.md":
        # It begins where the first page does, and a config is not overwritten.
        (started / "config.cfg").unlink(missing_ok=True)
    for block in blocks_of(page):
        if block.is_run and block.language in ("bash", "python"):
            run(block, started)


def needs_a_pipeline(block: Block) -> bool:
    return "output/model-best" in block.code


@pytest.mark.parametrize(
    "block",
    [b for b in BLOCKS if b.language == "python" and not needs_a_pipeline(b)],
    ids=ids,
)
def test_python_runs(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(block.code, str(block), "exec"), {})


def test_every_block_with_commands_is_on_a_page_that_is_run() -> None:
    for block in BLOCKS:
        if block.language == "bash" and commands_in(block.code):
            assert block.page in [START, *SERIES, *STATIC] or not block.is_run, block


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.language == "ini"], ids=ids)
def test_config_can_be_read(block: Block) -> None:
    # A part of a config lacks the sections above its own.
    sections = re.findall(r"^\[([\w.]+)\]$", block.code, re.MULTILINE)
    above = {s.rsplit(".", n)[0] for s in sections for n in range(1, s.count(".") + 1)}
    missing = [f"[{section}]" for section in sorted(above - set(sections))]
    code = "\n".join([*missing, block.code])
    config = Config().from_str(code, interpolate=False)
    assert config.get("components") or config["adak"]


@pytest.mark.parametrize("block", [b for b in BLOCKS if commands_in(b.code)], ids=ids)
def test_options_of_commands_exist(block: Block) -> None:
    for name, *arguments in commands_in(block.code):
        infos = parameters_of(commands()[name]).values()
        flags = {
            flag
            for info in infos
            if isinstance(info, OptionInfo)
            for names in (info.default, *(info.param_decls or ()))
            for flag in str(names).split("/")
        }
        for argument in arguments:
            # Settings of a config have dots in their names.
            if re.fullmatch(r"--?[a-z][a-z-]*", argument):
                assert argument in flags, f"{block}: {name} {argument}"
