"""A run from Python leaves a report, and a notebook shows its core."""

import inspect
import shutil
from pathlib import Path

import pytest

import spacy_adak
from spacy_adak.report import reported_run
from spacy_adak.run.train import train
from tests.finished_run import FinishedRun


@pytest.fixture
def folder(one_round: FinishedRun, tmp_path: Path) -> Path:
    """A run that is done, which has nothing left to train."""
    return Path(shutil.copytree(one_round.folder, tmp_path / "run"))


def test_history_is_a_list_that_shows_the_report(
    one_round: FinishedRun, folder: Path
) -> None:
    nlp, history = spacy_adak.train(one_round.config, output=folder, resume=True)
    assert nlp.pipe_names == ["adak_ner"]
    assert history == one_round.history
    shown = history._repr_html_()
    assert "<svg" in shown
    assert "<html" not in shown
    assert "<html" in (folder / "report.html").read_text(encoding="utf8")


def test_run_is_done_whatever_is_wrong_with_its_report(
    one_round: FinishedRun, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise RuntimeError("no paper left")

    monkeypatch.setattr(reported_run, "write_report", fail)
    with pytest.warns(UserWarning, match=r"W402.*no paper left"):
        _, history = spacy_adak.train(one_round.config, folder, resume=True)
    assert history == one_round.history


def test_settings_are_those_of_a_run() -> None:
    assert inspect.signature(spacy_adak.train) == inspect.signature(train)
