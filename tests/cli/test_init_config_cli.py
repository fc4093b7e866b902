from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from thinc.api import Config

from spacy_adak.run.init_config import init_config

Adak = Callable[..., Result]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("device", ["--cpu", "--gpu"])
def test_config_is_written_with_its_comments(
    adak: Adak, tmp_path: Path, lang: str, device: str
) -> None:
    path = tmp_path / "config.cfg"
    result = adak("init-config", path, "--lang", lang, device)
    assert result.exit_code == 0
    assert "adak train" in result.output
    text = path.read_text(encoding="utf8")
    assert text == init_config(lang, device == "--gpu")
    assert text.startswith("# Train with:")


def test_config_can_be_piped(adak: Adak) -> None:
    result = adak("init-config", "-")
    assert Config().from_str(result.stdout)["nlp"]["lang"] == "en"


def test_file_is_not_overwritten_unless_forced(adak: Adak, tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    path.write_text("mine")
    assert adak("init-config", path).exit_code == 1
    assert path.read_text() == "mine"
    assert adak("init-config", path, "--force").exit_code == 0
    assert path.read_text() != "mine"


def test_missing_folders_are_made(adak: Adak, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "config.cfg"
    assert adak("init-config", path).exit_code == 0
    assert path.exists()


def test_unknown_language_is_an_error_without_a_traceback(
    adak: Adak, tmp_path: Path
) -> None:
    result = adak("init-config", tmp_path / "config.cfg", "--lang", "klingon")
    assert result.exit_code == 1
    assert "A221" in result.output
    assert not (tmp_path / "config.cfg").exists()
