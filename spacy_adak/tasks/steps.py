"""How many steps a training will have, and what follows from that."""

from collections.abc import Iterable
from typing import Any

from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.util import registry, resolve_dot_names
from thinc.api import Config

from ..shards.references import reader_block
from ..shards.text_lengths import TextOfLength
from .linear_decay import set_total_steps

# A short training that is scored at its first step only would leave an untrained model
# as its best one.
_MIN_EVALUATIONS = 10


def planned_steps(nlp: Language, texts: Iterable[TextOfLength] | None = None) -> int:
    """How many steps the training of an initialized pipeline will have at most.

    nlp (Language): The pipeline, with its config.
    texts (Iterable[TextOfLength] | None): What the training reads, if that is known
        without reading it.
    RETURNS (int): The number of steps.
    """
    config = nlp.config.interpolate()
    T = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    limits = [T["max_steps"]] if T["max_steps"] > 0 else []
    if T["max_epochs"] > 0:
        items: Iterable[Any] | None = texts
        if items is None or not _looks_at_length_alone(config):
            (corpus,) = resolve_dot_names(config, [T["train_corpus"]])
            items = corpus(nlp)
        batches_per_epoch = sum(1 for _ in T["batcher"](items))
        limits.append(T["max_epochs"] * batches_per_epoch)
    # Without any limit it is patience that ends the training.
    return max(1, min(limits, default=T["patience"]))


def _looks_at_length_alone(config: Config) -> bool:
    """Whether the batches of a training depend on nothing but the lengths of texts."""
    batcher = config["training"]["batcher"]
    is_own = str(batcher.get("@batchers", "")).startswith("spacy.")
    augmenter = reader_block(config, "train").get("augmenter")
    return is_own and batcher.get("get_length") is None and augmenter is None


def plan_steps(nlp: Language, texts: Iterable[TextOfLength] | None = None) -> int:
    """Tell the config of an initialized pipeline how many steps there will be: its
    learning rate falls over them, and a short training is scored more often.

    nlp (Language): The pipeline.
    texts (Iterable[TextOfLength] | None): What the training reads, if that is known
        without reading it.
    RETURNS (int): The number of steps.
    """
    steps = planned_steps(nlp, texts)
    set_total_steps(nlp.config, steps)
    training = nlp.config["training"]
    training["eval_frequency"] = min(
        training["eval_frequency"], max(1, (steps - 1) // _MIN_EVALUATIONS)
    )
    return steps


def sure_steps(nlp: Language, steps: int) -> int:
    """How many steps the training of a pipeline will have at least.

    nlp (Language): The pipeline, with its config.
    steps (int): How many it will have at most.
    RETURNS (int): The number of steps.
    """
    patience = nlp.config.interpolate()["training"]["patience"]
    return min(steps, patience) if patience else steps
