"""Runs over a transformer of spacy-curated-transformers."""

from pathlib import Path

import numpy
import pytest
from thinc.api import Config

from spacy_adak.run.folder import FIRST_FOLDS_FILE
from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train
from tests.made_corpus import write_data
from tests.made_transformers import LISTENER, curated_model, loaders

OLDER_NUMPY = numpy.lib.NumpyVersion(numpy.__version__) < "2.4.0"


@pytest.fixture
def config(tiny_bert: Path, tmp_path: Path) -> Config:
    """The config for a transformer that is trained, with another kind of it."""
    text = init_config("en", gpu=True, encoder=str(tiny_bert))
    config = Config().from_str(text, interpolate=False)
    config["components"]["transformer"] = {
        "factory": "curated_transformer",
        "model": curated_model(tiny_bert),
    }
    config["components"]["adak_ner"]["model"]["tok2vec"] = LISTENER
    config["initialize"]["components"]["transformer"] = loaders(tiny_bert)
    overrides = {
        **write_data(tmp_path / "data"),
        "training.max_epochs": 1,
        "training.batcher.size": 100,
        "adak.folds": 2,
        "adak.start.learn_from": "ratio",
    }
    return read_config(config, overrides)


@pytest.mark.skipif(not OLDER_NUMPY, reason="trains with NumPy below 2.4")
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.filterwarnings("ignore:Conversion of an array with ndim > 0")
def test_first_fold_models_have_it_frozen_and_the_final_model_trains_it(
    config: Config, tmp_path: Path, tiny_bert: Path
) -> None:
    output = tmp_path / "output"
    nlp, history = train(config, output)
    assert nlp.pipe_names == ["transformer", "adak_ner"]
    assert len(history) == 1
    first = Config().from_disk(output / FIRST_FOLDS_FILE)
    model = first["components"]["adak_ner"]["model"]
    frozen = model["tok2vec"]["embed"]["*"]["frozen"]
    assert frozen["encoder"]["@architectures"].startswith("spacy-curated-transformers")
    assert frozen["encoder_loader"]["name"] == str(tiny_bert)
    logs = {path.stem: path.read_text() for path in output.glob("round-01/*.log")}
    assert "['adak_ner']" in logs["fold-0"]
    assert "['transformer', 'adak_ner']" in logs["final"]


def test_numpy_that_it_can_not_be_trained_with_is_told_of(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numpy, "__version__", "2.4.0")
    with pytest.raises(ValueError, match=r"\[A235\].*'transformer'.*numpy<2\.4"):
        train(config, tmp_path / "output")


def test_frozen_component_that_it_would_not_hear_is_told_of(
    config: Config, tmp_path: Path
) -> None:
    overrides = {
        "training.frozen_components": ["transformer"],
        "training.annotating_components": ["transformer"],
    }
    with pytest.raises(ValueError, match=r"\[A236\].*set frozen = true"):
        train(read_config(config, overrides), tmp_path / "output")


def test_folder_to_load_from_that_is_not_there(config: Config, tmp_path: Path) -> None:
    setting = "initialize.components.transformer.encoder_loader.name"
    with pytest.raises(ValueError, match=rf"A214.*{setting}"):
        train(read_config(config, {setting: "./nowhere"}), tmp_path / "output")
