"""spaCy's own commands work with the component."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
from spacy.cli._util import app
from spacy.cli.benchmark_speed import benchmark
from spacy.tokens import DocBin
from thinc.api import Config
from typer.testing import CliRunner

from spacy_adak.pipeline.losses import MissingLoss
from tests.losses import loss_block, make_loss
from tests.made_texts import TEXTS, entities, get_ner, make_doc

QUICK = [
    "--training.max_steps=20",
    "--training.eval_frequency=10",
    "--training.optimizer.learn_rate=0.01",
]


def run(*arguments: Any) -> str:
    """Run a command of spaCy's in this process, and give what it prints."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    vocab = spacy.blank("en").vocab
    path = tmp_path_factory.mktemp("corpus") / "texts.spacy"
    DocBin(docs=[make_doc(vocab, *text) for text in TEXTS * 5]).to_disk(path)
    return path


@pytest.fixture(scope="session")
def config_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "config.cfg"
    run("init", "config", path, "--lang", "en", "--pipeline", "adak_ner")
    return path


@pytest.fixture(scope="session")
def paths(corpus: Path) -> list[str]:
    return [f"--paths.train={corpus}", f"--paths.dev={corpus}"]


@pytest.fixture(scope="session")
def model_path(
    tmp_path_factory: pytest.TempPathFactory, config_path: Path, paths: list[str]
) -> Path:
    """What `spacy train` makes of the config that `spacy init config` wrote."""
    output = tmp_path_factory.mktemp("output")
    run("train", config_path, "--output", output, *paths, *QUICK)
    return output / "model-best"


def test_init_config_fills_in_all_settings(config_path: Path) -> None:
    config = Config().from_disk(config_path, interpolate=False)
    component = config["components"]["adak_ner"]
    assert component["factory"] == "adak_ner"
    assert component["loss"]["@losses"] == "spacy-adak.AdaKLoss.v1"
    assert component["model"]["@architectures"] == "spacy-adak.CRFTagger.v1"
    assert config["training"]["score_weights"]["ents_f"] == 1.0


def test_train_learns_from_the_config_of_init_config(model_path: Path) -> None:
    nlp = spacy.load(model_path)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    assert nlp.meta["performance"]["ents_f"] == 1.0


def test_train_takes_settings_as_overrides(
    config_path: Path, paths: list[str], tmp_path: Path
) -> None:
    overrides = ["--components.adak_ner.loss.k=2", "--training.max_steps=1"]
    run("train", config_path, "--output", tmp_path, *paths, *overrides)
    assert get_ner(spacy.load(tmp_path / "model-last")).loss == make_loss(k=2)


def test_train_estimates_how_many_entities_are_annotated(
    config_path: Path, corpus: Path, tmp_path: Path
) -> None:
    vocab = spacy.blank("en").vocab
    docs = list(DocBin().from_disk(corpus).get_docs(vocab))
    half = [make_doc(vocab, text, ents[::2], "missing") for text, ents in TEXTS]
    DocBin(docs=[*docs, *half]).to_disk(tmp_path / "train.spacy")
    config = Config().from_disk(config_path, interpolate=False)
    config["components"]["adak_ner"]["loss"] = loss_block("missing")
    config.to_disk(tmp_path / "missing.cfg")
    run(
        "train",
        tmp_path / "missing.cfg",
        f"--output={tmp_path}",
        f"--paths.train={tmp_path / 'train.spacy'}",
        f"--paths.dev={corpus}",
        "--training.max_steps=1",
    )
    ner = get_ner(spacy.load(tmp_path / "model-last"))
    assert isinstance(ner.loss, MissingLoss)
    assert ner.loss.recall(ner.progress) == pytest.approx(3 / 5)


def test_train_refuses_an_unknown_setting(
    config_path: Path, paths: list[str], tmp_path: Path
) -> None:
    config = Config().from_disk(config_path, interpolate=False)
    config["components"]["adak_ner"]["gama"] = 1.0
    config.to_disk(tmp_path / "config.cfg")
    result = CliRunner().invoke(app, ["train", str(tmp_path / "config.cfg"), *paths])
    assert result.exit_code == 1
    assert "unexpected argument: 'gama'" in result.output


def test_ner_can_be_swapped_for_the_component(corpus: Path, tmp_path: Path) -> None:
    """Factory and model block are replaced, the shared encoder stays."""
    path = tmp_path / "config.cfg"
    run("init", "config", path, "--pipeline", "ner")
    config = Config().from_disk(path, interpolate=False)
    config["components"]["ner"] = {
        "factory": "adak_ner",
        "model": {
            "@architectures": "spacy-adak.CRFTagger.v1",
            "tok2vec": config["components"]["ner"]["model"]["tok2vec"],
        },
    }
    config["paths"].update(train=str(corpus), dev=str(corpus))
    config.to_disk(path)
    run("init", "fill-config", path, path)
    run("train", path, "--output", tmp_path / "out", *QUICK)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.pipe_names == ["tok2vec", "ner"]
    assert entities(nlp(TEXTS[2][0])) == TEXTS[2][1]


@pytest.mark.slow
def test_train_works_as_a_program(
    config_path: Path, paths: list[str], tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "spacy", "train", str(config_path), *paths]
    result = subprocess.run(
        [*command, "--output", str(tmp_path), "--training.max_steps=1"],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "model-last" / "adak_ner" / "model").exists()


def test_evaluate_writes_scores(model_path: Path, corpus: Path, tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.json"
    run("evaluate", model_path, corpus, "--output", metrics)
    scores = srsly.read_json(metrics)
    assert scores["ents_f"] == 1.0
    assert set(scores["ents_per_type"]) == {"LOC", "PERSON"}


def test_apply_stores_entities_and_probabilities(
    model_path: Path, tmp_path: Path
) -> None:
    texts = tmp_path / "texts.jsonl"
    srsly.write_jsonl(texts, [{"text": text} for text, _ in TEXTS])
    run("apply", model_path, texts, tmp_path / "out.spacy")
    docs = DocBin().from_disk(tmp_path / "out.spacy").get_docs(spacy.blank("en").vocab)
    for doc, (_, expected) in zip(docs, TEXTS, strict=True):
        assert entities(doc) == expected
        assert len(doc.spans["adak_ner"].attrs["scores"]) == len(expected)


# `spacy package` leaves the closing of its files to the interpreter.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_package_holds_the_pipeline_and_asks_for_this_library(
    model_path: Path, tmp_path: Path
) -> None:
    run("package", model_path, tmp_path, "--name", "tiny_adak", "--build", "none")
    (package,) = tmp_path.glob("en_tiny_adak-*")
    meta = srsly.read_json(package / "meta.json")
    assert any(re.match(r"spacy-adak\b", wish) for wish in meta["requirements"])
    nlp = spacy.load(package / "en_tiny_adak" / package.name)
    assert entities(nlp(TEXTS[2][0])) == TEXTS[2][1]


def test_init_labels_writes_what_initialize_reads(
    config_path: Path, paths: list[str], tmp_path: Path
) -> None:
    run("init", "labels", config_path, tmp_path, *paths)
    labels = tmp_path / "adak_ner.json"
    assert srsly.read_json(labels) == ["LOC", "PERSON"]
    srsly.write_json(labels, ["PERSON", "LOC", "MORE"])
    config = Config().from_disk(config_path, interpolate=False)
    reader = {"@readers": "spacy.read_labels.v1", "path": str(labels)}
    config["initialize"]["components"] = {"adak_ner": {"labels": reader}}
    config.to_disk(tmp_path / "config.cfg")
    run(
        "train",
        tmp_path / "config.cfg",
        *paths,
        f"--output={tmp_path / 'out'}",
        "--training.max_steps=1",
    )
    nlp = spacy.load(tmp_path / "out" / "model-last")
    assert nlp.pipe_labels["adak_ner"] == ["PERSON", "LOC", "MORE"]


def test_debug_model_runs_on_a_corpus(config_path: Path, paths: list[str]) -> None:
    output = run(
        "debug",
        "model",
        config_path,
        "adak_ner",
        "--print-step2",
        "--print-step3",
        *paths,
    )
    assert "Initialized the model with the training corpus" in output


def test_debug_config_finds_no_fault(config_path: Path, paths: list[str]) -> None:
    assert "Config is valid" in run("debug", "config", config_path, *paths)


def test_benchmark_speed_runs(model_path: Path) -> None:
    nlp = spacy.load(model_path)
    docs = [nlp.make_doc(text) for text, _ in TEXTS]
    words_per_second = benchmark(nlp, docs, n_batches=3, batch_size=2, shuffle=False)
    assert (words_per_second > 0).all()


def test_assemble_builds_the_trained_pipeline(model_path: Path, tmp_path: Path) -> None:
    config = Config()
    config["nlp"] = {"lang": "en", "pipeline": ["adak_ner"]}
    config["components"] = {"adak_ner": {"source": str(model_path)}}
    config.to_disk(tmp_path / "config.cfg")
    run("assemble", tmp_path / "config.cfg", tmp_path / "out")
    nlp = spacy.load(tmp_path / "out")
    assert entities(nlp(TEXTS[2][0])) == TEXTS[2][1]


def test_trained_component_can_be_frozen_in_another_run(
    model_path: Path, corpus: Path, tmp_path: Path
) -> None:
    path = tmp_path / "config.cfg"
    run("init", "config", path, "--pipeline", "senter")
    config = Config().from_disk(path, interpolate=False)
    config["nlp"]["pipeline"].append("adak_ner")
    config["components"]["adak_ner"] = {"source": str(model_path)}
    config["training"]["frozen_components"] = ["adak_ner"]
    config["paths"].update(train=str(corpus), dev=str(corpus))
    config.to_disk(path)
    run("train", path, "--output", tmp_path / "out", "--training.max_steps=1")
    original = (model_path / "adak_ner" / "model").read_bytes()
    copy = (tmp_path / "out" / "model-last" / "adak_ner" / "model").read_bytes()
    assert copy == original
