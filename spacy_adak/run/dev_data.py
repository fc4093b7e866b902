"""The texts that models are chosen by, with and without complete dev data.

If enough dev texts are annotated completely, models are chosen by these. If for each
type some texts are complete, models are chosen by all dev texts, and each type is
scored where it is complete. Otherwise models are chosen by the likelihood of the
annotation of all dev texts. Without dev data, a part of the training texts is held out,
from those that are not annotated completely if there are any. The complete ones are
worth more in training, and show how much is annotated in the others.

If `adak sample` has drawn dev texts from the training data, they are removed from the
training data. Otherwise models would be chosen by texts they have seen.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..annotation.completeness import is_complete, is_meant_to_be_complete
from ..data.complete_types import is_complete_for
from ..data.sample_marks import SAMPLE_KEY
from ..pipeline.annotation_likelihood import SCORE_NAME

# The share of distinct training texts that is set apart, and how many at least.
_SHARE_SET_APART = 0.1
_FEWEST_SET_APART = 20
# By fewer complete texts no model is chosen if there are others.
_FEWEST_COMPLETE = 20


class DevData(NamedTuple):
    """The data that a run is divided into.

    train (list[Doc]): What is learnt from.
    dev (list[Doc]): What models are chosen by.
    is_complete (bool): Whether that is annotated completely, or for each type in part.
    left_out (int): How many dev texts are not used, as they are not.
    drawn (int): How many training texts are not used, as they were drawn for dev.
    """

    train: list[Doc]
    dev: list[Doc]
    is_complete: bool
    left_out: int
    drawn: int = 0


def choose_dev_data(
    train: Sequence[Doc],
    dev: Sequence[Doc] | None,
    seed: int,
    labels: Sequence[str] = (),
) -> DevData:
    """Find the texts that models are chosen by.

    train (Sequence[Doc]): The training data.
    dev (Sequence[Doc] | None): The dev data, if there is any.
    seed (int): Chooses the texts that are set apart.
    labels (Sequence[str]): All types.
    RETURNS (DevData): The data.
    """
    if dev is None:
        train, dev = set_apart(train, seed)
    drawn = {doc.text for doc in dev if SAMPLE_KEY in doc.user_data}
    learnt = [doc for doc in train if doc.text not in drawn]
    counts = {"drawn": len(train) - len(learnt)}
    complete = [doc for doc in dev if is_complete(doc)]
    left_out = len(dev) - len(complete)
    # A text that is all entity may be complete by chance, and is none to rely on.
    scored = any(doc.ents and is_meant_to_be_complete(doc) for doc in complete)
    if scored and (not left_out or len(complete) >= _FEWEST_COMPLETE):
        return DevData(learnt, complete, True, left_out, **counts)
    can_score = _can_score_types(dev, labels)
    return DevData(learnt, list(dev), can_score, 0, **counts)


def _can_score_types(docs: Sequence[Doc], labels: Sequence[str]) -> bool:
    """Whether each type has entities where the texts are complete for it."""
    scored = {e.label_ for doc in docs for e in doc.ents if is_complete_for(e)}
    return bool(labels) and scored >= set(labels)


def set_apart(docs: Sequence[Doc], seed: int) -> tuple[list[Doc], list[Doc]]:
    """Set a part of the training texts apart, of those that are not annotated
    completely if there are any. Equal texts stay together, so that no model is scored
    on a text it has learnt.

    docs (Sequence[Doc]): The training data.
    seed (int): Chooses the texts.
    RETURNS (tuple[list[Doc], list[Doc]]): What is left to train on, and the others.
    """
    incomplete = [doc for doc in docs if not is_meant_to_be_complete(doc)]
    texts = list(dict.fromkeys(doc.text for doc in incomplete or docs))
    count = max(int(_SHARE_SET_APART * len(texts)), _FEWEST_SET_APART)
    chosen = set(random.Random(seed).sample(texts, min(count, len(texts) // 2)))
    left = [doc for doc in docs if doc.text not in chosen]
    return left, [doc for doc in docs if doc.text in chosen]


def choose_by_likelihood(training: dict[str, Any]) -> None:
    """Choose models by the likelihood of the annotation instead of F1.

    training (dict[str, Any]): The [training] block, which is changed.
    """
    weights = training["score_weights"]
    of_entities = [name for name in weights if name.startswith("ents_")]
    weight = sum(weights[name] or 0.0 for name in of_entities)
    # They are still shown.
    weights.update({n: 0.0 for n in of_entities if weights[n] is not None})
    weights[SCORE_NAME] = weight or 1.0


def chooses_by_likelihood(training: Mapping[str, Any]) -> bool:
    """RETURNS (bool): Whether models are chosen by the likelihood of the annotation,
    as the dev data is incomplete.

    training (Mapping[str, Any]): The [training] block.
    """
    return bool(training["score_weights"].get(SCORE_NAME))
