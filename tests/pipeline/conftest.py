import socket
from typing import Any

import pytest
from spacy.language import Language

from .samples import make_nlp, trained_nlp


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
