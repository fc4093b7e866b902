"""Pipelines over a very small transformer of spacy-curated-transformers."""

from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from spacy.language import Language
from transformers import AutoConfig

_PACKAGE = "spacy-curated-transformers"
# What tests that train such a transformer are marked with.
TRAINS_CURATED = [
    pytest.mark.skipif(
        numpy.lib.NumpyVersion(numpy.__version__) >= "2.4.0",
        reason="spacy-curated-transformers trains with NumPy below 2.4",
    ),
    # What is an error with NumPy 2.4.
    pytest.mark.filterwarnings("ignore:Conversion of an array with ndim > 0"),
]
LISTENER = {
    "@architectures": f"{_PACKAGE}.LastTransformerLayerListener.v1",
    "width": 32,
    "pooling": {"@layers": "reduce_mean.v1"},
}


def curated_model(path: Path) -> dict[str, Any]:
    """The block of a model, as large as the one in a folder."""
    config = AutoConfig.from_pretrained(path)
    return {
        "@architectures": f"{_PACKAGE}.BertTransformer.v1",
        "vocab_size": config.vocab_size,
        "hidden_width": config.hidden_size,
        "intermediate_width": config.intermediate_size,
        "num_hidden_layers": config.num_hidden_layers,
        "num_attention_heads": config.num_attention_heads,
        "max_position_embeddings": config.max_position_embeddings,
        "model_max_length": config.max_position_embeddings,
        # Without dropout of its own, a loss can be computed twice.
        "attention_probs_dropout_prob": 0.0,
        "hidden_dropout_prob": 0.0,
        "piece_encoder": {"@architectures": f"{_PACKAGE}.BertWordpieceEncoder.v1"},
        # Longer than a document of the tests, shorter than the model's limit.
        "with_spans": {
            "@architectures": f"{_PACKAGE}.WithStridedSpans.v1",
            "window": 24,
            "stride": 16,
        },
    }


def loaders(path: Path) -> dict[str, Any]:
    """Where its weights and pieces are, as `[initialize]` has it."""
    return {
        "encoder_loader": {
            "@model_loaders": f"{_PACKAGE}.HFTransformerEncoderLoader.v1",
            "name": str(path),
        },
        "piecer_loader": {
            "@model_loaders": f"{_PACKAGE}.WordpieceLoader.v1",
            "path": str(path / "vocab.txt"),
        },
    }


def curated_nlp(path: Path, **settings: Any) -> Language:
    """A pipeline of a transformer and the component, which listens to it."""
    nlp = spacy.blank("en")
    config = {"model": curated_model(path), **settings}
    nlp.add_pipe("curated_transformer", name="transformer", config=config)
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": LISTENER}
    nlp.add_pipe("adak_ner", config={"model": model})
    nlp.config["initialize"]["components"]["transformer"] = loaders(path)
    return nlp
