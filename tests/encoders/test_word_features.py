import numpy
import pytest
import spacy
from spacy.tokens import Doc
from thinc.api import Model

from spacy_adak.encoders.word_features import build_word_features, silence_word_features


@pytest.fixture
def doc() -> Doc:
    return spacy.blank("en")("Ann slept and Ann woke")


def make_features(doc: Doc, attrs: list[int | str]) -> Model:
    model = build_word_features(8, attrs, rows=[100] * len(attrs))
    model.initialize(X=[doc])
    return model


def test_same_words_have_the_same_features(doc: Doc) -> None:
    (rows,) = make_features(doc, ["NORM", "SHAPE"]).predict([doc])
    assert rows.shape == (5, 8)
    numpy.testing.assert_array_equal(rows[0], rows[3])
    assert not numpy.allclose(rows[0], rows[1])


@pytest.mark.parametrize("attrs", [["NORM"], ["NORM", "PREFIX", "SUFFIX", "SHAPE"]])
def test_features_change_by_the_mean_of_what_their_rows_change(
    doc: Doc, attrs: list[int | str]
) -> None:
    model = make_features(doc, attrs)
    (before,) = model.predict([doc])
    for node in model.walk():
        if node.has_param("E"):
            node.set_param("E", node.get_param("E") + 1)
    (after,) = model.predict([doc])
    numpy.testing.assert_allclose(after, before + 1, rtol=1e-5)


def test_gradient_is_that_of_what_is_predicted(doc: Doc) -> None:
    model = make_features(doc, ["NORM", "SHAPE"])
    (rows,), backprop = model.begin_update([doc])
    direction = numpy.random.default_rng(0).normal(size=rows.shape).astype("float32")
    backprop([direction])
    slope = 0.0
    for node in model.walk():
        if node.has_param("E"):
            gradient = node.get_grad("E")
            slope += float((gradient * gradient).sum())
            node.set_param("E", node.get_param("E") + gradient)
    (moved,) = model.predict([doc])
    # The features are linear in the tables.
    assert float((direction * (moved - rows)).sum()) == pytest.approx(slope, rel=1e-4)


def test_silent_features_are_zeros_and_stay_silent_when_saved(doc: Doc) -> None:
    model = make_features(doc, ["NORM"])
    silence_word_features(model)
    loaded = make_features(doc, ["NORM"]).from_bytes(model.to_bytes())
    for silent in (model, loaded):
        assert not silent.predict([doc])[0].any()


def test_silent_features_learn_nothing(doc: Doc) -> None:
    model = make_features(doc, ["NORM"])
    silence_word_features(model)
    (rows,), backprop = model.begin_update([doc])
    backprop([numpy.ones_like(rows)])
    assert not any(node.has_grad("E") for node in model.walk())


@pytest.mark.parametrize("rows", [[], [100], [100, 100, 100]])
def test_attributes_without_tables_are_refused(rows: list[int]) -> None:
    with pytest.raises(ValueError, match="A132"):
        build_word_features(8, ["NORM", "SHAPE"], rows)
