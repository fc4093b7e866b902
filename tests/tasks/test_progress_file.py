from pathlib import Path

import pytest

from spacy_adak.tasks import progress_file
from spacy_adak.tasks.progress_file import ProgressFile, read_progress


def test_progress_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_file, "_SECONDS_BETWEEN_REPORTS", 0)
    progress = ProgressFile(tmp_path / "progress", total=9)
    progress.advance(2)
    progress.advance(1)
    assert read_progress(tmp_path / "progress") == (3, 9)


def test_reports_are_not_too_frequent(tmp_path: Path) -> None:
    progress = ProgressFile(tmp_path / "progress", total=9)
    progress.advance(1)
    progress.advance(1)
    assert read_progress(tmp_path / "progress") == (1, 9)


@pytest.mark.parametrize("text", [None, "", '{"step": 3, "to'])
def test_nothing_is_known_of_what_is_not_there_or_half_written(
    tmp_path: Path, text: str | None
) -> None:
    if text is not None:
        (tmp_path / "progress").write_text(text)
    assert read_progress(tmp_path / "progress") == (0, None)
