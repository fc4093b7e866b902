from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.util import registry, resolve_dot_names
from thinc.api import Config

from spacy_adak.pipeline import adak_ner
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.losses import (
    AdaKLoss,
    FuzzyLoss,
    Loss,
    MissingLoss,
    Progress,
    RatioLoss,
)
from spacy_adak.pipeline.objective import LossAndGradient, compute_loss
from spacy_adak.shards.layout import write_shards
from spacy_adak.shards.recall_file import KnownRecall, write_recall
from spacy_adak.shards.text_lengths import TextOfLength
from spacy_adak.tasks import progress_file
from spacy_adak.tasks.blueprint import Blueprint
from spacy_adak.tasks.score_file import read_scores
from spacy_adak.tasks.steps import planned_steps, sure_steps
from spacy_adak.tasks.train_model import TrainingTask
from tests.losses import loss_override
from tests.made_corpus import TINY, make_config, make_docs, model_bytes, write_data


@pytest.fixture
def task(tmp_path: Path) -> TrainingTask:
    return make_task(tmp_path)


def make_task(folder: Path, name: str = "model", **settings: Any) -> TrainingTask:
    write_data(folder)
    docs = make_docs(40, keep=0.5)
    write_shards(docs, folder / "corpus", n_folds=2, seed=0)
    seed = settings.pop("seed", 1)
    loss = settings.pop("loss", None)
    has_word_features = settings.pop("has_word_features", True)
    without_fold = settings.pop("without_fold", None)
    config_path = folder / f"{name}.cfg"
    make_config(**{**TINY, **settings}).to_disk(config_path)
    return TrainingTask(
        name="a training",
        blueprint=Blueprint(
            config_path=config_path,
            corpus=folder / "corpus",
            dev_path=folder / "dev.spacy",
            seed=seed,
            use_gpu=-1,
            code_path=None,
            without_fold=without_fold,
        ),
        loss=loss,
        has_word_features=has_word_features,
        output=folder / name,
    )


def test_model_is_trained_and_can_be_loaded(task: TrainingTask) -> None:
    assert not task.is_done()
    task.run()
    assert task.is_done()
    for name in ("model-best", "model-last"):
        assert spacy.load(task.output / name).pipe_names == ["adak_ner"]


def test_log_has_the_table_of_the_standard_logger(task: TrainingTask) -> None:
    task.run()
    log = task.log_path.read_text()
    assert "LOSS ADAK_NER" in log
    assert "ENTS_F" in log
    assert "\x1b" not in log


def test_nothing_is_printed(
    task: TrainingTask, capsys: pytest.CaptureFixture[str]
) -> None:
    task.run()
    assert capsys.readouterr() == ("", "")


def test_finished_model_is_not_trained_again(task: TrainingTask) -> None:
    task.output.mkdir()
    task.run()
    assert list(task.output.iterdir()) == []


def test_weights_depend_on_the_seed_alone(tmp_path: Path) -> None:
    tasks = [make_task(tmp_path, name, seed=s) for name, s in [("a", 1), ("b", 1)]]
    other = make_task(tmp_path, "c", seed=2)
    for task in (*tasks, other):
        task.run()
    a, b, c = (model_bytes(t.output / "model-last") for t in (*tasks, other))
    assert a == b
    assert a["adak_ner/model"] != c["adak_ner/model"]


def test_short_training_is_scored_beyond_its_first_step(tmp_path: Path) -> None:
    task = make_task(tmp_path, **{"training.eval_frequency": 200})
    task.run()
    rows = task.log_path.read_text().split("------\n")[1].splitlines()
    steps = [int(row.split()[1]) for row in rows if row[:3].strip().isdigit()]
    assert steps == [0, 1, 2, 3, 4]


def test_eval_frequency_of_a_long_training_is_kept(tmp_path: Path) -> None:
    settings = {"training.eval_frequency": 2, "training.max_epochs": 6}
    task = make_task(tmp_path, **settings)
    task.run()
    rows = task.log_path.read_text().split("------\n")[1].splitlines()
    steps = [int(row.split()[1]) for row in rows if row[:3].strip().isdigit()]
    assert steps == list(range(0, 30, 2))


@pytest.mark.parametrize(
    ("settings", "at_most", "at_least"),
    [
        ({"max_epochs": 3, "max_steps": 0}, 15, 15),
        ({"max_epochs": 3, "max_steps": 10}, 10, 10),
        ({"max_epochs": 0, "max_steps": 70, "patience": 20}, 70, 20),
        ({"max_epochs": 0, "max_steps": 0, "patience": 20}, 20, 20),
        ({"max_epochs": 3, "max_steps": 0, "patience": 20}, 15, 15),
    ],
)
def test_planned_steps(
    settings: dict[str, int], at_most: int, at_least: int, tiny_config: Config
) -> None:
    config = tiny_config.copy()
    config["training"].update(settings)
    nlp = init_nlp(config)
    assert planned_steps(nlp) == at_most
    assert sure_steps(nlp, at_most) == at_least


@pytest.mark.parametrize(
    "batcher",
    [
        {"@batchers": "spacy.batch_by_sequence.v1", "size": 7},
        {
            "@batchers": "spacy.batch_by_words.v1",
            "size": 60,
            "tolerance": 0.2,
            "discard_oversize": False,
        },
        {
            "@batchers": "spacy.batch_by_padded.v1",
            "size": 60,
            "buffer": 16,
            "discard_oversize": True,
        },
    ],
)
def test_steps_are_planned_without_reading_the_texts(
    batcher: dict[str, Any], tiny_config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny_config.copy()
    config["training"]["batcher"] = batcher
    nlp = init_nlp(config)
    expected = planned_steps(nlp)
    (corpus,) = resolve_dot_names(config.interpolate(), ["corpora.train"])
    texts = [TextOfLength(len(example.predicted)) for example in corpus(nlp)]
    monkeypatch.setattr("spacy_adak.tasks.steps.resolve_dot_names", None)
    assert planned_steps(nlp, texts) == expected > 1


@pytest.mark.parametrize(
    ("key", "block"),
    [
        (
            "training.batcher",
            {
                "@batchers": "spacy.batch_by_words.v1",
                "size": 60,
                "tolerance": 0.2,
                "discard_oversize": False,
                "get_length": {"@misc": "length_of_reference"},
            },
        ),
        (
            "corpora.train.augmenter",
            {"@augmenters": "spacy.lower_case.v1", "level": 0.5},
        ),
    ],
)
def test_texts_are_read_where_lengths_do_not_tell_the_batches(
    key: str, block: dict[str, Any], tiny_config: Config
) -> None:
    @registry.misc("length_of_reference")
    def length_of_reference() -> Callable[[Example], int]:
        return lambda example: len(example.reference)

    config = tiny_config.copy()
    *sections, name = key.split(".")
    parent = config
    for section in sections:
        parent = parent[section]
    parent[name] = block
    nlp = init_nlp(config)
    expected = planned_steps(nlp)
    assert planned_steps(nlp, [TextOfLength(5)] * 1000) == expected


def test_annealing_runs_over_the_whole_training(
    task: TrainingTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = []
    original = AdaKRecognizer.get_loss

    def note(self: AdaKRecognizer, *args: Any) -> Any:
        weights.append(self.loss.best_paths_weight(self.progress))
        return original(self, *args)

    monkeypatch.setattr(AdaKRecognizer, "get_loss", note)
    task.run()
    # exp(3 * (b / 5 - 1)) for b from 0 to 4.
    assert weights == pytest.approx([0.0498, 0.0907, 0.1653, 0.3012, 0.5488], abs=1e-4)


def test_scores_are_written_to_a_file(task: TrainingTask) -> None:
    task.scores_path.write_text("of a training that was killed")
    task.run()
    rows = read_scores(task.scores_path)
    assert [row.step for row in rows] == [0, 1, 2, 3, 4]
    best = srsly.read_json(task.output / "model-best" / "meta.json")["performance"]
    assert max(row.f1 or 0.0 for row in rows) == pytest.approx(best["ents_f"])
    assert set(best["ents_per_type"]) == set(rows[-1].f1_per_type)
    assert rows[0].loss > rows[-1].loss > 0
    weights = [row.best_paths_weight for row in rows]
    # exp(3 * (b / 5 - 1)) for b from 1 to 5.
    assert weights == pytest.approx([0.0907, 0.1653, 0.3012, 0.5488, 1.0], abs=1e-4)


def test_loss_is_that_of_one_step(tmp_path: Path) -> None:
    often = make_task(tmp_path, "often")
    rarely = make_task(
        tmp_path, "rarely", **{"training.eval_frequency": 4, "training.max_epochs": 9}
    )
    for task in (often, rarely):
        task.run()
    losses = [row.loss for row in read_scores(often.scores_path)[1:5]]
    steps = [row.step for row in read_scores(rarely.scores_path)]
    assert steps[:2] == [0, 4]
    assert min(losses) < read_scores(rarely.scores_path)[1].loss < 1.5 * max(losses)


def test_loss_without_best_paths_has_no_weight_of_them(tmp_path: Path) -> None:
    task = make_task(tmp_path, loss=FuzzyLoss())
    task.run()
    assert {row.best_paths_weight for row in read_scores(task.scores_path)} == {None}


def test_progress_is_written_to_a_file(
    task: TrainingTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress_file, "_SECONDS_BETWEEN_REPORTS", 0.0)
    task.run()
    assert task.progress_path.read_text() == '{"step": 5, "total": 5}'


@pytest.mark.parametrize("has_word_features", [True, False])
def test_word_features_are_heard_or_not(
    tmp_path: Path, has_word_features: bool
) -> None:
    features = {
        "@architectures": "spacy-adak.WordFeatures.v1",
        "width": 8,
        "attrs": ["NORM"],
        "rows": [50],
    }
    encoder = {"components.adak_ner.model.tok2vec": features}
    task = make_task(tmp_path, has_word_features=has_word_features, **encoder)
    task.run()
    nlp = spacy.load(task.output / "model-last")
    tok2vec = nlp.get_pipe("adak_ner").model.get_ref("tok2vec")
    assert tok2vec.predict([nlp.make_doc("Ann")])[0].any() == has_word_features


def losses_and_targets(
    task: TrainingTask, monkeypatch: pytest.MonkeyPatch
) -> set[tuple[type[Loss], float | None]]:
    """What all steps of a training were made with."""
    noted = set()
    original = compute_loss

    def note(loss: Loss, progress: Progress, *args: Any) -> LossAndGradient:
        ratio = loss.entity_ratio(progress)
        noted.add((type(loss), ratio.target if ratio else None))
        return original(loss, progress, *args)

    monkeypatch.setattr(adak_ner, "compute_loss", note)
    task.run()
    return noted


@pytest.mark.parametrize(
    "settings", [loss_override("ratio"), {"loss": RatioLoss()}], ids=["config", "task"]
)
def test_loss_ratio_aims_at_the_share_that_the_run_has_found(
    settings: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task(tmp_path, **settings)
    write_recall(tmp_path, KNOWN)
    assert losses_and_targets(task, monkeypatch) == {(RatioLoss, 0.2)}


def test_loss_ratio_aims_at_what_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task(tmp_path, loss=RatioLoss(target=0.4))
    assert losses_and_targets(task, monkeypatch) == {(RatioLoss, 0.4)}


KNOWN = KnownRecall(0.45, 0.4, 0.5, 0.2, True, "made up")


def recall_after(task: TrainingTask) -> float | None:
    task.run()
    ner = spacy.load(task.output / "model-last").get_pipe("adak_ner")
    assert isinstance(ner, AdaKRecognizer)
    loss = task.loss or ner.loss
    assert isinstance(loss, MissingLoss)
    return loss.recall(ner.progress)


@pytest.mark.parametrize(
    "settings",
    [loss_override("missing"), {"loss": MissingLoss()}],
    ids=["config", "task"],
)
@pytest.mark.parametrize("without_fold", [None, 0, 1])
def test_loss_missing_takes_the_recall_that_the_run_has_found(
    settings: dict[str, Any], without_fold: int | None, tmp_path: Path
) -> None:
    task = make_task(tmp_path, without_fold=without_fold, **settings)
    write_recall(tmp_path, KNOWN)
    assert recall_after(task) == 0.45


def test_loss_missing_takes_the_recall_of_the_settings(tmp_path: Path) -> None:
    task = make_task(tmp_path, loss=MissingLoss(annotation_recall=0.4))
    assert recall_after(task) == 0.4


def test_loss_is_that_of_the_config_unless_another_is_asked_for(
    task: TrainingTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert losses_and_targets(task, monkeypatch) == {(AdaKLoss, None)}
