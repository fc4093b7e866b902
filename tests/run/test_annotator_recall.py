"""The recall of annotators is found once in a run, by as much as it takes."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin
from thinc.api import Config

from spacy_adak.crf.calibration import IDENTITY
from spacy_adak.pipeline import calibration
from spacy_adak.pipeline.annotation_likelihood import SCORE_NAME
from spacy_adak.pipeline.losses import CRFLoss
from spacy_adak.run import publish
from spacy_adak.run.folder import read_history
from spacy_adak.run.train import train
from spacy_adak.shards.recall_file import KnownRecall, read_recall
from spacy_adak.tasks.find_held_out import HeldOutTask
from spacy_adak.tasks.train_model import TrainingTask
from tests.made_corpus import TINY, make_config, make_docs, model_bytes

OWN = {"adak.start.learn_from": "missing", "adak.rounds": 1, "training.max_epochs": 1}


@pytest.fixture
def data(tmp_path: Path) -> dict[str, str]:
    for name, docs in {
        "train": make_docs(200, keep=0.4),
        "complete": make_docs(400, seed=99),
        "few": make_docs(10, seed=99),
        "incomplete": make_docs(60, keep=0.4, seed=99),
    }.items():
        DocBin(docs=docs).to_disk(tmp_path / f"{name}.spacy")
    return {path.stem: str(path) for path in tmp_path.glob("*.spacy")}


def configure(data: dict[str, str], dev: str | None, **settings: Any) -> Config:
    paths = {"paths.train": data["train"], "paths.dev": dev and data[dev]}
    return make_config(**{**TINY, **OWN, **paths, **settings})


def run(config: Config, folder: Path, **arguments: Any) -> tuple[KnownRecall, list]:
    """What was found out about annotators, and all tasks that models were asked by."""
    tasks: list[Any] = []
    recalls: list[KnownRecall] = []
    with pytest.MonkeyPatch.context() as patch:
        for kind in (TrainingTask, HeldOutTask):

            def note(task: Any, original: Any = kind.run) -> None:
                if task.name.startswith("recall"):
                    tasks.append(task)
                original(task)

            patch.setattr(kind, "run", note)
        train(config, folder, on_recall=recalls.append, **arguments)
    (recall,) = recalls
    return recall, tasks


def test_many_complete_texts_are_enough(data: dict[str, str], tmp_path: Path) -> None:
    recall, tasks = run(configure(data, "complete"), tmp_path / "output")
    assert tasks == []
    assert abs(recall.annotation_recall - 0.4) < 0.06
    assert "complete texts" in recall.description
    assert read_recall(tmp_path / "output") == recall


@pytest.mark.parametrize("dev", ["few", "incomplete"])
def test_models_are_asked_where_facts_are_few(
    data: dict[str, str], tmp_path: Path, dev: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if dev == "incomplete":
            patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        recall, tasks = run(configure(data, dev), tmp_path / "output")
    assert [type(task) for task in tasks] == [TrainingTask] * 2 + [HeldOutTask] * 2
    assert all(task.loss == CRFLoss() for task in tasks[:2])
    assert recall.low - 0.1 <= 0.4 <= recall.high + 0.1
    assert "held-out texts" in recall.description
    assert ("complete texts" in recall.description) == (dev == "few")
    # Their models are not kept.
    assert not (tmp_path / "output" / "annotators").exists()


def test_run_without_dev_data(data: dict[str, str], tmp_path: Path) -> None:
    output = tmp_path / "output"
    with pytest.warns(UserWarning, match=r"\[W210\].*20 of the 200"):
        run(configure(data, None), output)
    assert len(DocBin().from_disk(output / "dev.spacy")) == 20
    performance = spacy.load(output / "model-best").meta["performance"]
    # Models are chosen by the likelihood of the annotation.
    (round_,) = read_history(output)
    assert round_.score == pytest.approx(performance[SCORE_NAME])
    assert "corrected" in performance["note"]
    assert "held-out texts" in performance["note"]


def test_run_is_told_the_same_if_it_goes_on(
    data: dict[str, str], tmp_path: Path
) -> None:
    config = configure(data, None)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        train(config, whole)

        def stop(*args: Any) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train(config, stopped, on_recall=stop)
        train(config, stopped, resume=True)
    assert model_bytes(whole / "model-best") == model_bytes(stopped / "model-best")


def test_recall_of_the_config_comes_first(data: dict[str, str], tmp_path: Path) -> None:
    given = {"adak.start.annotation_recall": 0.3}
    recall, tasks = run(configure(data, "few", **given), tmp_path / "output")
    assert tasks == []
    assert recall.annotation_recall == 0.3


@pytest.mark.parametrize("recall", [0.4, None])
def test_incomplete_dev_data_calibrates_if_the_recall_is_known(
    data: dict[str, str], tmp_path: Path, recall: float | None
) -> None:
    given = {"adak.start.annotation_recall": recall or 0.4}
    config = configure(data, "incomplete", **given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *args, **kwargs: None)
        patch.setattr(calibration, "_FEWEST_ENTITIES", 1)
        if recall is None:
            patch.setattr(publish, "read_recall", unidentifiable)
        train(config, tmp_path / "output")
    nlp = spacy.load(tmp_path / "output" / "model-best")
    assert (nlp.get_pipe("adak_ner").calibration != IDENTITY) == (recall is not None)


def unidentifiable(folder: Path) -> KnownRecall | None:
    found = read_recall(folder)
    return found and found._replace(is_identifiable=False)
