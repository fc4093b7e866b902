import pytest
from spacy.language import Language

from tests.made_texts import make_nlp, trained_nlp


@pytest.fixture(scope="session")
def trained_bytes() -> bytes:
    return trained_nlp().to_bytes()


@pytest.fixture
def nlp(trained_bytes: bytes) -> Language:
    """A trained pipeline that each test may change."""
    return make_nlp().from_bytes(trained_bytes)
