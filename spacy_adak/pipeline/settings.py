"""The settings of the component: their defaults, and what they may be."""

from collections.abc import Mapping
from typing import Any

from thinc.api import Config

from ..crf.tags import SCHEMES
from .rules import POSITIVE, PROBABILITY, Rule, one_of

# What the settings mean is said in `AdaKRecognizer`.
DEFAULT_CONFIG = """
[adak_ner]
scheme = "BILUO"
max_segment_length = 128
spans_key = "adak_ner"
annotate_ents = true
threshold = 0.0
incorrect_spans_key = "incorrect_spans"

[adak_ner.scorer]
@scorers = "spacy.ner_scorer.v1"

[adak_ner.loss]
@losses = "spacy-adak.AdaKLoss.v1"

[adak_ner.model]
@architectures = "spacy-adak.CRFTagger.v1"

[adak_ner.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 96
depth = 4
embed_size = 2000
window_size = 1
maxout_pieces = 3
subword_features = true
"""
DEFAULTS: Mapping[str, Any] = Config().from_str(DEFAULT_CONFIG)["adak_ner"]

RULES: Mapping[str, Rule] = {
    "scheme": one_of(tuple(SCHEMES)),
    "max_segment_length": POSITIVE,
    "threshold": PROBABILITY,
}
