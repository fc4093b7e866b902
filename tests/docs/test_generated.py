"""Generated pages and drawings are what the code says."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scripts.docs.cli_reference import commands, make_cli_page
from scripts.docs.generated import generated_files
from spacy_adak.cli import adak_cli

ROOT = Path(__file__).parents[2]
GENERATED = generated_files(ROOT)


@pytest.mark.parametrize("path", GENERATED)
def test_file_is_what_the_code_says(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf8")
    assert text == GENERATED[path], "`python -m scripts.docs` writes it"


def test_all_files_are_written() -> None:
    subprocess.run([sys.executable, "-m", "scripts.docs"], cwd=ROOT, check=True)
    for path, text in GENERATED.items():
        assert (ROOT / path).read_text(encoding="utf8") == text


def test_every_option_that_help_shows_is_on_the_page() -> None:
    page = make_cli_page()
    sections = dict(part.split("`", 1) for part in page.split("\n## `")[1:])
    assert sections.keys() == commands().keys()
    for name, section in sections.items():
        output = CliRunner(env={"COLUMNS": "300", "TERM": "dumb"}).invoke(
            adak_cli, [name, "--help"]
        )
        assert output.exit_code == 0
        words = output.output.replace(",", " ").split()
        shown = {word for word in words if word.startswith("--") and len(word) > 2}
        for option in shown - {"--help"}:
            if option.strip("-").replace("-", "").isalpha():
                assert option.rstrip(".:;`'") in section, (name, option)
