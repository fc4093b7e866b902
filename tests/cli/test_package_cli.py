from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result

Run = Callable[..., Result]
# spaCy's own `package` leaves it to Python to close the files it writes.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    spacy.blank("en").to_disk(tmp_path / "model")
    return tmp_path / "model"


def test_command_tells_the_name_to_load(adak: Run, model: Path, tmp_path: Path) -> None:
    result = adak("package", model, tmp_path / "packages", "--name", "adak_x")
    assert result.exit_code == 0
    assert 'nlp = spacy.load("adak_x")' in result.stdout


def test_name_to_load_is_told_whatever_the_version(
    adak: Run, model: Path, tmp_path: Path
) -> None:
    arguments = ("package", model, tmp_path, "--name", "adak_x", "--build", "none")
    result = adak(*arguments, "--version", "1.0-beta")
    assert 'nlp = spacy.load("adak_x")' in result.stdout


def test_existing_package_stays_unless_forced(
    adak: Run, model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "packages"
    arguments = ("package", model, folder, "--name", "adak_x", "--build", "none")
    assert adak(*arguments).exit_code == 0
    (folder / "adak_x-0.0.0" / "mine.txt").touch()
    result = adak(*arguments)
    assert result.exit_code == 1
    assert "A502" in result.stdout
    assert (folder / "adak_x-0.0.0" / "mine.txt").exists()
    assert adak(*arguments, "--force").exit_code == 0
    assert not (folder / "adak_x-0.0.0" / "mine.txt").exists()
