"""Algorithm 1: each strategy can be switched off, and nothing else changes by it."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import srsly
from thinc.api import Config

from spacy_adak.crf import losses
from spacy_adak.pipeline import adak_ner
from spacy_adak.pipeline.losses import (
    AdaKLoss,
    Loss,
    MissingLoss,
    Progress,
    RatioLoss,
    WeightedLoss,
)
from spacy_adak.run.folder import ANNOTATORS_FOLDER, Round, read_history
from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train
from spacy_adak.tasks.estimate_shard import EstimationTask
from spacy_adak.tasks.executors import Task
from spacy_adak.tasks.train_model import BEST_MODEL, TrainingTask
from tests.finished_run import FinishedRun
from tests.losses import loss_override


def run(
    config: Config, folder: Path, **settings: Any
) -> tuple[list[Round], list[Task]]:
    """Train with other settings, and give the rounds and all their tasks."""
    tasks: list[Task] = []
    config = read_config(config, settings)
    with pytest.MonkeyPatch.context() as patch:
        for kind in (TrainingTask, EstimationTask):

            def note(task: Task, original: Any = kind.run) -> None:
                # What comes before the first round is not the algorithm.
                if ANNOTATORS_FOLDER not in task.output.parts:
                    tasks.append(task)
                original(task)

            patch.setattr(kind, "run", note)
        _, history = train(config, folder)
    return history, tasks


class Noted(NamedTuple):
    """A run of two rounds, and all its tasks. Not to be changed."""

    folder: Path
    tasks: list[Task]


@pytest.fixture(scope="module")
def noted(tiny_config: Config, tmp_path_factory: pytest.TempPathFactory) -> Noted:
    folder = tmp_path_factory.mktemp("noted")
    return Noted(folder, run(tiny_config, folder)[1])


def logs(folder: Path, number: int) -> dict[str, str]:
    """What all trainings of a round have logged, but for the folders they were in."""
    return {
        path.name: re.sub(r"\.\w+\.tmp", "", path.read_text().replace(str(folder), ""))
        for path in (folder / f"round-{number:02d}").glob("*.log")
    }


def estimations(tasks: list[Task], number: int) -> list[EstimationTask]:
    """The tasks that estimate q in a round: one for each shard."""
    found = [
        task
        for task in tasks
        if isinstance(task, EstimationTask)
        and f"round-{number:02d}" in str(task.output)
    ]
    assert found
    return found


def silence(monkeypatch: pytest.MonkeyPatch, *folds: int) -> None:
    """Have the models of some folds score 0 on dev."""
    original = TrainingTask.run

    def run_and_silence(task: TrainingTask) -> None:
        original(task)
        if task.output.name in [f"fold-{fold}" for fold in folds]:
            path = task.output / BEST_MODEL / "meta.json"
            meta = srsly.read_json(path)
            meta["performance"]["ents_f"] = 0.0
            srsly.write_json(path, meta)

    monkeypatch.setattr(TrainingTask, "run", run_and_silence)


@pytest.mark.parametrize("fold_models", ["unseen", "all"])
def test_model_that_finds_nothing_has_no_say_in_q(
    tiny_config: Config,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fold_models: str,
) -> None:
    silence(monkeypatch, 0)
    settings = {"adak.rounds": 1, "adak.fold_models": fold_models}
    with pytest.warns(UserWarning, match=r"\[W217\] Round 1:.*: 1\. .*max_epochs"):
        _, tasks = run(tiny_config, tmp_path, **settings)
    for task in estimations(tasks, 1):
        assert [path.parent.name for path in task.fold_models] == ["fold-1"]
        assert task.candidate_model is not None
        assert task.candidate_model.parent.name == "fold-1"


def test_models_are_heard_all_the_same_if_none_finds_anything(
    tiny_config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silence(monkeypatch, 0, 1)
    with pytest.warns(UserWarning, match=r"\[W218\] Round 1:"):
        _, tasks = run(tiny_config, tmp_path, **{"adak.rounds": 1})
    for task in estimations(tasks, 1):
        fold = task.shard.stem.split("-")[1]
        assert [path.parent.name for path in task.fold_models] == [f"fold-{fold}"]


def test_first_round_has_candidates_from_a_fold_model_that_has_seen_the_text(
    noted: Noted,
) -> None:
    for task in estimations(noted.tasks, 1):
        fold = int(task.shard.stem.split("-")[1])
        assert [path.parent.name for path in task.fold_models] == [f"fold-{fold}"]
        assert task.candidate_model is not None
        assert task.candidate_model.parent.name == f"fold-{1 - fold}"
        assert task.dictionary is None


def test_q_may_be_that_of_all_fold_models(tiny_config: Config, tmp_path: Path) -> None:
    settings = {"adak.rounds": 1, "adak.fold_models": "all", "adak.mask": None}
    _, tasks = run(tiny_config, tmp_path, **settings)
    for task in estimations(tasks, 1):
        models = [path.parent.name for path in task.fold_models]
        assert models == ["fold-0", "fold-1"]
        # Nothing is to be allowed by it.
        assert task.candidate_model is None


def test_later_rounds_have_candidates_from_the_best_model_and_the_dictionary(
    noted: Noted,
) -> None:
    for task in estimations(noted.tasks, 2):
        assert (
            task.candidate_model == noted.folder / "round-01" / "final" / "model-best"
        )
        assert task.dictionary == noted.folder / "round-01" / "dictionary.jsonl"
        assert task.last_estimates == noted.folder / "round-01" / "estimates"


def test_fold_models_have_not_seen_their_fold(noted: Noted) -> None:
    trainings = [task for task in noted.tasks if isinstance(task, TrainingTask)]
    assert [(task.output.name, task.blueprint.without_fold) for task in trainings] == [
        ("fold-0", 0),
        ("fold-1", 1),
        ("final", None),
    ] * 2


def test_trainings_have_the_q_that_was_estimated_last(noted: Noted) -> None:
    found = [
        task.blueprint.estimates.parent.name if task.blueprint.estimates else None
        for task in noted.tasks
        if isinstance(task, TrainingTask)
    ]
    first, second = "round-01", "round-02"
    assert found == [None, None, first, first, first, second]


def test_every_training_has_a_seed_of_its_own(noted: Noted) -> None:
    seeds = [
        task.blueprint.seed for task in noted.tasks if isinstance(task, TrainingTask)
    ]
    assert len(set(seeds)) == len(seeds) == 6


@pytest.mark.parametrize(
    ("learn_from", "loss"),
    [
        ("missing", MissingLoss(annotation_recall=0.4)),
        ("ratio", RatioLoss(margin=0.1, weight=3.0)),
    ],
)
def test_first_fold_models_may_be_trained_with_another_loss(
    tiny_config: Config, tmp_path: Path, learn_from: str, loss: Loss
) -> None:
    settings = {"annotation_recall": 0.4}
    if learn_from == "ratio":
        settings = {"ratio_margin": 0.1, "ratio_weight": 3.0}
    start = {"learn_from": learn_from, **settings}
    _, tasks = run(tiny_config, tmp_path, **{"adak.start": start})
    losses = [task.loss for task in tasks if isinstance(task, TrainingTask)]
    assert losses == [loss, loss, None, None, None, None]


def test_start_changes_nothing_but_the_first_fold_models(
    finished: FinishedRun, tmp_path: Path
) -> None:
    settings = {"adak.start.learn_from": "ratio", "adak.rounds": 1}
    _, tasks = run(finished.config, tmp_path / "ratio", **settings)
    _, others = run(finished.config, tmp_path / "outside", **{"adak.rounds": 1})

    def described(tasks: list[Task], folder: str) -> list[str]:
        tasks = [t._replace(loss=None) for t in tasks if isinstance(t, TrainingTask)]
        return [str(task).replace(str(tmp_path / folder), "") for task in tasks]

    assert described(tasks, "ratio") == described(others, "outside")
    assert logs(tmp_path / "ratio", 1) != logs(finished.folder, 1)


def test_selection_can_be_switched_off(finished: FinishedRun, tmp_path: Path) -> None:
    history, _ = run(finished.config, tmp_path, **{"adak.selection": None})
    assert [round_.dropped for round_ in history] == [0, 0]
    assert finished.history[0].dropped > 0
    assert logs(tmp_path, 1) == logs(finished.folder, 1)
    assert logs(tmp_path, 2)["fold-0.log"] != logs(finished.folder, 2)["fold-0.log"]


def test_dictionary_can_be_switched_off(finished: FinishedRun, tmp_path: Path) -> None:
    _, tasks = run(finished.config, tmp_path, **{"adak.mask.dictionary": False})
    assert {task.dictionary for task in estimations(tasks, 2)} == {None}
    assert logs(tmp_path, 1) == logs(finished.folder, 1)
    for fold in ("fold-0.log", "fold-1.log"):
        assert logs(tmp_path, 2)[fold] == logs(finished.folder, 2)[fold]


@pytest.mark.parametrize(("setting", "off"), [("mask", None), ("mask.kbest", 0)])
def test_candidates_can_be_switched_off(
    finished: FinishedRun, tmp_path: Path, setting: str, off: int | None
) -> None:
    settings = {f"adak.{setting}": off, "adak.rounds": 1}
    (first,), tasks = run(finished.config, tmp_path, **settings)
    assert {task.candidate_model for task in estimations(tasks, 1)} == {None}
    for fold in ("fold-0.log", "fold-1.log"):
        assert logs(tmp_path, 1)[fold] == logs(finished.folder, 1)[fold]
    before = finished.history[0].estimated_entities
    if setting == "mask":
        assert first.estimated_entities >= before
    else:
        assert first.estimated_entities == 0 < before


def weights_of_best_paths(
    config: Config, folder: Path, **settings: Any
) -> list[tuple[type[Loss], float | None]]:
    noted = []
    original = adak_ner.compute_loss

    def note(loss: Loss, progress: Progress, *args: Any) -> Any:
        weight = None
        if isinstance(loss, AdaKLoss):
            weight = loss.best_paths_weight(progress)
        noted.append((type(loss), weight))
        return original(loss, progress, *args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(adak_ner, "compute_loss", note)
        run(config, folder, **settings, **{"adak.rounds": 1})
    return noted


def test_best_paths_can_be_switched_off(
    tiny_config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(losses, "kbest", None)
    settings = loss_override("weighted")
    noted = weights_of_best_paths(tiny_config, tmp_path, **settings)
    assert {loss for loss, _ in noted} == {WeightedLoss}


def test_weighted_part_can_be_switched_off(tiny_config: Config, tmp_path: Path) -> None:
    settings = {"components.adak_ner.loss.gamma": 0}
    noted = weights_of_best_paths(tiny_config, tmp_path, **settings)
    assert set(noted) == {(AdaKLoss, 1.0)}


def test_annealing_can_be_switched_off(tiny_config: Config, tmp_path: Path) -> None:
    settings = {"components.adak_ner.loss.gamma": None}
    noted = weights_of_best_paths(tiny_config, tmp_path, **settings)
    assert set(noted) == {(AdaKLoss, 0.5)}


def test_annealing_starts_anew_in_every_training(
    tiny_config: Config, tmp_path: Path
) -> None:
    noted = weights_of_best_paths(tiny_config, tmp_path)
    lowest = [i for i, (_, weight) in enumerate(noted) if weight and weight < 0.05]
    assert lowest == [0, 3, 6]


def test_temperature_may_be_a_schedule(tiny_config: Config, tmp_path: Path) -> None:
    config = tiny_config.copy()
    temperature = {
        "@schedules": "compounding.v1",
        "start": 1.0,
        "stop": 0.1,
        "compound": 0.5,
    }
    config["adak"]["q"] = {"mode": "interpolated", "temperature": temperature}
    _, tasks = run(config, tmp_path)
    assert {task.temperature for task in estimations(tasks, 1)} == {1.0}
    assert {task.temperature for task in estimations(tasks, 2)} == {0.5}


def test_only_what_is_needed_is_kept_of_earlier_rounds(finished: FinishedRun) -> None:
    for number in (1, 2):
        folder = finished.folder / f"round-{number:02d}"
        assert not [path for path in folder.glob("fold-*") if path.is_dir()]


@pytest.fixture(scope="module")
def warm(tiny_config: Config, tmp_path_factory: pytest.TempPathFactory) -> Noted:
    """A run of three rounds whose trainings begin with the encoder of earlier ones."""
    folder = tmp_path_factory.mktemp("warm")
    settings = {"adak.rounds": 3, "adak.convergence": 0.0, "adak.warm_start": True}
    return Noted(folder, run(tiny_config, folder, **settings)[1])


def begun_with(noted: Noted, number: int) -> dict[str, str | None]:
    """The models whose encoders the trainings of a round begin with, by their names."""
    names = {}
    for task in noted.tasks:
        if (
            isinstance(task, TrainingTask)
            and task.output.parent.name[-1] == f"{number}"
        ):
            begun = task.blueprint.encoder_of
            names[task.output.name] = begun and "/".join(begun.parts[-3:-1])
    return names


def test_first_trainings_begin_with_a_new_encoder(warm: Noted) -> None:
    assert set(begun_with(warm, 1).values()) == {None}


def test_training_on_all_texts_begins_with_the_best_encoder(warm: Noted) -> None:
    rounds = {row.round: row for row in read_history(warm.folder)}
    best = 2 if rounds[2].is_best else 1
    assert begun_with(warm, 2)["final"] == "round-01/final"
    assert begun_with(warm, 3)["final"] == f"round-{best:02d}/final"


def test_fold_model_begins_with_an_encoder_that_has_not_seen_the_fold(
    warm: Noted,
) -> None:
    # Those of the first round may have another encoder.
    assert begun_with(warm, 2)["fold-0"] is None
    assert begun_with(warm, 3)["fold-0"] == "round-02/fold-0"
    assert begun_with(warm, 3)["fold-1"] == "round-02/fold-1"


def test_only_the_last_fold_models_are_kept_to_begin_with(warm: Noted) -> None:
    kept = [path.parent.name for path in warm.folder.glob("round-*/fold-*/")]
    assert kept == ["round-03", "round-03"]


def test_all_encoders_are_new_unless_asked_otherwise(noted: Noted) -> None:
    assert set(begun_with(noted, 2).values()) == {None}
