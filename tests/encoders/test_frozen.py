"""The frozen encoder in pipelines."""

import os
import pickle
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy
import pytest
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model

from spacy_adak.encoders import linear_layers
from spacy_adak.encoders.frozen import FrozenShim, frozen_encoders
from spacy_adak.encoders.remembered_rows import RecentRows, RememberedRows
from spacy_adak.encoders.row_folder import RowFolder
from spacy_adak.encoders.temporary_rows import TemporaryRows
from spacy_adak.encoders.token_rows import TokenEncoder
from spacy_adak.pipeline.head import serialize_head
from spacy_adak.pipeline.model import get_head
from tests.made_texts import (
    SMALL_ENCODER,
    TEXTS,
    entities,
    get_ner,
    make_examples,
    scores,
    train,
)
from tests.pipeline.test_transformers import transformer

pytestmark = pytest.mark.usefixtures("no_network")

TEXT = "Ann Lee flew to New York ."


def frozen(encoder: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": encoder,
        **settings,
    }


def frozen_bert(path: Path, **settings: Any) -> dict[str, Any]:
    model = transformer(path, "spacy-transformers.TransformerModel.v3")
    return frozen(model, **settings)


def over(tok2vec: dict[str, Any]) -> Language:
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": tok2vec}
    nlp.add_pipe("adak_ner", config={"model": model})
    return nlp


@pytest.fixture(params=["transformer", "tok2vec"])
def nlp(request: pytest.FixtureRequest, tiny_bert: Path) -> Language:
    if request.param == "tok2vec":
        return over(frozen(SMALL_ENCODER))
    return over(frozen_bert(tiny_bert, layers=[-2, -1]))


@pytest.fixture
def bert(tiny_bert: Path) -> Language:
    return over(frozen_bert(tiny_bert))


def encoder_of(nlp: Language) -> FrozenShim:
    (encoder,) = frozen_encoders(nlp)
    return encoder


def layer_of(nlp: Language) -> Model:
    """The layer with the frozen encoder."""
    component = nlp.get_pipe(nlp.pipe_names[0])
    (layer,) = (
        node for node in component.model.walk() if node.name == "frozen_encoder"
    )
    return layer


class Count:
    """Counts the texts that go through encoders."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._encode = TokenEncoder.encode

    def __enter__(self) -> list[str]:
        def encode(encoder: TokenEncoder, docs: list[Doc], **settings: bool) -> Any:
            self.texts += [doc.text for doc in docs]
            return self._encode(encoder, docs, **settings)

        self._patch = patch.object(TokenEncoder, "encode", encode)
        self._patch.start()
        return self.texts

    def __exit__(self, *error: object) -> None:
        self._patch.stop()


# Remembering


def test_each_text_is_encoded_once_in_a_training(nlp: Language) -> None:
    with Count() as texts:
        train(nlp, make_examples(nlp), steps=5)
        list(nlp.pipe(text for text, _ in TEXTS))
    assert sorted(texts) == sorted(text for text, _ in TEXTS)


def test_equal_texts_of_a_batch_are_encoded_once(bert: Language) -> None:
    train(bert, make_examples(bert), steps=1)
    with Count() as texts:
        first, second = layer_of(bert).predict([bert.make_doc("Zoe")] * 2)
    assert texts == ["Zoe"]
    numpy.testing.assert_array_equal(first, second)


def test_results_are_equal_without_remembering(nlp: Language) -> None:
    examples = make_examples(nlp)
    train(nlp, examples, steps=5)
    remembered = serialize_head(get_head(get_ner(nlp).model))
    nlp.from_bytes(nlp.to_bytes())
    with patch.object(RememberedRows, "get", return_value=None), Count() as texts:
        train(nlp, examples, steps=5)
    assert len(texts) > 5 * len(TEXTS)
    assert serialize_head(get_head(get_ner(nlp).model)) == remembered


def test_rows_beyond_the_memory_limit_are_remembered(tiny_bert: Path) -> None:
    nlp = over(frozen_bert(tiny_bert, memory_limit_mb=0))
    with Count() as texts:
        train(nlp, make_examples(nlp), steps=2)
    assert len(texts) == len(TEXTS)


def test_negative_memory_limit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"A135.*-1 for .*'memory_limit_mb'"):
        over(frozen(SMALL_ENCODER, memory_limit_mb=-1))


def test_loaded_pipeline_encodes_a_text_once(nlp: Language) -> None:
    train(nlp, make_examples(nlp), steps=1)
    nlp.from_bytes(nlp.to_bytes())
    with Count() as texts:
        found = list(nlp.pipe([TEXT, "Zoe", TEXT, "Zoe"], batch_size=2))
        nlp(TEXT)
    assert texts == [TEXT, "Zoe"]
    assert_same_entities(found[0], found[2])


def assert_same_entities(first: Doc, second: Doc) -> None:
    assert entities(first) == entities(second)
    numpy.testing.assert_array_equal(scores(first), scores(second))


def test_texts_have_the_same_entities_together_and_alone(bert: Language) -> None:
    train(bert, make_examples(bert), steps=20)
    loaded = bert.from_bytes(bert.to_bytes())
    texts = [text for text, _ in TEXTS]
    texts += [" ".join(texts[:n]) for n in range(2, len(texts))]
    with patch.object(RecentRows, "get", return_value=None):
        together = list(loaded.pipe(texts))
        alone = list(map(loaded, texts))
    assert any(doc.ents for doc in together)
    for first, second in zip(together, alone, strict=True):
        assert entities(first) == entities(second)
        numpy.testing.assert_allclose(scores(first), scores(second), atol=1e-3)


def test_loaded_pipeline_does_not_grow_with_every_text(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(nlp, make_examples(nlp), steps=1)
    monkeypatch.setattr("spacy_adak.encoders.frozen._RECENT", 1000)
    nlp.from_bytes(nlp.to_bytes())
    list(nlp.pipe(f"Zoe {number}" for number in range(100)))
    with Count() as texts:
        nlp("Zoe 99")
        nlp("Zoe 0")
    assert texts == ["Zoe 0"]


def test_training_does_not_learn_from_rows_of_prediction(bert: Language) -> None:
    train(bert, make_examples(bert), steps=1)
    bert.from_bytes(bert.to_bytes())
    bert(TEXT)
    encoder_of(bert).remember()
    with Count() as texts:
        layer_of(bert).predict([bert.make_doc(TEXT)])
    assert texts == [TEXT]


def test_loaded_pipeline_that_is_trained_remembers(nlp: Language) -> None:
    train(nlp, make_examples(nlp), steps=1)
    nlp.from_bytes(nlp.to_bytes())
    sgd = nlp.resume_training()
    with Count() as texts:
        for _ in range(2):
            nlp.update(make_examples(nlp), sgd=sgd)
    assert len(texts) == len(TEXTS)


def test_rows_of_other_weights_are_forgotten(tiny_bert: Path) -> None:
    first, second = over(frozen_bert(tiny_bert)), over(frozen_bert(tiny_bert))
    for nlp in (first, second):
        train(nlp, make_examples(nlp), steps=1)
    bert = encoder_of(second).encoder.model.transformer
    torch.nn.init.normal_(bert.embeddings.word_embeddings.weight)
    doc = first.make_doc(TEXT)
    (before,) = layer_of(first).predict([doc])
    first.from_bytes(second.to_bytes())
    assert (layer_of(first).predict([doc])[0] != before).any()


def test_full_disk_is_warned_of_once(tiny_bert: Path) -> None:
    nlp = over(frozen_bert(tiny_bert, memory_limit_mb=0))
    nlp.initialize(lambda: make_examples(nlp))
    with (
        patch.object(TemporaryRows, "add", side_effect=OSError("No space left")),
        pytest.warns(UserWarning, match=r"W120.*No space left") as warned,
    ):
        list(nlp.pipe(["Zoe", "Zoe and Ann", "Zoe"], batch_size=1))
    assert len(warned) == 1
    with Count() as texts:
        nlp.update(make_examples(nlp))
    assert not texts  # What was remembered before is found.


# Sharing


@pytest.fixture
def shared(tiny_bert: Path, tmp_path: Path) -> Callable[[], Language]:
    """Makes pipelines that share an encoder."""
    folder = str(tmp_path / "shared")
    return lambda: over(frozen_bert(tiny_bert, shared=folder, layers=[0, -1]))


def initialized(nlp: Language) -> Language:
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def test_shared_rows_are_found_by_others(shared: Callable[[], Language]) -> None:
    first = initialized(shared())
    encoder_of(first).share_rows([first.make_doc(TEXT), first.make_doc("")])
    second = initialized(shared())
    with Count() as texts:
        (found,) = layer_of(second).predict([second.make_doc(TEXT)])
    assert not texts
    (alone,) = encoder_of(first).encoder.encode([first.make_doc(TEXT)])
    numpy.testing.assert_array_equal(found, alone)


def test_rows_of_a_text_without_word_pieces_are_shared(
    shared: Callable[[], Language],
) -> None:
    nlp = initialized(shared())
    encoder_of(nlp).share_rows([nlp.make_doc(" ")])
    with Count() as texts:
        (rows,) = layer_of(nlp).predict([nlp.make_doc(" ")])
    assert not texts
    assert rows.shape == (1, 32)


def test_text_is_shared_once(shared: Callable[[], Language]) -> None:
    nlp = initialized(shared())
    with Count() as texts:
        for _ in range(2):
            encoder_of(nlp).share_rows([nlp.make_doc(TEXT)] * 2)
    assert texts == [TEXT]


def test_texts_that_are_not_shared_are_remembered_in_private(
    shared: Callable[[], Language], tmp_path: Path
) -> None:
    nlp = initialized(shared())
    with Count() as texts:
        for _ in range(2):
            layer_of(nlp).predict([nlp.make_doc("Zoe")])
    assert texts == ["Zoe"]
    assert not list(tmp_path.rglob("*.rows"))


def test_shared_encoder_is_loaded_for_texts_that_are_not_shared(
    shared: Callable[[], Language],
) -> None:
    docs = [spacy.blank("en").make_doc("Zoe")]
    (first,) = layer_of(initialized(shared())).predict(docs)
    with patch.object(TokenEncoder, "initialize") as initialize:
        (second,) = layer_of(initialized(shared())).predict(docs)
    initialize.assert_not_called()
    numpy.testing.assert_array_equal(second, first)


def test_shared_encoder_may_be_left_out_of_a_pipeline(
    shared: Callable[[], Language], tmp_path: Path
) -> None:
    nlp = shared()
    train(nlp, make_examples(nlp), steps=5)
    encoder_of(nlp).leave_out_shared()
    nlp.to_disk(tmp_path / "pipeline")
    (encoder,) = tmp_path.glob("shared/encoder")
    assert len(get_ner(nlp).model.to_bytes()) < encoder.stat().st_size / 5
    assert_same_results(nlp, spacy.load(tmp_path / "pipeline"))
    assert_same_results(nlp, pickle.loads(pickle.dumps(nlp)))


def test_missing_shared_encoder_is_named(
    shared: Callable[[], Language], tmp_path: Path
) -> None:
    nlp = initialized(shared())
    encoder_of(nlp).leave_out_shared()
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "shared").rename(tmp_path / "moved")
    with pytest.raises(ValueError, match=r"A125.*shared"):
        spacy.load(tmp_path / "pipeline")


@pytest.mark.parametrize("is_loaded", [False, True])
def test_pipeline_with_a_shared_encoder_needs_nothing_else(
    shared: Callable[[], Language], tmp_path: Path, is_loaded: bool
) -> None:
    nlp = shared()
    train(nlp, make_examples(nlp), steps=5)
    saved = nlp
    if is_loaded:
        encoder_of(nlp).leave_out_shared()
        saved = shared().from_bytes(nlp.to_bytes())
    saved.to_disk(tmp_path / "pipeline")
    (tmp_path / "shared").rename(tmp_path / "moved")
    assert_same_results(nlp, spacy.load(tmp_path / "pipeline"))


def test_shared_folder_that_is_full_is_warned_of_once(
    shared: Callable[[], Language],
) -> None:
    nlp = initialized(shared())
    batches = [[nlp.make_doc(TEXT)], [nlp.make_doc("Zoe")]]
    with (
        patch.object(RowFolder, "add", side_effect=OSError("No space left")),
        pytest.warns(UserWarning, match=r"W120.*No space left") as warned,
        Count() as texts,
    ):
        list(map(encoder_of(nlp).share_rows, batches))
    assert len(warned) == 1
    assert texts == [TEXT]
    assert_same_results(nlp, pickle.loads(pickle.dumps(nlp)))


def test_pipeline_goes_without_a_shared_folder_that_can_not_be_made(
    tiny_bert: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", encoding="utf8")
    nlp = over(frozen_bert(tiny_bert, shared=str(tmp_path / "file" / "shared")))
    with pytest.warns(UserWarning, match=r"W121.*file/shared"):
        initialized(nlp)
    encoder_of(nlp).leave_out_shared()
    encoder_of(nlp).share_rows([nlp.make_doc(TEXT)])
    nlp.to_disk(tmp_path / "pipeline")
    assert_same_results(nlp, spacy.load(tmp_path / "pipeline"))


OTHER_ENCODERS: list[Callable[[Path, str], dict[str, Any]]] = [
    lambda path, folder: frozen_bert(path, shared=folder, layers=[-1]),
    lambda path, folder: frozen_bert(path, shared=folder),
    lambda path, folder: frozen_bert(path.parent, shared=folder, layers=[0, -1]),
    lambda path, folder: frozen(SMALL_ENCODER, shared=folder),
]


@pytest.mark.parametrize("other", OTHER_ENCODERS)
def test_folder_of_another_encoder_is_refused(
    shared: Callable[[], Language],
    tiny_bert: Path,
    tmp_path: Path,
    other: Callable[[Path, str], dict[str, Any]],
) -> None:
    initialized(shared())
    nlp = over(other(tiny_bert, str(tmp_path / "shared")))
    with pytest.raises(ValueError, match=r"A133.*shared'.*layers = \[0, -1\]"):
        initialized(nlp)


def test_folder_of_another_encoder_is_refused_for_a_loaded_pipeline(
    shared: Callable[[], Language], tmp_path: Path
) -> None:
    nlp = initialized(shared())
    encoder_of(nlp).leave_out_shared()
    nlp.to_disk(tmp_path / "pipeline")
    override = {"components.adak_ner.model.tok2vec.layers": [-1]}
    with pytest.raises(ValueError, match=r"A133.*\[0, -1\].* instead of .*\[-1\]"):
        spacy.load(tmp_path / "pipeline", config=override)


def test_empty_name_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    initialized(over(frozen(SMALL_ENCODER, shared="")))
    assert not list(tmp_path.iterdir())


# Training


def test_encoder_is_never_trained(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    before = encoder_of(nlp).to_bytes()
    train(nlp, examples, steps=3)
    assert encoder_of(nlp).to_bytes() == before
    encoder = encoder_of(nlp).encoder.model
    assert not any(node.grad_names for node in encoder.walk())
    if "set_transformer" in encoder.attrs:
        assert all(p.grad is None for p in encoder.transformer.parameters())


def test_dropout_does_not_reach_the_encoder(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    nlp.update(examples, drop=0.5, sgd=False)
    docs = [nlp.make_doc("Zoe")]
    (trained,), _ = layer_of(nlp).begin_update(docs)
    nlp.from_bytes(nlp.to_bytes())
    numpy.testing.assert_array_equal(layer_of(nlp).predict(docs)[0], trained)


def test_what_is_over_the_encoder_learns(bert: Language) -> None:
    train(bert, make_examples(bert), steps=80)
    for text, expected in TEXTS:
        assert entities(bert(text)) == expected


def test_encoder_is_the_same_whatever_the_seed(nlp: Language) -> None:
    found = []
    for seed in (1, 2):
        spacy.util.fix_random_seed(seed)
        fresh = spacy.util.load_model_from_config(nlp.config)
        fresh.initialize(lambda fresh=fresh: make_examples(fresh))
        found.append(encoder_of(fresh).to_bytes())
    assert found[0] == found[1]


def random_numbers() -> tuple[float, float, float]:
    return random.random(), numpy.random.random(), torch.rand(1).item()


def test_random_numbers_do_not_depend_on_what_is_encoded(nlp: Language) -> None:
    spacy.util.fix_random_seed(7)
    expected = random_numbers()
    doc = nlp.make_doc("Zoe")
    for run in (layer_of(nlp).initialize, lambda: layer_of(nlp).predict([doc])):
        spacy.util.fix_random_seed(7)
        run()
        assert random_numbers() == expected


# In other architectures


def test_frozen_encoder_beside_one_that_is_trained(tiny_bert: Path) -> None:
    hashes = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 16,
        "attrs": ["NORM"],
        "rows": [100],
        "include_static_vectors": False,
    }
    nlp = over(
        {
            "@layers": "concatenate.v1",
            "*": {"frozen": frozen_bert(tiny_bert), "trained": hashes},
        }
    )
    train(nlp, make_examples(nlp), steps=40)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    empty, doc = layer_of(nlp).predict([nlp.make_doc(""), nlp.make_doc(TEXT)])
    assert (empty.shape, doc.shape) == ((0, 32), (7, 32))


def test_frozen_encoder_as_the_embedding_of_a_tok2vec(tiny_bert: Path) -> None:
    encode = {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": 32,
        "depth": 1,
        "window_size": 1,
        "maxout_pieces": 2,
    }
    nlp = over(
        {
            "@architectures": "spacy.Tok2Vec.v2",
            "embed": frozen_bert(tiny_bert),
            "encode": encode,
        }
    )
    train(nlp, make_examples(nlp), steps=20)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


def test_frozen_encoder_that_is_listened_to(tiny_bert: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": frozen_bert(tiny_bert)})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": listener}
    nlp.add_pipe("adak_ner", config={"model": model})
    with Count() as texts:
        train(nlp, make_examples(nlp), steps=80)
    assert len(texts) == len(TEXTS)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected


def test_empty_texts_among_others_are_fine(nlp: Language) -> None:
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    losses: dict[str, float] = {}
    nlp.update([empty, *examples, empty], sgd=optimizer, losses=losses)
    assert losses["adak_ner"] > 0
    assert [len(doc) for doc in nlp.pipe(["", "Ann", "", "York"])] == [0, 1, 0, 1]


def test_texts_without_word_pieces_among_others_are_fine(nlp: Language) -> None:
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    blank = Example(nlp.make_doc(" "), nlp.make_doc(" "))
    for batch in ([blank], [blank, *examples]):
        nlp.update(batch, sgd=optimizer)
    nlp.from_bytes(nlp.to_bytes())
    texts = [" ", "Ann", "\n\n", "\u200b"]
    assert [doc.text for doc in nlp.pipe(texts)] == texts


# Serialization


def assert_same_results(first: Language, second: Language) -> None:
    for text, _ in TEXTS:
        assert entities(first(text)) == entities(second(text))
        numpy.testing.assert_allclose(
            scores(first(text)), scores(second(text)), atol=1e-3
        )


def test_saved_pipeline_needs_nothing_else(
    nlp: Language, tiny_bert: Path, tmp_path: Path
) -> None:
    train(nlp, make_examples(nlp), steps=10)
    nlp.to_disk(tmp_path / "pipeline")
    hidden = tiny_bert.rename(tiny_bert.with_name("hidden"))
    try:
        loaded = spacy.load(tmp_path / "pipeline")
        assert_same_results(nlp, loaded)
        loaded.initialize(lambda: make_examples(loaded))
    finally:
        hidden.rename(tiny_bert)


def test_pipeline_may_be_loaded_with_other_layers(
    bert: Language, tiny_bert: Path, tmp_path: Path
) -> None:
    initialized(bert).to_disk(tmp_path)
    setting = "components.adak_ner.model.tok2vec.layers"
    loaded = spacy.load(tmp_path, config={setting: [0]})
    (rows,) = layer_of(loaded).predict([loaded.make_doc(TEXT)])
    asked_for = initialized(over(frozen_bert(tiny_bert, layers=[0])))
    (expected,) = layer_of(asked_for).predict([loaded.make_doc(TEXT)])
    numpy.testing.assert_array_equal(rows, expected)
    with pytest.raises(ValueError, match=r"A123.*layers = \[9\].*-3 to 2"):
        spacy.load(tmp_path, config={setting: [9]})(TEXT)


def test_pipeline_may_be_loaded_with_a_reduced_encoder(
    bert: Language, tmp_path: Path
) -> None:
    train(bert, make_examples(bert), steps=80)
    bert.to_disk(tmp_path)
    setting = "components.adak_ner.model.tok2vec.reduced"
    reduced = spacy.load(tmp_path, config={setting: True})
    doc = bert.make_doc(TEXT)
    assert (layer_of(reduced).predict([doc])[0] != layer_of(bert).predict([doc])).any()
    for text, expected in TEXTS:
        assert entities(reduced(text)) == expected


def test_initializing_a_loaded_pipeline_keeps_the_encoder(nlp: Language) -> None:
    examples = make_examples(nlp)
    train(nlp, examples, steps=1)
    nlp.from_bytes(nlp.to_bytes())
    doc = nlp.make_doc(TEXT)
    (before,) = layer_of(nlp).predict([doc])
    nlp.initialize(lambda: examples)
    numpy.testing.assert_array_equal(layer_of(nlp).predict([doc])[0], before)


def test_what_is_remembered_is_not_serialized(bert: Language) -> None:
    train(bert, make_examples(bert), steps=1)
    before = len(pickle.dumps(bert)), len(bert.to_bytes())
    layer_of(bert).predict([bert.make_doc("Ann " * 1000)])
    after = len(pickle.dumps(bert)), len(bert.to_bytes())
    assert [abs(a - b) < 1000 for a, b in zip(after, before, strict=True)] == [True] * 2


def test_pipeline_survives_pickle(nlp: Language) -> None:
    train(nlp, make_examples(nlp), steps=5)
    assert_same_results(nlp, pickle.loads(pickle.dumps(nlp)))


def test_copy_of_the_model_gives_the_same_rows(nlp: Language) -> None:
    train(nlp, make_examples(nlp), steps=5)
    docs = [nlp.make_doc(TEXT)]
    copy = get_ner(nlp).model.copy()
    emissions = get_ner(nlp).model.predict(docs).emissions
    assert torch.equal(copy.predict(docs).emissions, emissions)


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_pipeline_runs_in_several_processes(bert: Language) -> None:
    train(bert, make_examples(bert), steps=10)
    texts = [text for text, _ in TEXTS] * 3
    alone, together = list(bert.pipe(texts)), list(bert.pipe(texts, n_process=2))
    assert [entities(doc) for doc in together] == [entities(doc) for doc in alone]


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform != "linux", reason="processes are not forked")
def test_processes_share_packed_weights(
    bert: Language, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(bert, make_examples(bert), steps=1)
    bert.to_disk(tmp_path / "pipeline")
    log = tmp_path / "log"
    pack = linear_layers._pack_8_bit

    def logged(weight: torch.Tensor, bias: torch.Tensor | None) -> Any:
        with log.open("a") as file:
            file.write(f"{os.getpid()}\n")
        return pack(weight, bias)

    monkeypatch.setattr(linear_layers, "_pack_8_bit", logged)
    reduced = {"components.adak_ner.model.tok2vec.reduced": True}
    loaded = spacy.load(tmp_path / "pipeline", config=reduced)
    assert len(list(loaded.pipe([TEXT] * 4, n_process=2, batch_size=1))) == 4
    assert set(log.read_text().split()) == {str(os.getpid())}
