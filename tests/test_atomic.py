import errno
import os
import stat
from pathlib import Path

import pytest

from spacy_adak.atomic import place_beside, write_bytes, write_file


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
