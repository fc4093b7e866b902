"""Pipelines over a frozen transformer: ours, and the peer that spaCy offers."""

from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_model_from_config, minibatch
from thinc.api import Config

from spacy_adak.run.init_config import init_config

from .corpora import make_examples

PEER = "transformer + ner"
TRAIN_STEPS = 60
# As `spacy init config --gpu` has it.
TRANSITION_NER = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "ner",
    "extra_state_tokens": False,
    "hidden_width": 64,
    "maxout_pieces": 2,
    "use_upper": False,
}
_BATCH = 32


def make_ours(lang: str, encoder: Path, docs: list[Doc]) -> Language:
    """The pipeline that `init-config --encoder` writes, trained for a moment.

    lang (str): The code of the language.
    encoder (Path): The folder of a transformer.
    docs (list[Doc]): Texts with all of their entities.
    RETURNS (Language): The pipeline, as one that was loaded: it remembers no rows.
    """
    fix_random_seed(0)
    config = Config().from_str(init_config(lang, encoder=str(encoder)))
    config["components"]["adak_ner"]["loss"] = {"@losses": "spacy-adak.CRFLoss.v1"}
    nlp = load_model_from_config(config, auto_fill=True)
    _train(nlp, make_examples(nlp, docs), exclude=[])
    return nlp.from_bytes(nlp.to_bytes())


def make_peer(lang: str, encoder: Path, docs: list[Doc], window: int = 128) -> Language:
    """The same transformer as a component of spacy-transformers, not trained either,
    and `ner` listening to it.

    lang (str): The code of the language.
    encoder (Path): The folder of a transformer.
    docs (list[Doc]): Texts with all of their entities.
    window (int): How many tokens the transformer reads at a time.
    RETURNS (Language): The pipeline.
    """
    fix_random_seed(0)
    nlp = spacy.blank(lang)
    spans = {
        "@span_getters": "spacy-transformers.strided_spans.v1",
        "window": window,
        "stride": window * 3 // 4,
    }
    transformer = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(encoder),
        "get_spans": spans,
        "tokenizer_config": {"use_fast": True},
    }
    nlp.add_pipe("transformer", config={"model": transformer})
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 0.0,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    nlp.add_pipe("ner", config={"model": {**TRANSITION_NER, "tok2vec": listener}})
    _train(nlp, make_examples(nlp, docs), exclude=["transformer"])
    return nlp


def _train(nlp: Language, examples: list[Example], exclude: list[str]) -> None:
    optimizer = nlp.initialize(lambda: examples)
    batches = list(minibatch(examples, size=_BATCH))
    for step in range(TRAIN_STEPS):
        batch = batches[step % len(batches)]
        nlp.update(batch, sgd=optimizer, drop=0.1, exclude=exclude, annotates=exclude)


def predict(nlp: Language, docs: list[Doc], **settings: Any) -> list[Doc]:
    """Run a pipeline on the tokens of texts.

    nlp (Language): The pipeline.
    docs (list[Doc]): The texts.
    RETURNS (list[Doc]): What it says of them.
    """
    fresh = [Doc(nlp.vocab, words=[token.text for token in doc]) for doc in docs]
    return list(nlp.pipe(fresh, **settings))
