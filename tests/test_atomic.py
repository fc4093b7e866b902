import errno
import os
import stat
from pathlib import Path

import pytest

from spacy_adak.atomic import copy_folder, place_beside, write_bytes, write_file
from tests.full_disk import Disk


def fail_halfway(path: Path) -> None:
    path.write_text("half")
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_file_is_written(tmp_path: Path) -> None:
    write_file(tmp_path / "a", lambda beside: beside.write_text("whole"))
    assert (tmp_path / "a").read_text() == "whole"
    assert os.listdir(tmp_path) == ["a"]


def test_file_that_could_not_be_written_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(OSError, match="No space"):
        write_file(tmp_path / "a", fail_halfway)
    assert (tmp_path / "a").read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


def test_full_disk_that_a_library_does_not_tell_of_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(path: Path) -> None:
        try:
            path.write_bytes(bytes(200))
        except OSError:
            # As the tokenizers of transformers do.
            raise RuntimeError("could not be saved") from None

    Disk(tmp_path, room=100).patch(monkeypatch)
    with pytest.raises(OSError, match="No space left") as error:
        write_file(tmp_path / "a", write)
    assert isinstance(error.value.__cause__, RuntimeError)
    assert os.listdir(tmp_path) == []


def test_bug_is_not_taken_for_a_full_disk(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        write_file(tmp_path / "a", fail)
    assert os.listdir(tmp_path) == []


def test_folder_is_copied(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    (source / "inner" / "most").mkdir(parents=True)
    (source / "inner" / "file").write_text("text")
    (source / ".hidden").write_text("hidden")
    target.mkdir()
    copy_folder(source, target)
    assert (target / "inner" / "file").read_text() == "text"
    assert (target / ".hidden").read_text() == "hidden"
    assert (target / "inner" / "most").is_dir()


def test_copy_to_a_full_disk_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "file").write_bytes(bytes(100))
    Disk(tmp_path / "target", room=10).patch(monkeypatch)
    with pytest.raises(OSError, match="No space") as error:
        copy_folder(tmp_path / "source", tmp_path / "target")
    assert error.value.errno == errno.ENOSPC
    assert (tmp_path / "target" / "file").stat().st_size == 10


def test_two_writers_do_not_meet(tmp_path: Path) -> None:
    assert place_beside(tmp_path / "a") != place_beside(tmp_path / "a")


def test_file_that_could_not_be_swapped_in_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_bytes(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"


def test_written_file_has_the_usual_rights(tmp_path: Path) -> None:
    path, usual = tmp_path / "sub" / "a.txt", tmp_path / "usual.txt"
    write_bytes(path, b"new")
    usual.write_text("new")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(usual.stat().st_mode)


def test_link_leads_to_what_was_written(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("folder/file")
    (tmp_path / "folder").mkdir()
    for text in ("new", "newer"):
        write_bytes(tmp_path / "link", text.encode())
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "folder" / "file").read_text() == text
    assert os.listdir(tmp_path / "folder") == ["file"]


def test_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match=r"A509.*pipe"):
        write_bytes(tmp_path / "pipe", b"text")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_links_in_a_circle_are_refused(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match=r"links.*circle"):
        write_bytes(tmp_path / "circle", b"text")


def test_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(tmp_path, room=100).patch(monkeypatch)
    with pytest.raises(OSError, match="No space left") as error:
        write_bytes(tmp_path / "a", bytes(200))
    assert error.value.filename == str(tmp_path)


def test_replaced_file_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write_bytes(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
