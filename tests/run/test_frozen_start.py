"""Fold models of the first round over a transformer that is frozen."""

from pathlib import Path

import pytest
import srsly
from thinc.api import Config

from spacy_adak.run.folder import FIRST_FOLDS_FILE
from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train
from spacy_adak.tasks.train_model import BEST_MODEL, TrainingTask
from tests.made_corpus import TINY, write_data

FROZEN_START = {"adak.start.frozen_encoder": True}


@pytest.fixture
def config(tiny_bert: Path, tmp_path: Path) -> Config:
    """The config for a transformer that is trained, for trainings of a moment."""
    text = init_config("en", gpu=True, encoder=str(tiny_bert))
    overrides = {
        **write_data(tmp_path / "data"),
        "training.max_epochs": 1,
        "training.batcher.size": 100,
        "adak.rounds": 2,
        "adak.folds": 2,
        "adak.convergence": 0.0,
        "adak.start.learn_from": "ratio",
        "components.transformer.model.get_spans.window": 24,
        "components.transformer.model.get_spans.stride": 18,
    }
    return read_config(Config().from_str(text, interpolate=False), overrides)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_only_fold_models_of_the_first_round_have_a_frozen_transformer(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipelines: dict[str, list[str]] = {}
    original = TrainingTask.run

    def run_and_look(task: TrainingTask) -> None:
        original(task)
        meta = srsly.read_json(task.output / BEST_MODEL / "meta.json")
        pipelines[task.name] = meta["pipeline"]

    monkeypatch.setattr(TrainingTask, "run", run_and_look)
    assert config["adak"]["start"]["frozen_encoder"]
    train(config, tmp_path / "output")
    asked = {name: p for name, p in pipelines.items() if "round" in name}
    assert asked == {
        "round 1, fold 1 of 2": ["adak_ner"],
        "round 1, fold 2 of 2": ["adak_ner"],
        "round 1": ["transformer", "adak_ner"],
        "round 2, fold 1 of 2": ["transformer", "adak_ner"],
        "round 2, fold 2 of 2": ["transformer", "adak_ner"],
        "round 2": ["transformer", "adak_ner"],
    }
    others = [p for name, p in pipelines.items() if "round" not in name]
    assert all(pipeline == ["adak_ner"] for pipeline in others)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_their_config_has_the_transformer_of_the_run(
    config: Config, tmp_path: Path, tiny_bert: Path
) -> None:
    output = tmp_path / "output"
    config["adak"]["rounds"] = 1
    train(config, output)
    first = Config().from_disk(output / FIRST_FOLDS_FILE)
    model = first["components"]["adak_ner"]["model"]
    frozen = model["tok2vec"]["embed"]["*"]["frozen"]
    assert frozen["@architectures"] == "spacy-adak.FrozenEncoder.v1"
    given = config.interpolate()["components"]["transformer"]["model"]
    assert frozen["encoder"] == {**frozen["encoder"], **given}
    assert frozen["encoder"]["name"] == str(tiny_bert)
    assert first["training"]["max_epochs"] == 1
    assert first["training"]["optimizer"]["use_averages"]
    assert first["nlp"]["pipeline"] == ["adak_ner"]
    # The annotation, the dev data and the labels are those of the run.
    ours = Config().from_disk(output / "config.cfg")
    assert first["initialize"] == ours["initialize"]
    assert first["corpora"] == ours["corpora"]


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_no_text_is_encoded_where_no_fold_model_is_trained(
    config: Config, tmp_path: Path
) -> None:
    overrides = {"components.adak_ner.loss": {"@losses": "spacy-adak.CRFLoss.v1"}}
    train(read_config(config, overrides), tmp_path / "output")
    assert not (tmp_path / "output" / "frozen").exists()


def test_config_without_a_transformer_is_refused(tmp_path: Path) -> None:
    settings = {**TINY, **write_data(tmp_path), **FROZEN_START}
    text = init_config("en")
    config = read_config(Config().from_str(text, interpolate=False), settings)
    with pytest.raises(ValueError, match=r"\[A233\].*'adak_ner'.*--gpu"):
        train(config, tmp_path / "output")


def test_run_without_it_leaves_no_second_config(tmp_path: Path) -> None:
    settings = {**TINY, **write_data(tmp_path), "adak.rounds": 1}
    text = init_config("en")
    config = read_config(Config().from_str(text, interpolate=False), settings)
    train(config, tmp_path / "output")
    assert not (tmp_path / "output" / FIRST_FOLDS_FILE).exists()
