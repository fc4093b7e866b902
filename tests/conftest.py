import functools
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Read when the library is imported: nothing is ever looked up on the network.
os.environ["HF_HUB_OFFLINE"] = "1"
# Runs train in this process unless a test says something else.
os.environ["LOKY_MAX_CPU_COUNT"] = "1"

import catalogue
import pytest
import torch
from hypothesis import HealthCheck, settings
from spacy.util import logger as spacy_logger
from thinc.api import Config

from .made_corpus import TINY, make_config, write_data

if TYPE_CHECKING:
    from .finished_run import FinishedRun

torch.set_num_threads(1)
# Each lookup of a registered function goes through the entry points of all packages.
catalogue.Registry._get_entry_points = functools.cache(
    catalogue.Registry._get_entry_points
)
# Ray gives its server half a minute to start, too little for a busy machine.
os.environ.setdefault("RAY_gcs_server_port_wait_time_s", "180")

# How long something takes says nothing on a busy machine.
untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Examples that fail are stored and tried again; a run in CI is repeatable.
settings.register_profile("default", untimed)
settings.register_profile("ci", untimed, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(autouse=True)
def spacy_log_level() -> Iterator[None]:
    """A test that asks for more to be logged asks for itself alone."""
    level = spacy_logger.level
    yield
    spacy_logger.setLevel(level)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer and a very small BERT with random weights."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    from .made_texts import TEXTS

    path = tmp_path_factory.mktemp("tiny_bert")
    words = sorted({word.lower() for text, _ in TEXTS for word in text.split()})
    letters = [chr(i) for i in range(ord("a"), ord("z") + 1)]
    pieces = [*letters, *(f"##{letter}" for letter in letters), *words]
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = list(dict.fromkeys(special + pieces))
    vocab_file = path / "vocab.txt"
    vocab_file.write_text("\n".join(vocabulary), encoding="utf8")
    BertTokenizerFast(vocab_file=str(vocab_file), model_max_length=64).save_pretrained(
        path
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        # Without dropout of its own, a loss can be computed twice.
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    BertModel(config).save_pretrained(path)
    return path


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to connect to somewhere else is an error."""

    def refuse(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"tried to connect to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def tiny_config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """A config of two short rounds, with its data."""
    data = write_data(tmp_path_factory.mktemp("data"))
    return make_config(**TINY, **data)


@pytest.fixture(scope="session")
def finished(
    tiny_config: Config, tmp_path_factory: pytest.TempPathFactory
) -> "FinishedRun":
    """A run that was never stopped. Not to be changed."""
    from spacy_adak.run.train import train

    from .finished_run import FinishedRun

    folder = tmp_path_factory.mktemp("finished") / "output"
    return FinishedRun(tiny_config, folder, *train(tiny_config, folder))


@pytest.fixture(scope="session")
def one_round(
    tiny_config: Config, tmp_path_factory: pytest.TempPathFactory
) -> "FinishedRun":
    """The same run with one round. Not to be changed."""
    from spacy_adak.run.train import train

    from .finished_run import FinishedRun

    config = Config().from_str(
        tiny_config.to_str(), overrides={"adak.rounds": 1}, interpolate=False
    )
    folder = tmp_path_factory.mktemp("one_round") / "output"
    return FinishedRun(config, folder, *train(config, folder))
