"""What the algorithm is for: entities that nobody annotated are found."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_adak.run.train import train
from tests.losses import loss_override
from tests.made_corpus import TINY, make_config, make_docs, write_data

TEXTS = 200
KEPT = 0.2


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    data = write_data(tmp_path_factory.mktemp("data"), TEXTS, dev=60, keep=KEPT)
    return {
        **TINY,
        **data,
        "components.adak_ner.model.tok2vec.width": 32,
        "components.adak_ner.model.tok2vec.embed_size": 500,
        "training.max_epochs": 6,
    }


def best_f1(settings: dict[str, Any], loss: str, folder: Path) -> float:
    config = make_config(**{**settings, **loss_override(loss)})
    _, history = train(config, folder)
    return max(round_.f1 or 0.0 for round_ in history)


@pytest.fixture(scope="module")
def adak(
    settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> tuple[float, Path]:
    folder = tmp_path_factory.mktemp("adak")
    return best_f1(settings, "adak", folder), folder


def test_adak_beats_weighted_and_weighted_beats_crf(
    settings: dict[str, Any], adak: tuple[float, Path], tmp_path: Path
) -> None:
    crf = best_f1(settings, "crf", tmp_path / "crf")
    weighted = best_f1(settings, "weighted", tmp_path / "weighted")
    assert adak[0] > weighted + 0.05
    assert weighted > crf + 0.05


def test_ratio_beats_crf(settings: dict[str, Any], tmp_path: Path) -> None:
    crf = best_f1(settings, "crf", tmp_path / "crf")
    assert best_f1(settings, "ratio", tmp_path / "ratio") > crf + 0.2


def test_missing_beats_the_other_losses_of_one_training(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    others = [best_f1(settings, loss, tmp_path / loss) for loss in ("crf", "fuzzy")]
    assert best_f1(settings, "missing", tmp_path / "missing") > max(others) + 0.3


def test_most_of_what_was_removed_is_recovered(adak: tuple[float, Path]) -> None:
    gold = {doc.text: doc for doc in make_docs(TEXTS)}
    path = adak[1] / "train-completed.spacy"
    removed = recovered = estimated = 0
    for doc in DocBin().from_disk(path).get_docs(spacy.blank("xx").vocab):
        truth = {(e.start, e.end, e.label_) for e in gold[doc.text].ents}
        kept = {(e.start, e.end, e.label_) for e in doc.spans["annotated"]}
        found = {(e.start, e.end, e.label_) for e in doc.spans["estimated"]}
        removed += len(truth - kept)
        estimated += len(found)
        recovered += len(found & truth)
    assert removed > 250
    assert recovered / removed > 0.7
    assert recovered / estimated > 0.9
