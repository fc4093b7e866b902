import re
import shutil
from pathlib import Path

import pytest
import srsly
from spacy.util import load_config

import spacy_adak
from spacy_adak.report.run_record import read_run
from spacy_adak.report.run_report import make_report, write_report
from spacy_adak.run.dev_data import choose_by_likelihood
from spacy_adak.run.publish import reopen
from spacy_adak.shards.recall_file import KnownRecall, write_recall
from tests.finished_run import FinishedRun

from .browser import Browser


@pytest.fixture(scope="module")
def page(finished: FinishedRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(finished.folder, tmp_path_factory.mktemp("page") / "run.html")


def unfinished(finished: FinishedRun, folder: Path) -> Path:
    """As after the first round that was better, before the next one is finished."""
    shutil.copytree(finished.folder, folder)
    reopen(folder)
    return folder


def test_record_has_what_is_on_disk(finished: FinishedRun) -> None:
    run = read_run(finished.folder)
    assert run.rounds == finished.history
    assert run.best == max(finished.history, key=lambda round_: round_.score)
    assert run.is_finished
    assert run.has_q
    assert {(t.round, t.fold) for t in run.trainings} == {
        (round_, fold) for round_ in (1, 2) for fold in (None, 0, 1)
    }
    assert all(training.scores for training in run.trainings)
    assert (run.train.texts, run.dev.texts) == (40, 12)
    assert run.train.unknown_tokens > 0 == run.dev.unknown_tokens
    assert [d.total() for d in run.dictionaries] == [
        round_.dictionary_size for round_ in finished.history
    ]


def test_page_has_all_sections(page: Path) -> None:
    html = page.read_text(encoding="utf8")
    headings = re.findall(r"<h2>(.*?)</h2>", html)
    assert headings == [
        "Scores on dev",
        "Probabilities",
        "What was found in the training texts",
        "How the trainings went",
    ]
    for title in (
        "Precision, recall and F1 on dev",
        "F1 of each type on dev",
        "Entities found in the training texts",
        "Entities in the dictionary",
        "Unknown tokens whose estimated tag changed",
        "F1 on dev in round 2",
        "Loss of the models on all data",
        "λ, the weight of the model&#39;s own best paths",
        "Time",
    ):
        assert f"<figcaption>{title}" in html


def test_report_is_where_the_run_is_if_not_told_otherwise(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = unfinished(finished, tmp_path / "run")
    assert write_report(folder) == folder / "report.html"
    assert (folder / "report.html").exists()


def test_scores_on_incomplete_dev_data_are_called_corrected(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = unfinished(finished, tmp_path / "run")
    config = load_config(folder / "config.cfg")
    choose_by_likelihood(config["training"])
    config.to_disk(folder / "config.cfg")
    write_recall(folder, KnownRecall(0.4, 0.3, 0.5, 0.2, True, "40 % are marked"))
    report = make_report(folder)
    assert report.dev is not None
    # What is found there can't be called wrong.
    assert report.reliability is None
    html = write_report(folder).read_text(encoding="utf8")
    assert "F1 on dev, corrected" in html
    assert "40 % are marked" in html
    assert "dev data is annotated completely" not in html


def test_unfinished_run_has_a_report(finished: FinishedRun, tmp_path: Path) -> None:
    folder = unfinished(finished, tmp_path / "run")
    report = make_report(folder)
    assert report.dev is not None
    assert report.estimates is None  # what is there may be of an earlier round
    assert "This run is not finished" in report.verdict.learnt
    write_report(folder)


def test_run_without_its_best_model_has_a_report(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = unfinished(finished, tmp_path / "run")
    shutil.rmtree(folder / "model-best")
    assert make_report(folder).dev is None
    html = write_report(folder).read_text(encoding="utf8")
    assert "No dev text is annotated completely, or the best model finds no" in html


def test_run_without_a_finished_round_has_none(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = unfinished(finished, tmp_path / "run")
    (folder / "history.jsonl").unlink()
    with pytest.raises(ValueError, match="A405"):
        make_report(folder)


def test_run_without_dev_data_or_scores_has_a_report(
    finished: FinishedRun, tmp_path: Path
) -> None:
    folder = unfinished(finished, tmp_path / "run")
    shutil.rmtree(folder / "model-best")
    (folder / "dev.spacy").unlink()
    unscored = {"precision": None, "recall": None, "f1": None, "dev_per_type": {}}
    rows = [round_._replace(**unscored)._asdict() for round_ in finished.history]
    srsly.write_jsonl(folder / "history.jsonl", rows)
    html = write_report(folder).read_text(encoding="utf8")
    assert "The best model has a score of" in html
    assert "Precision, recall and F1 on dev" not in html


def test_core_is_shown_in_notebooks(finished: FinishedRun) -> None:
    html = spacy_adak.make_report(finished.folder)._repr_html_()
    assert "The best model finds" in html
    assert html.count("<svg") == 2
    assert html.count("<table") == 2
    assert "<script" not in html


def test_page_in_a_browser(browser: Browser, page: Path) -> None:
    browser.open(page)
    background = "return getComputedStyle(document.body).backgroundColor"
    light = browser.run(background)
    browser.click("#theme")
    assert browser.run(background) != light
    assert browser.run("return performance.getEntriesByType('resource').length") == 0
    names = "return [...document.querySelectorAll('svg')].map((svg) => svg.ariaLabel)"
    assert all(browser.run(names))


def test_page_fits_a_phone_with_readable_charts(browser: Browser, page: Path) -> None:
    browser.resize(360, 740)
    browser.open(page)
    assert browser.run("return document.documentElement.scrollWidth") <= 360
    heights = browser.run("""
        return [...document.querySelectorAll("svg text")]
            .filter((text) => !text.hasAttribute("transform"))
            .map((text) => text.getBoundingClientRect().height);
    """)
    assert min(heights) > 9


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_all_text_stands_out(browser: Browser, page: Path, theme: str) -> None:
    browser.open(page)
    browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
    assert browser.faint_texts() == []


def test_no_text_of_a_chart_is_cut_off(browser: Browser, page: Path) -> None:
    browser.open(page)
    outside = browser.run("""
        return [...document.querySelectorAll("svg")].flatMap((svg) => {
            const frame = svg.getBoundingClientRect();
            return [...svg.querySelectorAll("text")].filter((text) => {
                const box = text.getBoundingClientRect();
                return box.left < frame.left - 1 || box.right > frame.right + 1
                    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
            }).map((text) => text.textContent);
        });
    """)
    assert outside == []
