from pathlib import Path

import numpy
import spacy

from spacy_adak.pipeline.window_cnn import build_window_cnn_encoder

from .samples import SMALL_ENCODER, TEXTS, make_examples, train


def test_rows_of_any_width_are_brought_to_its_own() -> None:
    encoder = build_window_cnn_encoder(width=8, depth=1, window_size=1, maxout_pieces=2)
    assert encoder.get_dim("nO") == 8
    rows = [numpy.ones((n, 5), dtype="float32") for n in (3, 0, 1)]
    encoder.initialize(X=rows)
    assert [encoded.shape for encoded in encoder.predict(rows)] == [
        (3, 8),
        (0, 8),
        (1, 8),
    ]


def test_token_sees_as_far_as_its_windows_reach() -> None:
    encoder = build_window_cnn_encoder(width=8, depth=2, window_size=1, maxout_pieces=2)
    rows = numpy.random.default_rng(0).normal(size=(9, 5)).astype("float32")
    encoder.initialize(X=[rows])
    changed = rows.copy()
    changed[0] += 1
    (before,), (after,) = encoder.predict([rows]), encoder.predict([changed])
    differs = ~numpy.isclose(before, after, atol=1e-6).all(axis=1)
    assert differs.tolist() == [True] * 3 + [False] * 6


def test_pipeline_with_it_learns_and_is_the_same_after_loading(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    encode = {
        "@architectures": "spacy-adak.WindowCNNEncoder.v1",
        "width": 16,
        "depth": 2,
        "window_size": 1,
        "maxout_pieces": 2,
    }
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": SMALL_ENCODER,
        "encode": encode,
    }
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": tok2vec}
    nlp.add_pipe("adak_ner", config={"model": model})
    train(nlp, make_examples(nlp), steps=60)
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    for text, entities in TEXTS:
        doc = nlp(text)
        assert [(ent.start, ent.end, ent.label_) for ent in doc.ents] == entities
        assert loaded(text).to_json() == doc.to_json()
