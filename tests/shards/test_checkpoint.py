import errno
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spacy_adak.atomic import place_beside
from spacy_adak.run.folder import MADE
from spacy_adak.shards import checkpoint
from spacy_adak.shards.checkpoint import (
    RunEndedError,
    at_work,
    claim,
    explained_write_errors,
    is_write_error,
    locked,
    new_folder,
    present_run,
    recover,
    refuse_to_overwrite,
)


def fill(path: Path, text: str) -> None:
    with new_folder(path) as beside:
        (beside / "file").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_folder_is_not_there_until_it_is_whole(tmp_path: Path) -> None:
    with new_folder(tmp_path / "a") as beside:
        assert beside.is_dir()
        assert not (tmp_path / "a").exists()
    assert names(tmp_path) == ["a"]


def test_folder_that_could_not_be_filled_leaves_the_old_one(tmp_path: Path) -> None:
    fill(tmp_path / "a", "old")
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "a"):
        raise KeyboardInterrupt
    assert (tmp_path / "a" / "file").read_text() == "old"
    assert names(tmp_path) == ["a"]


def test_folder_replaces_the_old_one(tmp_path: Path) -> None:
    fill(tmp_path / "a", "old")
    fill(tmp_path / "a", "new")
    assert (tmp_path / "a" / "file").read_text() == "new"
    assert names(tmp_path) == ["a"]


def test_everything_is_synced_before_it_is_swapped_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    replace, fsync = os.replace, os.fsync

    def note_fsync(descriptor: int) -> None:
        events.append(os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}")))
        fsync(descriptor)

    def note_replace(*args: Path) -> None:
        events.append("renamed")
        replace(*args)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    fill(tmp_path / "a", "text")
    (beside,) = (name for name in events if re.fullmatch(r"a\.\w+\.tmp", name))
    assert events == ["file", beside, "renamed", tmp_path.name]


def test_recovery_removes_what_is_half_written(tmp_path: Path) -> None:
    (tmp_path / "round-01" / "estimates").mkdir(parents=True)
    (tmp_path / "likelihood").mkdir()
    for half in ("model-best", "round-01/estimates/all", "likelihood/fold-0-0000.q"):
        place_beside(tmp_path / half).mkdir()
    place_beside(tmp_path / "history.jsonl").write_text("half")
    recover(tmp_path, MADE)
    assert not list(tmp_path.rglob("*.tmp"))


def test_recovery_leaves_the_folders_of_others(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    half = place_beside(tmp_path / "mine" / "file")
    half.write_text("half")
    recover(tmp_path, MADE)
    assert half.exists()


def test_recovery_leaves_what_others_call_alike(tmp_path: Path) -> None:
    for name in ("notes.tmp", "data.old", "a.7.tmp", "b.7.old"):
        (tmp_path / name).write_text("mine")
    recover(tmp_path, MADE)
    assert names(tmp_path) == ["a.7.tmp", "b.7.old", "data.old", "notes.tmp"]


def test_recovery_puts_back_what_was_to_be_replaced(tmp_path: Path) -> None:
    fill(place_beside(tmp_path / "model-best", ".old"), "old")
    recover(tmp_path, MADE)
    assert names(tmp_path) == ["model-best"]


def test_recovery_removes_what_was_replaced(tmp_path: Path) -> None:
    fill(tmp_path / "model-best", "new")
    fill(place_beside(tmp_path / "model-best", ".old"), "old")
    recover(tmp_path, MADE)
    assert names(tmp_path) == ["model-best"]
    assert (tmp_path / "model-best" / "file").read_text() == "new"


def test_files_of_others_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dev.spacy").write_text("mine")
    with pytest.raises(ValueError, match=r"A222.*dev\.spacy"):
        refuse_to_overwrite(tmp_path, ["round-*", "dev.spacy"])
    with locked(tmp_path):
        pass
    with pytest.raises(ValueError, match="A222"):
        refuse_to_overwrite(tmp_path, ["round-*", "dev.spacy"])


def test_files_of_a_run_may_be_overwritten(tmp_path: Path) -> None:
    (tmp_path / "dev.spacy").write_text("of a run")
    claim(tmp_path)
    with locked(tmp_path):
        pass
    refuse_to_overwrite(tmp_path, ["round-*", "dev.spacy"])
    # It only looks.
    assert (tmp_path / "dev.spacy").read_text() == "of a run"


def test_second_run_in_a_folder_is_refused(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from spacy_adak.shards.checkpoint import locked\n"
        "with locked(Path(sys.argv[1])): print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in\n"
        with pytest.raises(ValueError, match=r"\[A202\]"), locked(tmp_path):
            pass
        other.kill()
    with locked(tmp_path):
        pass


def test_run_waits_for_the_workers_of_one_that_was_killed(tmp_path: Path) -> None:
    worker = at_work(tmp_path, present_run(tmp_path))
    worker.__enter__()
    ended = threading.Event()

    def end() -> None:
        time.sleep(0.3)
        ended.set()
        worker.__exit__(None, None, None)

    threading.Thread(target=end).start()
    with locked(tmp_path):
        assert ended.is_set()
        with at_work(tmp_path, present_run(tmp_path)):
            pass


def test_worker_that_begins_after_its_run_was_killed_and_resumed_is_turned_away(
    tmp_path: Path,
) -> None:
    with locked(tmp_path):
        killed = present_run(tmp_path)
    with locked(tmp_path):
        with pytest.raises(RunEndedError), at_work(tmp_path, killed):
            pass
        with at_work(tmp_path, present_run(tmp_path)):
            pass


def test_worker_that_does_not_end_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "_SECONDS_TO_WAIT_FOR_WORKERS", 0.2)
    with (
        at_work(tmp_path, present_run(tmp_path)),
        pytest.raises(ValueError, match=r"\[A228\]"),
        locked(tmp_path),
    ):
        pass
    with locked(tmp_path):
        pass


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_write_errors_are_explained(tmp_path: Path, number: int) -> None:
    with (
        pytest.raises(OSError, match=r"\[A205\].*--resume"),
        explained_write_errors(tmp_path, lambda: True),
    ):
        raise OSError(number, os.strerror(number), str(tmp_path / "a"))


def test_write_error_before_a_run_has_begun_says_that_there_is_nothing_to_resume(
    tmp_path: Path,
) -> None:
    with (
        pytest.raises(OSError, match=r"\[A227\].*same command again") as error,
        explained_write_errors(tmp_path, lambda: False),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert "--resume" not in str(error.value)


def test_disk_for_temporary_files_may_be_full(tmp_path: Path) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/elsewhere/tmp")
    assert is_write_error(error, tmp_path)


def test_errors_of_files_elsewhere_are_no_write_errors(tmp_path: Path) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "/elsewhere/train.spacy")
    assert not is_write_error(error, tmp_path)


def test_path_below_a_file_is_a_write_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(OSError, match=r"\[A205\].*Not a directory"),
        explained_write_errors(tmp_path / "file" / "output", lambda: True),
    ):
        (tmp_path / "file" / "output").mkdir(parents=True)
