"""What only transformers of spacy-curated-transformers do, without network."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language

from tests.made_texts import entities, get_ner, make_examples, scores, train
from tests.made_transformers import TRAINS_CURATED, curated_nlp

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]

pytestmark = [pytest.mark.usefixtures("no_network"), *TRAINS_CURATED]


@pytest.fixture
def nlp(tiny_bert: Path) -> Language:
    return curated_nlp(tiny_bert)


def weights(nlp: Language) -> list[Any]:
    model = nlp.get_pipe("transformer").model
    shims = (shim for node in model.walk() for shim in node.shims)
    return [
        weight.detach().numpy().copy()
        for shim in shims
        for weight in shim._model.parameters()
    ]


def test_own_transformer_in_place_of_the_listener(
    nlp: Language, tmp_path: Path
) -> None:
    train(nlp, make_examples(nlp), steps=25)
    before = nlp(TEXT)
    nlp.replace_listeners("transformer", "adak_ner", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    assert scores(nlp(TEXT)) == pytest.approx(scores(before), abs=1e-5)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert entities(loaded(TEXT)) == FOUND
    losses: dict[str, float] = {}
    loaded.update(make_examples(loaded), sgd=loaded.resume_training(), losses=losses)
    assert losses["adak_ner"] < 0.5


def test_frozen_transformer_stays_as_it_is(tiny_bert: Path) -> None:
    nlp = curated_nlp(tiny_bert, frozen=True)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    before = weights(nlp)
    head = get_ner(nlp).model.to_bytes()
    for _ in range(2):
        nlp.update(examples, sgd=optimizer)
    assert get_ner(nlp).model.to_bytes() != head
    assert all((a == b).all() for a, b in zip(weights(nlp), before, strict=True))
