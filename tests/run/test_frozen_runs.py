"""Runs with a frozen encoder: it is run once per text, and stored once."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.util import load_config
from thinc.api import Config

from spacy_adak.data.docbin import write_docbin
from spacy_adak.encoders.token_rows import TokenEncoder
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.head import serialize_head
from spacy_adak.pipeline.model import get_head
from spacy_adak.report.evaluation import evaluate
from spacy_adak.run.train import train
from spacy_adak.tasks import blueprint
from tests.finished_run import FinishedRun
from tests.made_corpus import TINY, make_config, make_docs, model_bytes, write_data
from tests.made_texts import SMALL_ENCODER

pytestmark = pytest.mark.filterwarnings(
    "ignore:This process.*fork:DeprecationWarning",
    "ignore::FutureWarning",
    # Over random weights, models may learn nothing in so few steps.
    "ignore:.*W21[78]",
)


def frozen_config(folder: Path, encoder: dict[str, Any]) -> Config:
    """A config of two short rounds over a frozen encoder, with its data."""
    settings = {key: value for key, value in TINY.items() if "tok2vec" not in key}
    config = make_config(**settings, **write_data(folder))
    config["components"]["adak_ner"]["model"]["tok2vec"] = {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": encoder,
    }
    return config


class EncodedTexts:
    """Counts how often each text goes through an encoder in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.counts: Counter[str] = Counter()
        encode = TokenEncoder.encode

        def count(
            encoder: TokenEncoder, docs: list[Doc], **settings: bool
        ) -> Iterator[Any]:
            self.counts.update(doc.text for doc in docs)
            return encode(encoder, docs, **settings)

        monkeypatch.setattr(TokenEncoder, "encode", count)


@pytest.fixture(scope="module")
def counted(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[FinishedRun, Counter[str]]:
    """A run that was never stopped, and what was encoded in it."""
    config = frozen_config(tmp_path_factory.mktemp("frozen_data"), SMALL_ENCODER)
    folder = tmp_path_factory.mktemp("frozen") / "output"
    with pytest.MonkeyPatch.context() as monkeypatch:
        encoded = EncodedTexts(monkeypatch)
        run = FinishedRun(config, folder, *train(config, folder))
    return run, encoded.counts


@pytest.fixture
def finished(counted: tuple[FinishedRun, Counter[str]]) -> FinishedRun:
    return counted[0]


def test_every_text_is_encoded_once_in_a_run(
    counted: tuple[FinishedRun, Counter[str]],
) -> None:
    _, counts = counted
    texts = {doc.text for doc in [*make_docs(40, 0.5), *make_docs(12, seed=99)]}
    assert counts.keys() == texts
    # To initialize the pipeline for the first time, a few texts are needed at once.
    assert sum(counts.values()) <= len(texts) + 10


def test_models_of_a_run_have_their_encoder(
    finished: FinishedRun, tmp_path: Path
) -> None:
    for name in ("model-best", "model-last"):
        shutil.copytree(finished.folder / name, tmp_path / name)
        config = load_config(tmp_path / name / "config.cfg")
        tok2vec = config["components"]["adak_ner"]["model"]["tok2vec"]
        assert tok2vec["shared"] is None
    frozen = finished.folder / "frozen"
    frozen.rename(finished.folder / "moved")
    try:
        loaded = spacy.load(tmp_path / "model-best")
        assert loaded("Ann Lee flew to Nordorf .").has_annotation("ENT_IOB")
    finally:
        (finished.folder / "moved").rename(frozen)


def test_encoder_is_stored_once_and_rows_are_removed(finished: FinishedRun) -> None:
    (stored,) = finished.folder.glob("frozen/*/encoder")
    assert not list(finished.folder.rglob("*.rows"))
    # A run that is to have more rounds makes them again.
    assert not list(finished.folder.rglob("encoded-*.json"))
    models = list(finished.folder.glob("round-*/final/model-*/adak_ner/model"))
    assert models
    for model in models:
        assert model.stat().st_size < stored.stat().st_size / 5


def test_model_of_a_round_can_be_loaded(finished: FinishedRun) -> None:
    of_round = finished.folder / "round-02" / "final" / "model-last"
    assert head(of_round) == head(finished.folder / "model-last")
    assert spacy.load(of_round)("Ann Lee slept .").has_annotation("ENT_IOB")


def test_results_are_equal_if_nothing_is_shared(
    finished: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blueprint, "share_frozen_encoders", lambda config, folder: None)
    encoded = EncodedTexts(monkeypatch)
    train(finished.config, tmp_path / "output")
    assert min(encoded.counts.values()) > 1
    assert not list((tmp_path / "output").glob("frozen/*/encoder"))
    for name in ("model-best", "model-last"):
        assert head(tmp_path / "output" / name) == head(finished.folder / name)


def head(folder: Path) -> bytes:
    """What was trained."""
    component = spacy.load(folder).get_pipe("adak_ner")
    assert isinstance(component, AdaKRecognizer)
    return serialize_head(get_head(component.model))


def test_variable_may_stand_for_the_encoder(
    finished: FinishedRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = finished.config.copy()
    model = config["components"]["adak_ner"]["model"]
    config["encoder"], model["tok2vec"] = model["tok2vec"], "${encoder}"
    encoded = EncodedTexts(monkeypatch)
    train(config, tmp_path / "output")
    assert sum(encoded.counts.values()) <= len(encoded.counts) + 10
    for name in ("model-best", "model-last"):
        assert head(tmp_path / "output" / name) == head(finished.folder / name)
    (tmp_path / "output" / "frozen").rename(tmp_path / "moved")
    spacy.load(tmp_path / "output" / "model-best")("Ann Lee slept .")


def test_evaluations_of_models_that_share_rows_encode_a_text_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = frozen_config(tmp_path / "data", SMALL_ENCODER)
    config["adak"]["rounds"] = 1
    config["paths"]["rows"] = str(tmp_path / "rows")
    tok2vec = config["components"]["adak_ner"]["model"]["tok2vec"]
    tok2vec["shared"] = "${paths.rows}"
    train(config, tmp_path / "output")
    docs = make_docs(20, seed=7)
    write_docbin(tmp_path / "test.spacy", docs)
    encoded = EncodedTexts(monkeypatch)
    models = [tmp_path / "output" / name for name in ("model-best", "model-last")]
    # Saved again, it has the same encoder.
    spacy.load(models[0]).to_disk(tmp_path / "saved_again")
    for model in (*models, tmp_path / "saved_again"):
        evaluate(model, tmp_path / "test.spacy")
    assert encoded.counts.keys() <= {doc.text for doc in docs}
    assert set(encoded.counts.values()) == {1}
    # Not one in which there is another encoder.
    (about,) = (tmp_path / "rows").glob("*/about.json")
    srsly.write_json(about, {**srsly.read_json(about), "checksum": "another"})
    evaluate(models[0], tmp_path / "test.spacy")
    assert set(encoded.counts.values()) == {2}


def test_folds_in_processes_give_the_same_weights(
    finished: FinishedRun, tmp_path: Path
) -> None:
    config = finished.config.copy()
    config["adak"].update({"executor": "joblib", "n_jobs": 2})
    train(config, tmp_path / "output")
    for name in ("model-best", "model-last"):
        assert model_bytes(tmp_path / "output" / name) == model_bytes(
            finished.folder / name
        )


def test_results_over_a_transformer_are_equal_if_nothing_is_shared(
    tiny_bert: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    encoder = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(tiny_bert),
        "get_spans": {
            "@span_getters": "spacy-transformers.strided_spans.v1",
            "window": 24,
            "stride": 16,
        },
    }
    config = frozen_config(tmp_path / "data", encoder)
    config["adak"]["rounds"] = 1
    for name in ("first", "second"):
        train(config, tmp_path / name)
    first, second = (
        tmp_path / "first" / "model-best",
        tmp_path / "second" / "model-best",
    )
    assert model_bytes(first) == model_bytes(second)
    monkeypatch.setattr(blueprint, "share_frozen_encoders", lambda config, folder: None)
    train(config, tmp_path / "third")
    assert head(tmp_path / "third" / "model-best") == head(first)
