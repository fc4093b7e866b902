from pathlib import Path

from spacy_adak.run.source_files import changed_files, write_digests
from tests.made_corpus import make_config, write_data


def test_files_that_hold_something_else_are_found(tmp_path: Path) -> None:
    config = make_config(**write_data(tmp_path)).interpolate()
    digests = tmp_path / "sources.json"
    write_digests(config, digests)
    assert changed_files(digests) == []
    write_data(tmp_path, train=41)
    assert changed_files(digests) == [str(tmp_path / "train.spacy")]


def test_files_of_a_directory_are_looked_at(tmp_path: Path) -> None:
    write_data(tmp_path / "data")
    paths = {"paths.train": str(tmp_path / "data"), "paths.dev": None}
    digests = tmp_path / "sources.json"
    write_digests(make_config(**paths).interpolate(), digests)
    write_data(tmp_path / "data", dev=13)
    assert changed_files(digests) == [str(tmp_path / "data" / "dev.spacy")]


def test_file_that_is_not_there_has_not_changed(tmp_path: Path) -> None:
    config = make_config(**write_data(tmp_path)).interpolate()
    write_digests(config, tmp_path / "sources.json")
    (tmp_path / "train.spacy").unlink()
    assert changed_files(tmp_path / "sources.json") == []
    assert changed_files(tmp_path / "of_an_older_version.json") == []
