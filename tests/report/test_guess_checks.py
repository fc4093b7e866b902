"""What `debug-data` says of guesses."""

import pytest

from spacy_adak.data.guesses import Guess, set_guesses
from spacy_adak.report.debug_data import debug_data
from tests.made_corpus import make_docs


@pytest.mark.parametrize(("label", "level"), [("FIRM", "info"), ("ORG", "warning")])
def test_guesses_are_counted_by_guesser(label: str, level: str) -> None:
    docs = make_docs(10, keep=0.5)
    set_guesses(docs[0], "llm", [Guess(0, 1, label), Guess(1, 2, label)])
    set_guesses(docs[1], "llm", [])
    (found,) = [f for f in debug_data(docs) if f.name == "guesses"]
    assert found.level == level
    assert f"llm guesses 2 entities in 2 of the 10 texts: {label} 2." in found.message


def test_without_guesses_nothing_is_said() -> None:
    assert "guesses" not in {finding.name for finding in debug_data(make_docs(5))}
