"""Cells with less and less dev data: what they are trained on, and their table."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.training import Corpus

from scripts.experiments import no_dev
from scripts.experiments.fine_tuning import fine_tune
from scripts.experiments.no_dev import (
    BASELINES,
    LEARNT,
    TUNED,
    VARIANTS,
    Cell,
    cells,
    make_data,
    read_results,
    run_cell,
)
from spacy_adak.annotation.completeness import is_complete
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.losses import CRFLoss
from tests.finished_run import FinishedRun
from tests.made_corpus import make_docs, model_bytes


def make_cell(variant: str, scheme: str = "random", seed: int = 0) -> Cell:
    return Cell("youku", scheme, 0.4, variant, seed)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "complete"
    folder.mkdir()
    for seed, split in enumerate(("train", "dev", "test")):
        write_docbin(folder / f"{split}.spacy", make_docs(120, seed=seed))
    return folder


def read(path: str | None) -> list[Any]:
    assert path is not None
    return list(read_docbin(Path(path), spacy.blank("xx").vocab))


def test_baselines_that_see_no_training_data_have_one_scheme() -> None:
    made = list(cells(["youku"], [*VARIANTS, *BASELINES, *TUNED, *LEARNT], [0, 1], 0.2))
    assert len(set(made)) == len(made) == 2 * (2 * 6 + 3 + 2 * 3 + 2 * 3)
    assert {cell.scheme for cell in made if cell.variant in BASELINES} == {"random"}
    assert len({cell.name for cell in made}) == len(made)


@pytest.mark.parametrize(("variant", "count"), [("complete", 120), ("20", 20)])
def test_dev_texts_are_complete(
    tmp_path: Path, corpus: Path, variant: str, count: int
) -> None:
    data = make_data(tmp_path, corpus, make_cell(variant))
    dev = read(data["paths.dev"])
    assert len(dev) == count
    assert all(map(is_complete, dev))
    assert not all(map(is_complete, read(data["paths.train"])))


def test_incomplete_dev_texts_and_none(tmp_path: Path, corpus: Path) -> None:
    data = make_data(tmp_path, corpus, make_cell("incomplete"))
    dev = read(data["paths.dev"])
    kept = sum(len(doc.ents) for doc in dev)
    total = sum(len(doc.ents) for doc in read(str(corpus / "dev.spacy")))
    assert kept == pytest.approx(0.4 * total, abs=0.15 * total)
    assert make_data(tmp_path, corpus, make_cell("none"))["paths.dev"] is None


def test_plain_crf_is_trained_on_the_complete_texts_alone(
    tmp_path: Path, corpus: Path
) -> None:
    data = make_data(tmp_path, corpus, make_cell("crf-on-50"))
    assert data["paths.train"] == data["paths.dev"]
    assert len(read(data["paths.train"])) == 50
    assert data["components.adak_ner.loss"] == {"@losses": "spacy-adak.CRFLoss.v1"}


def test_complete_texts_are_learnt_from_without_dev_data(
    tmp_path: Path, corpus: Path
) -> None:
    data = make_data(tmp_path, corpus, make_cell("learnt-50"))
    assert data["paths.dev"] is None
    train = read(data["paths.train"])
    assert [is_complete(doc) for doc in train] == [False] * 120 + [True] * 50


def test_what_is_fine_tuned_has_the_data_of_the_same_dev_texts(
    tmp_path: Path, corpus: Path
) -> None:
    data = make_data(tmp_path, corpus, make_cell("tuned-on-50"))
    assert data == make_data(tmp_path, corpus, make_cell("50"))


def test_fine_tuning_learns_the_complete_texts(
    finished: FinishedRun, tmp_path: Path
) -> None:
    texts = tmp_path / "complete.spacy"
    write_docbin(texts, make_docs(20, seed=7))
    source = finished.folder / "model-best"
    before = model_bytes(source)
    fine_tune(source, texts, tmp_path / "tuned", seed=0)
    assert model_bytes(source) == before

    nlp, tuned = spacy.load(source), spacy.load(tmp_path / "tuned")
    assert loss_on(tuned, texts) < loss_on(nlp, texts)


def loss_on(nlp: Language, texts: Path) -> float:
    """What a plain CRF loses on texts."""
    component = nlp.get_pipe("adak_ner")
    assert isinstance(component, AdaKRecognizer)
    component.loss = CRFLoss()
    return nlp.update(list(Corpus(texts)(nlp)), sgd=None)["adak_ner"]


@pytest.fixture
def trainings(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> list[dict[str, Any]]:
    """The trainings that cells ask for, and nothing is trained."""
    asked: list[dict[str, Any]] = []

    def train(
        config: Path, output: Path, **settings: Any
    ) -> tuple[None, list[SimpleNamespace]]:
        asked.append(settings)
        output.mkdir(parents=True, exist_ok=True)
        (output / "config.cfg").touch()
        (output / "corpus").touch()
        if settings["overrides"]["system.seed"] == STOPPED and len(asked) == 1:
            raise KeyboardInterrupt
        return None, [SimpleNamespace(precision=0.9, recall=0.8, f1=0.85, score=0.85)]

    def evaluate(model: Path, data_path: Path) -> SimpleNamespace:
        f1 = {"model-best": 0.7, "model-last": 0.6}.get(model.name, 0.9)
        return SimpleNamespace(
            to_dict=lambda: {"ents_p": f1, "ents_r": f1, "ents_f": f1}
        )

    def tune(model: Path, texts: Path, output: Path, seed: int) -> None:
        assert len(read(str(texts))) == 20
        output.mkdir()

    monkeypatch.setattr(no_dev, "prepare_corpus", lambda *args, **kwargs: corpus)
    monkeypatch.setattr(no_dev, "train", train)
    monkeypatch.setattr(no_dev, "evaluate", evaluate)
    monkeypatch.setattr(no_dev, "fine_tune", tune)
    monkeypatch.setattr(no_dev, "read_recall", lambda folder: None)
    return asked


STOPPED = 5


def test_results_are_kept_and_folders_removed(
    tmp_path: Path, trainings: list[dict[str, Any]]
) -> None:
    made = [make_cell("20"), make_cell("tuned-on-20")]
    for cell in made:
        run_cell(tmp_path, cell, "folder/encoder", None)
    results = read_results(tmp_path)
    assert list(results) == made
    scores = [row["test"]["f"] for row in results.values()]
    assert scores == pytest.approx([0.7, 0.9])
    last = [row["last"]["f"] for row in results.values()]
    assert last == pytest.approx([0.6, 0.6])
    assert {row["encoder"] for row in results.values()} == {"encoder"}
    assert not list((tmp_path / "training" / "no_dev").iterdir())
    # Both were trained with the same 20 dev texts.
    first, second = (asked["overrides"] for asked in trainings)
    assert first == second


def test_cell_that_was_stopped_is_taken_up(
    tmp_path: Path, trainings: list[dict[str, Any]]
) -> None:
    cell = make_cell("20", seed=STOPPED)
    with pytest.raises(KeyboardInterrupt):
        run_cell(tmp_path, cell, "encoder", None)
    assert read_results(tmp_path) == {}
    run_cell(tmp_path, cell, "encoder", None)
    assert [asked["resume"] for asked in trainings] == [False, True]
    assert list(read_results(tmp_path)) == [cell]


def test_finished_cells_are_not_done_again(
    tmp_path: Path,
    trainings: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--datasets", "youku", "--variants", "20", "crf-on-20", "--ratio", "0.4"]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["no_dev", *options])
        no_dev.main()
    assert len(trainings) == 3
