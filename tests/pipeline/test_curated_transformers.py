"""The component over transformers of spacy-curated-transformers, without network."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from thinc.api import Adam

from tests.made_texts import TEXTS, entities, get_ner, make_examples, scores, train
from tests.made_transformers import curated_nlp

from .gradients import assert_gradient_is_right, randomize_head, torch_parameters

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]

pytestmark = [
    pytest.mark.usefixtures("no_network"),
    pytest.mark.skipif(
        numpy.lib.NumpyVersion(numpy.__version__) >= "2.4.0",
        reason="spacy-curated-transformers trains with NumPy below 2.4",
    ),
    # What is an error with NumPy 2.4.
    pytest.mark.filterwarnings("ignore:Conversion of an array with ndim > 0"),
]


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


def test_gradient_of_a_transformer_is_right(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    model = nlp.get_pipe("transformer").model
    assert_gradient_is_right(nlp, examples, lambda: torch_parameters(model))


def test_transformer_learns_and_survives_the_disk(
    nlp: Language, tmp_path: Path
) -> None:
    train(nlp, make_examples(nlp), steps=25)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert entities(loaded(TEXT)) == FOUND
    assert scores(loaded(TEXT)) == pytest.approx(scores(nlp(TEXT)))


def test_averages_of_a_transformer_are_refused(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"A108.*Set use_averages = false"):
        nlp.update(examples, sgd=Adam(0.001, use_averages=True))


def test_empty_texts_among_others_are_fine(nlp: Language) -> None:
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    losses: dict[str, float] = {}
    nlp.update([empty, *examples, empty], sgd=optimizer, losses=losses)
    assert losses["adak_ner"] > 0
    assert [len(doc) for doc in nlp.pipe(["", "Ann", "", "York"])] == [0, 1, 0, 1]


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
