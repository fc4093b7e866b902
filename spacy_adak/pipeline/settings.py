"""The settings of the component: their defaults, what they mean, what they may be."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Any, get_args

from ..crf.tags import SCHEMES
from ..errors import Errors
from .objective import LossName

DEFAULT_CONFIG = """
[adak_ner]
# "adak" learns from the annotation, from what was estimated for the tokens it leaves
# open (O unless estimated) and, more and more, from the model's own K best paths; from
# a text of which nothing is known or estimated by these alone. "weighted" goes without
# them. "fuzzy" sums over all paths that the annotation allows, and finds too much.
# "missing" counts a path the less, the more entities it has that the annotators must
# have missed. "ratio" is "fuzzy", held to the share of tokens that are part of an
# entity. "crf" reads unknown tokens as O, as is the rule elsewhere.
loss = "adak"
# How many of the best paths "adak" looks at.
k = 5
# How late "adak" turns to its own best paths: their weight is exp(gamma * (b/B - 1)) in
# step b of B. With 0 nothing else counts; with null the weight stays at one half.
gamma = 3.0
# B. If null, the number of steps a training is sure to have: the smaller of patience
# and max_steps in [training], or 1000 where there is neither; `adak train` counts those
# of max_epochs as well. Set it in `spacy train` if the component has a source: it is
# not told of [training], and takes 1000.
annealing_steps = null
# For "missing": how many of the entities in the training texts are annotated, say 0.3.
# 0 is "fuzzy" and 1 is "crf". If null, it is estimated: `adak train` compares the
# entities per token with those in the dev data, other training compares training texts
# that leave tokens open with those which state some to be O and leave none open.
annotation_recall = null
# For "ratio": the share of tokens that are part of an entity, say 0.15. If null, it is
# that of the training texts which state some tokens to be O and leave none open;
# `adak train` takes that of the dev data.
ratio_target = null
# How far the share expected in a batch may be off at no cost. Effland and Collins
# (2021) have 0.05 around a guess; a target that was estimated can be held closer to.
ratio_margin = 0.02
# What it costs beyond that, beside the mean loss of a sentence. Their paper has 10;
# over frozen encoders 2 is better.
ratio_weight = 10.0
# How entities are spelt as tags: "BILUO" or "BIO".
scheme = "BILUO"
# Documents are cut into sentences. In training longer ones, and documents without
# sentence bounds, are cut into pieces of at most this many tokens.
max_segment_length = 128
# The span group with all entities found and, in attrs["scores"], their probabilities.
# With null they are neither stored nor computed. Set it to null if a later component
# merges or splits tokens: spaCy does not move the spans of groups.
spans_key = "adak_ner"
# Entities less probable than this are dropped.
threshold = 0.0
# The span group of the training data with spans that are known not to be entities.
incorrect_spans_key = null

[adak_ner.scorer]
@scorers = "spacy.ner_scorer.v1"

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


def check_settings(name: str, settings: Mapping[str, Any]) -> None:
    """Raise an error for the first setting with a value that makes no sense.

    name (str): The name of the component.
    settings (Mapping[str, Any]): The settings, among other things.
    """
    for setting, (is_valid, expected) in _RULES.items():
        value = settings[setting]
        if not is_valid(value):
            raise ValueError(
                Errors.A104.format(
                    value=value, setting=setting, name=name, expected=expected
                )
            )


# A number in quotes passes the checks of the config and stays a string.
def _is_positive(value: object) -> bool:
    return isinstance(value, int) and value >= 1


def _lies_between(value: object, lowest: float, highest: float) -> bool:
    return isinstance(value, int | float) and lowest <= value <= highest


def is_share_or_none(value: object) -> bool:
    """RETURNS (bool): Whether a value is a share from 0 to 1, or left open."""
    return value is None or _lies_between(value, 0, 1)


_LOSSES = get_args(LossName)
_POSITIVE = "a whole number above 0"
_RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "loss": (lambda value: value in _LOSSES, " or ".join(_LOSSES)),
    "scheme": (lambda value: value in SCHEMES, " or ".join(SCHEMES)),
    "k": (_is_positive, _POSITIVE),
    "gamma": (
        lambda value: value is None or _lies_between(value, 0, inf),
        "a number not below 0, or null",
    ),
    "annealing_steps": (
        lambda value: value is None or _is_positive(value),
        f"{_POSITIVE}, or null",
    ),
    "annotation_recall": (is_share_or_none, "a share from 0 to 1, or null"),
    "ratio_target": (is_share_or_none, "a share from 0 to 1, or null"),
    "ratio_margin": (lambda value: _lies_between(value, 0, 1), "a share from 0 to 1"),
    "ratio_weight": (
        lambda value: _lies_between(value, 0, inf),
        "a number not below 0",
    ),
    "max_segment_length": (_is_positive, _POSITIVE),
    "threshold": (
        lambda value: _lies_between(value, 0, 1),
        "a probability from 0 to 1",
    ),
}
