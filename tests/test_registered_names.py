"""Every name that spaCy can look up is written down in the installed metadata."""

import inspect
from collections.abc import Callable
from importlib.metadata import distribution
from typing import Any

import pytest
import spacy
from spacy.util import registry

ENTRY_POINTS = [
    entry_point
    for entry_point in distribution("spacy-adak").entry_points
    if entry_point.group.startswith(("spacy_", "thinc_"))
]


def ids(entry_point: Any) -> str:
    return f"{entry_point.group}: {entry_point.name}"


def test_component_and_architecture_are_listed() -> None:
    listed = {(entry_point.group, entry_point.name) for entry_point in ENTRY_POINTS}
    assert ("spacy_factories", "adak_ner") in listed
    assert ("spacy_architectures", "spacy-adak.CRFTagger.v1") in listed


@pytest.mark.parametrize("entry_point", ENTRY_POINTS, ids=ids)
def test_entry_point_can_be_loaded(entry_point: Any) -> None:
    assert callable(entry_point.load()) or entry_point.group == "spacy_cli"


@pytest.mark.parametrize(
    "entry_point",
    [e for e in ENTRY_POINTS if e.group not in ("spacy_cli", "spacy_factories")],
    ids=ids,
)
def test_entry_point_is_what_the_registry_gives(entry_point: Any) -> None:
    _, _, group = entry_point.group.partition("_")
    registered: Callable = getattr(registry, group).get(entry_point.name)
    assert inspect.unwrap(registered) is inspect.unwrap(entry_point.load())


def test_architecture_can_be_called() -> None:
    # Only with a pipeline at hand are spaCy's own architectures registered.
    doc = spacy.blank("en")("Ann slept")
    tok2vec = registry.architectures.get("spacy.HashEmbedCNN.v2")(
        width=8,
        depth=1,
        embed_size=20,
        window_size=1,
        maxout_pieces=2,
        subword_features=False,
        pretrained_vectors=None,
    )
    model = registry.architectures.get("spacy-adak.CRFTagger.v1")(tok2vec)
    model.initialize(X=[doc])
    assert model.predict([doc]).emissions.shape == (2, 1)
