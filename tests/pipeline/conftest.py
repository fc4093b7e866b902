import os
import socket
from pathlib import Path
from typing import Any

# Read when the library is imported: nothing is ever looked up on the network.
os.environ["HF_HUB_OFFLINE"] = "1"

import pytest
from spacy.language import Language

from .samples import TEXTS, make_nlp, trained_nlp


@pytest.fixture(scope="session")
def trained_bytes() -> bytes:
    return trained_nlp().to_bytes()


@pytest.fixture
def nlp(trained_bytes: bytes) -> Language:
    """A trained pipeline that each test may change."""
    return make_nlp().from_bytes(trained_bytes)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to connect to somewhere else is an error."""

    def refuse(self: socket.socket, address: Any) -> None:
        raise AssertionError(f"tried to connect to {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tokenizer and a very small BERT with random weights."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

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
