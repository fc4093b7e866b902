"""Pipelines over a frozen transformer: ours, and the peers that spaCy offers."""

from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, load_model_from_config, minibatch
from thinc.api import Config
from transformers import AutoConfig

from spacy_adak.encoders.frozen import frozen_encoders
from spacy_adak.run.init_config import init_config

from .corpora import make_examples

TRAIN_STEPS = 5
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
_WINDOW = {"window": 128, "stride": 96}
CRF = {"@losses": "spacy-adak.CRFLoss.v1"}


def make_ours(
    lang: str,
    encoder: Path,
    docs: list[Doc],
    loss: dict[str, Any] = CRF,
    reduced: bool = False,
    steps: int = TRAIN_STEPS,
) -> Language:
    """The pipeline that `init-config --encoder` writes, trained for a moment.

    lang (str): The code of the language.
    encoder (Path): The folder of a transformer.
    docs (list[Doc]): Texts.
    loss (dict[str, Any]): The block of the loss.
    reduced (bool): Whether the encoder computes with 8 bits.
    steps (int): How long to train.
    RETURNS (Language): The pipeline, as one that was loaded: it remembers no rows.
    """
    fix_random_seed(0)
    config = Config().from_str(init_config(lang, encoder=str(encoder)))
    config["components"]["adak_ner"]["loss"] = loss
    embed = config["components"]["adak_ner"]["model"]["tok2vec"]["embed"]
    embed["*"]["frozen"]["reduced"] = reduced
    nlp = load_model_from_config(config, auto_fill=True)
    _train(nlp, make_examples(nlp, docs), exclude=[], steps=steps)
    return nlp.from_bytes(nlp.to_bytes())


def make_peer(lang: str, encoder: Path, docs: list[Doc]) -> Language:
    """The same transformer as a component of spacy-transformers, not trained either,
    and `ner` listening to it.

    lang (str): The code of the language.
    encoder (Path): The folder of a transformer.
    docs (list[Doc]): Texts with all of their entities.
    RETURNS (Language): The pipeline.
    """
    spans = {"@span_getters": "spacy-transformers.strided_spans.v1", **_WINDOW}
    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(encoder),
        "get_spans": spans,
        "tokenizer_config": {"use_fast": True},
    }
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "grad_factor": 0.0,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    return _with_ner(lang, "transformer", model, listener, docs)


def make_curated_peer(lang: str, encoder: Path, docs: list[Doc]) -> Language:
    """A BERT of the same size and with the same word pieces as a component of
    spacy-curated-transformers, and `ner` listening to it. Its weights are random, as it
    does not read all architectures, and `ner` is not trained: the time is the same.

    lang (str): The code of the language.
    encoder (Path): The folder of a transformer.
    docs (list[Doc]): Texts with all of their entities.
    RETURNS (Language): The pipeline.
    """
    sizes = AutoConfig.from_pretrained(encoder)
    model = {
        "@architectures": "spacy-curated-transformers.BertTransformer.v1",
        "vocab_size": sizes.vocab_size,
        "hidden_width": sizes.hidden_size,
        "num_hidden_layers": sizes.num_hidden_layers,
        "num_attention_heads": sizes.num_attention_heads,
        "intermediate_width": getattr(sizes, "intermediate_size", None)
        or sizes.hidden_dim,
        "piece_encoder": {
            "@architectures": "spacy-curated-transformers.BertWordpieceEncoder.v1"
        },
        "with_spans": {
            "@architectures": "spacy-curated-transformers.WithStridedSpans.v1",
            **_WINDOW,
        },
    }
    listener = {
        "@architectures": "spacy-curated-transformers.LastTransformerLayerListener.v1",
        "grad_factor": 0.0,
        "width": sizes.hidden_size,
        "pooling": {"@layers": "reduce_mean.v1"},
    }
    return _with_ner(lang, "curated_transformer", model, listener, docs, encoder)


def _with_ner(
    lang: str,
    factory: str,
    model: dict[str, Any],
    listener: dict[str, Any],
    docs: list[Doc],
    pieces: Path | None = None,
) -> Language:
    fix_random_seed(0)
    nlp = spacy.blank(lang)
    nlp.add_pipe(factory, name="transformer", config={"model": model})
    nlp.add_pipe("ner", config={"model": {**TRANSITION_NER, "tok2vec": listener}})
    if pieces is not None:
        nlp.config["initialize"]["components"]["transformer"] = {
            "piecer_loader": {
                "@model_loaders": "spacy-curated-transformers.WordpieceLoader.v1",
                "path": str(pieces / "vocab.txt"),
            }
        }
    examples = make_examples(nlp, docs)
    if pieces is None:
        _train(nlp, examples, exclude=["transformer"])
    else:
        # Its listener does not learn from a transformer that is frozen.
        nlp.initialize(lambda: examples)
    return nlp


def _train(
    nlp: Language,
    examples: list[Example],
    exclude: list[str],
    steps: int = TRAIN_STEPS,
) -> None:
    optimizer = nlp.initialize(lambda: examples)
    batches = list(minibatch(examples, size=_BATCH))
    for step in range(steps):
        batch = batches[step % len(batches)]
        nlp.update(batch, sgd=optimizer, drop=0.1, exclude=exclude, annotates=exclude)


def forget_rows(nlp: Language) -> None:
    """Have a pipeline encode all texts, as one that was loaded a moment ago.

    nlp (Language): The pipeline.
    """
    for encoder in frozen_encoders(nlp):
        encoder._recent = encoder._no_recent_rows()


def predict(nlp: Language, docs: list[Doc], **settings: Any) -> list[Doc]:
    """Run a pipeline on the tokens of texts.

    nlp (Language): The pipeline.
    docs (list[Doc]): The texts.
    RETURNS (list[Doc]): What it says of them.
    """
    fresh = [Doc(nlp.vocab, words=[token.text for token in doc]) for doc in docs]
    return list(nlp.pipe(fresh, **settings))
