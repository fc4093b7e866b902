from pathlib import Path

import pytest

from spacy_adak.data.staging import Staging
from tests.full_disk import Disk


def test_files_are_there_when_all_are_written(tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "new" / "sub" / "b.txt"]
    with Staging() as staging:
        for path in paths:
            staging.place(path).write_text(path.name)
            assert not path.exists()
    assert [path.read_text() for path in paths] == ["a.txt", "b.txt"]
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2


def fail_after(path: Path, text: str) -> None:
    with Staging() as staging:
        staging.place(path).write_text(text)
        raise OSError("full")


def test_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(OSError, match="full"):
        fail_after(tmp_path / "a.txt", "new")
    with pytest.raises(OSError, match="full"):
        fail_after(tmp_path / "new" / "sub" / "b.txt", "half")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_folder_that_was_there_remains(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match="full"):
        fail_after(tmp_path / "there" / "a.txt", "new")
    assert (tmp_path / "there").is_dir()


def test_link_leads_to_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    with Staging() as staging:
        staging.place(tmp_path / "link").write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


def test_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(tmp_path, room=100).patch(monkeypatch)
    with pytest.raises(OSError, match="No space left") as error:
        write_too_much(tmp_path / "a.txt")
    assert error.value.filename == str(tmp_path)
    assert not list(tmp_path.iterdir())


def write_too_much(path: Path) -> None:
    with Staging() as staging:
        staging.place(path).write_bytes(bytes(200))


def test_replaced_file_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o600)
    with Staging() as staging:
        staging.place(path).write_text("new")
    assert path.stat().st_mode & 0o777 == 0o600
