"""Small pipelines, and a little text to train them on."""

from collections.abc import Iterable
from typing import Any

import numpy
import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_adak.pipeline.adak_ner import AdaKRecognizer

from .losses import component_settings

TEXTS = [
    ("Who is Shaka Khan ?", [(2, 4, "PERSON")]),
    ("I like London and Berlin .", [(2, 3, "LOC"), (4, 5, "LOC")]),
    ("Ann Lee flew to New York .", [(0, 2, "PERSON"), (4, 6, "LOC")]),
    ("It rained all day long .", []),
]

SMALL_ENCODER = {
    "@architectures": "spacy.HashEmbedCNN.v2",
    "pretrained_vectors": None,
    "width": 32,
    "depth": 1,
    "embed_size": 200,
    "window_size": 1,
    "maxout_pieces": 2,
    "subword_features": True,
}
SMALL_MODEL = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": SMALL_ENCODER}


def make_nlp(**settings: Any) -> Language:
    """An English pipeline of one component with a small encoder."""
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "adak_ner", config={"model": SMALL_MODEL, **component_settings(**settings)}
    )
    return nlp


def make_bilstm_nlp() -> Language:
    """The same with a BiLSTM over the encoder."""
    return _make_nlp_over(SMALL_ENCODER, "spacy-adak.BiLSTMEncoder.v1", depth=2)


def make_window_cnn_nlp() -> Language:
    """The same with a window CNN over the encoder."""
    name = "spacy-adak.WindowCNNEncoder.v1"
    return _make_nlp_over(SMALL_ENCODER, name, depth=2, window_size=1)


def _make_nlp_over(embed: dict[str, Any], encode: str, **settings: int) -> Language:
    nlp = spacy.blank("en")
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": embed,
        "encode": {"@architectures": encode, "width": 16, **settings},
    }
    nlp.add_pipe("adak_ner", config={"model": {**SMALL_MODEL, "tok2vec": tok2vec}})
    return nlp


def get_ner(nlp: Language) -> AdaKRecognizer:
    ner = nlp.get_pipe("adak_ner")
    assert isinstance(ner, AdaKRecognizer)
    return ner


def make_doc(
    vocab: Vocab,
    text: str,
    entities: Iterable[tuple[int, int, str]] = (),
    default: str = "outside",
) -> Doc:
    """A document of words between spaces, with its entities."""
    doc = Doc(vocab, words=text.split(" "))
    spans = [Span(doc, start, end, label=label) for start, end, label in entities]
    doc.set_ents(spans, default=default)
    return doc


def make_examples(
    nlp: Language, texts: Iterable[tuple[str, list[tuple[int, int, str]]]] = TEXTS
) -> list[Example]:
    return [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, entities))
        for text, entities in texts
    ]


def train(nlp: Language, examples: list[Example], steps: int = 30) -> dict[str, float]:
    """Initialize and train a pipeline, and give the losses of the last step."""
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    losses: dict[str, float] = {}
    for _ in range(steps):
        losses = {}
        nlp.update(examples, sgd=optimizer, losses=losses)
    return losses


def trained_nlp(**settings: Any) -> Language:
    nlp = make_nlp(**settings)
    train(nlp, make_examples(nlp))
    return nlp


def entities(doc: Doc) -> list[tuple[int, int, str]]:
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def scores(doc: Doc, key: str = "adak_ner") -> numpy.ndarray:
    return doc.spans[key].attrs["scores"]
