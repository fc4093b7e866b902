import random
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vectors import Vectors
from thinc.api import Model, chain, noop

from spacy_adak.encoders.token_rows import Layers, TokenEncoder, choose_layers
from tests.made_texts import SMALL_ENCODER

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en")


def make_transformer(
    path: Path, window: int = 24, stride: int = 16, **config: bool
) -> Model:
    make = registry.get("architectures", "spacy-transformers.TransformerModel.v3")
    get_spans = registry.get("span_getters", "spacy-transformers.strided_spans.v1")
    return make(
        name=str(path),
        get_spans=get_spans(window=window, stride=stride),
        tokenizer_config={"use_fast": True},
        transformer_config=config,
    )


def make_tok2vec() -> Model:
    return registry.resolve({"tok2vec": SMALL_ENCODER})["tok2vec"]


def initialized(model: Model, layers: Layers | None = None) -> TokenEncoder:
    encoder = TokenEncoder(model, layers)
    encoder.initialize(None)
    return encoder


def encode(encoder: TokenEncoder, *docs: Doc) -> list[numpy.ndarray]:
    return list(encoder.encode(docs))


def hidden_states(encoder: TokenEncoder, doc: Doc) -> list[numpy.ndarray]:
    """What the transformer itself says of the pieces, layer by layer."""
    import torch

    model = encoder.model
    pieces = model.tokenizer(doc.text, return_tensors="pt")
    with torch.no_grad():
        output = model.transformer.eval()(**pieces, output_hidden_states=True)
    return [state[0].numpy() for state in output.hidden_states]


# "shaka" and "khan" are words of the vocabulary, "zoe" is three pieces.
PIECES = {"khan": [1], "zoe": [2, 3, 4], "shaka": [5]}


def test_pieces_of_a_token_are_averaged(nlp: Language, tiny_bert: Path) -> None:
    encoder = initialized(make_transformer(tiny_bert))
    doc = Doc(nlp.vocab, words=list(PIECES))
    (rows,) = encode(encoder, doc)
    last = hidden_states(encoder, doc)[-1]
    expected = [last[pieces].mean(0) for pieces in PIECES.values()]
    assert rows.dtype == "float16"
    numpy.testing.assert_allclose(rows, expected, atol=2e-3)


def test_layers_are_averaged(nlp: Language, tiny_bert: Path) -> None:
    encoder = initialized(make_transformer(tiny_bert), layers=[0, -1])
    doc = Doc(nlp.vocab, words=list(PIECES))
    (rows,) = encode(encoder, doc)
    first, _, last = hidden_states(encoder, doc)
    expected = [((first + last) / 2)[pieces].mean(0) for pieces in PIECES.values()]
    numpy.testing.assert_allclose(rows, expected, atol=2e-3)


def test_last_layer_is_what_no_choice_gives(nlp: Language, tiny_bert: Path) -> None:
    doc = Doc(nlp.vocab, words=list(PIECES))
    (chosen,) = encode(initialized(make_transformer(tiny_bert), [-1]), doc)
    (given,) = encode(initialized(make_transformer(tiny_bert)), doc)
    numpy.testing.assert_array_equal(chosen, given)


def test_token_without_pieces_is_zeros(nlp: Language, tiny_bert: Path) -> None:
    encoder = initialized(make_transformer(tiny_bert))
    (rows,) = encode(encoder, Doc(nlp.vocab, words=["khan", "\n\n", "shaka"]))
    assert not rows[1].any()
    assert rows[0].any()
    assert rows[2].any()


@pytest.mark.parametrize("words", [[" "], ["\n\n", "\t"], ["\u200b"]])
@pytest.mark.parametrize("layers", [None, "middle"])
def test_text_without_pieces_is_zeros(
    nlp: Language, tiny_bert: Path, words: list[str], layers: Layers | None
) -> None:
    encoder = initialized(make_transformer(tiny_bert), layers)
    blank, text = Doc(nlp.vocab, words=words), Doc(nlp.vocab, words=["khan"])
    zeros, rows = encode(encoder, blank, text)
    assert zeros.shape == (len(words), 32)
    assert not zeros.any()
    assert rows.any()


def test_all_tokens_of_a_long_text_have_rows(nlp: Language, tiny_bert: Path) -> None:
    encoder = initialized(make_transformer(tiny_bert))
    (rows,) = encode(encoder, Doc(nlp.vocab, words=["khan"] * 500))
    assert rows.shape == (500, 32)
    assert rows.any(axis=1).all()


def test_tokens_that_a_window_has_no_room_for_are_warned_of_once(
    nlp: Language, tiny_bert: Path
) -> None:
    encoder = initialized(make_transformer(tiny_bert, window=48, stride=48))
    short = Doc(nlp.vocab, words=["zoe", "\n"] * 4)
    encode(encoder, short)
    long = Doc(nlp.vocab, words=["zoe", "\n"] * 20 + ["ann"] * 8)
    with pytest.warns(UserWarning, match=r"(?s)W122.*64 word.*'zoe.*'ann'") as warned:
        rows, *_ = encode(encoder, long, short, long)
    assert len(warned) == 1
    assert not rows[-1].any()


def random_docs(nlp: Language, number: int) -> list[Doc]:
    """Texts of many lengths, some of more than one window."""
    chance = random.Random(number)
    words = ["khan", "zoe", "shaka", "ann", "\n"]
    return [
        Doc(nlp.vocab, words=chance.choices(words, k=chance.randint(1, 40)))
        for _ in range(number)
    ]


@pytest.mark.parametrize("layers", [None, [1], "middle"])
def test_rows_do_not_depend_on_other_texts(
    nlp: Language, tiny_bert: Path, layers: Layers | None
) -> None:
    encoder = initialized(make_transformer(tiny_bert), layers)
    docs = random_docs(nlp, 60)
    together = encode(encoder, *docs)
    for order in (range(59, -1, -1), range(3, 60, 7), [11]):
        found = encode(encoder, *(docs[i] for i in order))
        for i, rows in zip(order, found, strict=True):
            numpy.testing.assert_array_equal(rows, together[i])


@pytest.mark.parametrize("layers", [None, [0, 1]])
def test_rows_of_smaller_batches_are_the_same_but_for_rounding(
    nlp: Language, tiny_bert: Path, layers: Layers | None
) -> None:
    encoder = initialized(make_transformer(tiny_bert), layers)
    docs = random_docs(nlp, 30)
    found = encoder.encode(docs, alike=False)
    for rows, expected in zip(found, encode(encoder, *docs), strict=True):
        numpy.testing.assert_allclose(rows, expected, atol=4e-3)


def test_rows_are_those_of_spacy_transformers(nlp: Language, tiny_bert: Path) -> None:
    model = make_transformer(tiny_bert)
    encoder = initialized(model)
    docs = random_docs(nlp, 30)
    data = model.predict(docs).doc_data
    for doc, each, rows in zip(docs, data, encode(encoder, *docs), strict=True):
        states = each.model_output.last_hidden_state.reshape(-1, 32)
        start = 0
        for row, n_pieces in zip(rows, each.align.lengths, strict=True):
            pieces = each.align.dataXd[start : start + n_pieces]
            expected = states[pieces].mean(0) if n_pieces else numpy.zeros(32)
            numpy.testing.assert_allclose(row, expected, atol=4e-3)
            start += n_pieces
        assert len(rows) == len(doc)


def test_reduced_rows_are_nearly_the_same(nlp: Language, tiny_bert: Path) -> None:
    encoder = initialized(make_transformer(tiny_bert))
    reduced = TokenEncoder(encoder.model, None, reduced=True)
    assert reduced.identity != encoder.identity
    doc = Doc(nlp.vocab, words=list(PIECES))
    (expected,), (rows,) = encode(encoder, doc), encode(reduced, doc)
    assert (rows != expected).any()
    numpy.testing.assert_allclose(rows, expected, atol=0.2)


def test_tok2vec_can_not_be_reduced() -> None:
    with pytest.raises(ValueError, match=r"A139.*'reduced'"):
        TokenEncoder(make_tok2vec(), None, reduced=True)


@pytest.mark.parametrize(
    ("depth", "expected"), [(1, [1]), (2, [1, 2]), (4, [2, 3]), (6, [2, 3, 4])]
)
def test_middle_layers(depth: int, expected: list[int]) -> None:
    assert list(choose_layers("middle", depth)) == expected


def test_middle_layers_are_averaged(nlp: Language, tiny_bert: Path) -> None:
    doc = Doc(nlp.vocab, words=list(PIECES))
    (middle,) = encode(initialized(make_transformer(tiny_bert), "middle"), doc)
    (chosen,) = encode(initialized(make_transformer(tiny_bert), [1, 2]), doc)
    numpy.testing.assert_array_equal(middle, chosen)


@pytest.mark.parametrize("layers", [[3], [-4], [-1, 7]])
def test_layers_that_the_transformer_does_not_have(
    tiny_bert: Path, layers: list[int]
) -> None:
    encoder = TokenEncoder(make_transformer(tiny_bert), layers)
    with pytest.raises(ValueError, match=r"A123.*-3 to 2"):
        encoder.initialize(None)


def test_no_layers_at_all(tiny_bert: Path) -> None:
    with pytest.raises(ValueError, match=r"A123.*layers = \[\]"):
        TokenEncoder(make_transformer(tiny_bert), [])


def test_layers_of_a_tok2vec(nlp: Language) -> None:
    with pytest.raises(ValueError, match=r"A122.*layers = \[-1\]"):
        TokenEncoder(make_tok2vec(), [-1])


@pytest.mark.parametrize(
    "listener",
    [
        {"@architectures": "spacy.Tok2VecListener.v1", "width": 8},
        {
            "@architectures": "spacy-transformers.TransformerListener.v1",
            "pooling": {"@layers": "reduce_mean.v1"},
        },
    ],
)
def test_listener_is_refused(nlp: Language, listener: dict) -> None:
    model = registry.resolve({"listener": listener})["listener"]
    with pytest.raises(ValueError, match="A121"):
        TokenEncoder(model, None)


def test_encoder_that_leaves_out_tokens_is_refused(
    nlp: Language, tiny_bert: Path
) -> None:
    model = make_transformer(tiny_bert)
    model.attrs["get_spans"] = lambda docs: [[doc[1:]] for doc in docs]
    with pytest.raises(ValueError, match=r"A124.*1 vectors for the 2 tokens.*khan zoe"):
        encode(initialized(model), Doc(nlp.vocab, words=["khan", "zoe"]))


@pytest.mark.parametrize("name", ["nowhere", "no/where", "/no/where/at/all"])
def test_transformer_that_is_not_there_is_named(name: str) -> None:
    encoder = TokenEncoder(make_transformer(Path(name)), None)
    with pytest.raises(ValueError, match=f"(?s)A134.*'{name}'.*path of a folder"):
        encoder.initialize(None)


def test_rows_beyond_the_range_of_float16_are_finite(nlp: Language) -> None:
    def give_rows(model: Model, docs: list[Doc], is_train: bool) -> Any:
        rows = numpy.asarray([[7e4, -1e9, 0.5, numpy.inf]], dtype="f")
        return [rows for _ in docs], lambda d_rows: docs

    encoder = initialized(Model("large", give_rows))
    (rows,) = encode(encoder, nlp("Ann"))
    assert rows.tolist() == [[65504, -65504, 0.5, numpy.inf]]


# Identity


def test_encoder_keeps_its_identity(tiny_bert: Path) -> None:
    for make in (lambda: make_transformer(tiny_bert), make_tok2vec):
        first = TokenEncoder(make(), None)
        identity = first.identity
        first.initialize(None)
        first.model.from_bytes(first.model.to_bytes())
        assert first.identity == identity == TokenEncoder(make(), None).identity


def test_setting_that_loading_adds_is_no_part_of_the_identity(tiny_bert: Path) -> None:
    # To the very dictionary that other transformers may be made with.
    models = make_transformer(tiny_bert), make_transformer(tiny_bert, return_dict=True)
    first, second = (TokenEncoder(model, None).identity for model in models)
    assert first == second


@pytest.mark.parametrize(
    "setting", [{"depth": 2}, {"embed_size": 300}, {"window_size": 2}, {"width": 16}]
)
def test_tok2vec_with_other_settings_has_another_identity(
    setting: dict[str, int],
) -> None:
    other = registry.resolve({"tok2vec": {**SMALL_ENCODER, **setting}})["tok2vec"]
    assert (
        TokenEncoder(other, None).identity
        != TokenEncoder(make_tok2vec(), None).identity
    )


def test_transformer_with_other_settings_has_another_identity(tiny_bert: Path) -> None:
    models = [
        make_transformer(tiny_bert),
        make_transformer(tiny_bert, add_pooling_layer=False),
        make_transformer(tiny_bert.parent),
    ]
    identities = {TokenEncoder(model, None).identity for model in models}
    identities.add(TokenEncoder(models[0], "middle").identity)
    assert len(identities) == 4


# Keys


def test_equal_texts_have_equal_keys(nlp: Language, tiny_bert: Path) -> None:
    for encoder in (
        initialized(make_transformer(tiny_bert)),
        initialized(make_tok2vec()),
    ):
        other = spacy.blank("en")
        assert encoder.key(nlp("Ann slept.")) == encoder.key(other("Ann slept."))


@pytest.mark.parametrize(
    ("words", "spaces"),
    [
        (["Ann", "sleeps", "."], [True, False, False]),
        (["Ann", "slept", "."], [True, True, False]),
        (["Ann", "slept."], [True, False]),
    ],
)
def test_other_words_or_spaces_have_another_key(
    nlp: Language, words: list[str], spaces: list[bool]
) -> None:
    encoder = initialized(make_tok2vec())
    other = Doc(nlp.vocab, words=words, spaces=spaces)
    assert encoder.key(other) != encoder.key(nlp("Ann slept."))


def test_key_of_a_tok2vec_has_all_that_it_looks_at(nlp: Language) -> None:
    encoder = initialized(make_tok2vec())
    doc, other = nlp("Ann slept."), nlp("Ann slept.")
    other[0].norm_ = "anne"
    assert encoder.key(other) != encoder.key(doc)


def test_key_has_what_word_vectors_are_looked_up_by(nlp: Language) -> None:
    keys = [nlp.vocab.strings.add(word) for word in ("ann", "anne")]
    nlp.vocab.vectors = Vectors(
        data=numpy.eye(2, dtype="f"),
        keys=keys,
        attr="NORM",
        strings=nlp.vocab.strings,
    )
    embed = {
        "@architectures": "spacy.MultiHashEmbed.v2",
        "width": 8,
        "attrs": ["SHAPE"],
        "rows": [50],
        "include_static_vectors": True,
    }
    doc, other = nlp("Ann slept."), nlp("Ann slept.")
    encoder = TokenEncoder(registry.resolve({"embed": embed})["embed"], None)
    encoder.initialize([doc])
    assert encoder.key(other) == encoder.key(doc)
    other[0].norm_ = "anne"
    assert encoder.key(other) != encoder.key(doc)


@pytest.mark.parametrize("is_pooled", [False, True])
def test_key_of_a_transformer_has_its_windows(
    nlp: Language, tiny_bert: Path, is_pooled: bool
) -> None:
    model = make_transformer(tiny_bert)
    model.attrs["get_spans"] = registry.get(
        "span_getters", "spacy-transformers.sent_spans.v1"
    )()
    # As in spacy-transformers.Tok2VecTransformer.v3.
    encoder = TokenEncoder(chain(model, noop()) if is_pooled else model, None)
    doc, other = nlp("Ann slept."), nlp("Ann slept.")
    doc[1].is_sent_start = False
    other[1].is_sent_start = True
    doc[2].is_sent_start = other[2].is_sent_start = False
    assert encoder.key(other) != encoder.key(doc)
