"""What annotators do is found out once in a run."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from spacy.tokens import DocBin
from spacy.vocab import Vocab
from thinc.api import Config

from spacy_adak.data.corruption import drop_entities
from spacy_adak.pipeline.losses import MissingLoss, RatioLoss
from spacy_adak.run.train import train
from spacy_adak.tasks.estimate_likelihood import LikelihoodTask
from spacy_adak.tasks.estimate_shard import EstimationTask
from spacy_adak.tasks.executors import Task
from spacy_adak.tasks.train_model import TrainingTask
from tests.made_corpus import TINY, make_config, make_docs, model_bytes
from tests.run.test_algorithm import run


@pytest.fixture(scope="module")
def forms_config(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Config]:
    folder = tmp_path_factory.mktemp("forms")
    docs = make_docs(100, vocab=Vocab())
    for scheme in ("random", "entity"):
        kept = drop_entities(docs, 0.4, scheme)
        DocBin(docs=kept).to_disk(folder / f"{scheme}.spacy")
    # Enough to tell the recall of annotators, so that no models are asked.
    DocBin(docs=make_docs(100, seed=99)).to_disk(folder / "dev.spacy")

    def make(scheme: str, **settings: Any) -> Config:
        paths = {"paths.train": scheme, "paths.dev": "dev"}
        data = {name: str(folder / f"{file}.spacy") for name, file in paths.items()}
        own = {"adak.start.learn_from": "forms", "adak.rounds": 1}
        return make_config(**{**TINY, **data, **own, **settings})

    return make


class Noted(NamedTuple):
    """A run of two rounds, and all its tasks. Not to be changed."""

    folder: Path
    tasks: list[Task]


@pytest.fixture(scope="module")
def noted(
    forms_config: Callable[..., Config], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], Noted]:
    """Train on texts that annotators have treated in some way, with some start."""

    @functools.cache
    def run_with(scheme: str, start: str) -> Noted:
        folder = tmp_path_factory.mktemp(f"{scheme}_{start}")
        settings = {"adak.start.learn_from": start, "adak.rounds": 2}
        return Noted(folder, run(forms_config(scheme, **settings), folder)[1])

    return run_with


def trainings(noted: Noted) -> list[tuple[Any, ...]]:
    """What tells the trainings of a run from each other."""
    return [
        (
            str(task.output.relative_to(noted.folder)),
            task.loss and type(task.loss),
            task.blueprint.estimates
            and str(task.blueprint.estimates.relative_to(noted.folder)),
            task.has_word_features,
        )
        for task in noted.tasks
        if isinstance(task, TrainingTask)
    ]


def test_fold_models_know_no_words_where_forms_are_unknown(
    noted: Callable[[str, str], Noted],
) -> None:
    assert trainings(noted("entity", "forms")) == [
        ("round-01/fold-0", RatioLoss, "likelihood", False),
        ("round-01/fold-1", RatioLoss, "likelihood", False),
        ("round-01/final", None, "round-01/estimates", True),
        ("round-02/fold-0", None, "round-01/estimates", True),
        ("round-02/fold-1", None, "round-01/estimates", True),
        ("round-02/final", None, "round-02/estimates", True),
    ]


@pytest.mark.parametrize(
    ("scheme", "start"),
    [("random", "forms"), ("random", "missing"), ("entity", "missing")],
)
def test_fold_models_suppose_that_annotators_forget_at_random(
    noted: Callable[[str, str], Noted], scheme: str, start: str
) -> None:
    assert trainings(noted(scheme, start))[:3] == [
        ("round-01/fold-0", MissingLoss, None, True),
        ("round-01/fold-1", MissingLoss, None, True),
        ("round-01/final", None, "round-01/estimates", True),
    ]


@pytest.mark.parametrize(
    ("start", "likelihood"),
    [
        ("forms", "likelihood"),
        ("missing", "likelihood"),
        ("ratio", None),
        ("outside", None),
    ],
)
def test_q_is_estimated_with_what_is_known_of_annotators(
    noted: Callable[[str, str], Noted], start: str, likelihood: str | None
) -> None:
    folder, tasks = noted("random", start)
    expected = folder / likelihood if likelihood else None
    estimations = [task for task in tasks if isinstance(task, EstimationTask)]
    assert {task.likelihood for task in estimations} == {expected}


@pytest.fixture(scope="module")
def weights(
    forms_config: Callable[..., Config], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """Of a run that was never stopped."""
    folder = tmp_path_factory.mktemp("forms") / "output"
    train(forms_config("entity"), folder)
    return model_bytes(folder / "model-best")


@pytest.mark.parametrize("kind", [LikelihoodTask, EstimationTask, TrainingTask])
def test_stopped_while_forms_are_sought_ends_with_the_same_weights(
    kind: type[Any],
    forms_config: Callable[..., Config],
    weights: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = forms_config("entity")

    def stop(task: Any, original: Any = kind.run) -> None:
        if "fold-1" in str(task.output) or "likelihood" in task.output.parts:
            raise KeyboardInterrupt
        original(task)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            train(config, tmp_path / "output")
    train(config, tmp_path / "output", resume=True)
    assert model_bytes(tmp_path / "output" / "model-best") == weights


def test_processes_make_no_difference(
    forms_config: Callable[..., Config], weights: dict[str, bytes], tmp_path: Path
) -> None:
    config = forms_config("entity", **{"adak.executor": "joblib"})
    train(config, tmp_path / "output")
    assert model_bytes(tmp_path / "output" / "model-best") == weights
