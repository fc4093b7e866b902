"""What the algorithm is for: entities that nobody annotated are found."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_adak.run.train import train
from tests.losses import loss_override
from tests.made_corpus import TINY, make_config, make_docs, write_data

Trained = Callable[[str], tuple[float, Path]]
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


@pytest.fixture(scope="module")
def trained(
    settings: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Trained:
    """Train with a loss, and give the best F1 and the folder of the run."""

    @functools.cache
    def run(loss: str) -> tuple[float, Path]:
        folder = tmp_path_factory.mktemp(loss)
        _, history = train(
            make_config(**{**settings, **loss_override(loss)}), folder / "output"
        )
        return max(round_.f1 or 0.0 for round_ in history), folder / "output"

    return run


def test_adak_beats_weighted_and_weighted_beats_crf(trained: Trained) -> None:
    adak, weighted, crf = (trained(loss)[0] for loss in ("adak", "weighted", "crf"))
    assert adak > weighted + 0.05
    assert weighted > crf + 0.05


def test_ratio_beats_crf(trained: Trained) -> None:
    assert trained("ratio")[0] > trained("crf")[0] + 0.2


def test_missing_beats_the_other_losses_of_one_training(trained: Trained) -> None:
    others = [trained(loss)[0] for loss in ("crf", "fuzzy")]
    assert trained("missing")[0] > max(others) + 0.3


def test_most_of_what_was_removed_is_recovered(trained: Trained) -> None:
    gold = {doc.text: doc for doc in make_docs(TEXTS)}
    path = trained("adak")[1] / "train-completed.spacy"
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
