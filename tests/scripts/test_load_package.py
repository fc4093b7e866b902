import sys
from pathlib import Path

import pytest

from scripts.load_package import main


def test_folder_without_a_wheel_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tmp_path), "test.spacy", "entities.jsonl"]
    monkeypatch.setattr(sys, "argv", ["load_package.py", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert str(tmp_path) in capsys.readouterr().out
