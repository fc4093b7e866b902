from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from tests.finished_run import FinishedRun

Run = Callable[..., Result]


def test_report_is_written_where_it_is_asked_for(
    adak: Run, finished: FinishedRun, tmp_path: Path
) -> None:
    output = tmp_path / "pages" / "run.html"
    result = adak("report", finished.folder, "--output", output)
    assert result.exit_code == 0, result.output
    assert "run.html" in result.output
    assert "Training report" in output.read_text(encoding="utf8")


def test_folder_without_a_run_fails_with_a_message(adak: Run, tmp_path: Path) -> None:
    result = adak("report", tmp_path)
    assert result.exit_code == 1
    assert "[A404]" in result.output
