import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import spacy

from scripts import load_package
from scripts.load_package import main
from spacy_adak.data.docbin import write_docbin


def test_folder_without_a_wheel_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(tmp_path), "test.spacy", "entities.jsonl"]
    monkeypatch.setattr(sys, "argv", ["load_package.py", *arguments])
    with pytest.raises(SystemExit):
        main()
    assert str(tmp_path) in capsys.readouterr().out


def test_entities_are_replaced_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "adak_sample" / "dist" / "adak_sample-0.0.0-py3-none-any.whl"
    wheel.parent.mkdir(parents=True)
    zipfile.ZipFile(wheel, "w").close()
    data, output = tmp_path / "test.spacy", tmp_path / "entities.jsonl"
    write_docbin(data, [])
    output.write_text("old")

    def stop(*args: object) -> Iterator[dict[str, str]]:
        yield {"text": "first"}
        raise KeyboardInterrupt

    monkeypatch.setattr(load_package, "find_entities", stop)
    monkeypatch.setattr(load_package.spacy, "load", lambda name: spacy.blank("en"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    arguments = [str(path) for path in (tmp_path, data, output)]
    monkeypatch.setattr(sys, "argv", ["load_package.py", *arguments])
    with pytest.raises(KeyboardInterrupt):
        main()
    assert output.read_text() == "old"
