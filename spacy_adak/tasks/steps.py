"""How many steps a training will have, and what follows from that."""

from collections.abc import Callable, Iterable
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
    steps = None if texts is None else steps_for_lengths(config, texts)
    if steps is not None:
        return steps
    T = registry.resolve(config["training"], schema=ConfigSchemaTraining)

    def read() -> Iterable[Any]:
        (corpus,) = resolve_dot_names(config, [T["train_corpus"]])
        return corpus(nlp)

    return _count_steps(T, read)


def steps_for_lengths(config: Config, texts: Iterable[TextOfLength]) -> int | None:
    """How many steps a training will have at most, if the lengths of texts tell.

    config (Config): Its config, interpolated.
    texts (Iterable[TextOfLength]): What the training reads.
    RETURNS (int | None): The number of steps; None if it depends on more than that.
    """
    if not _looks_at_length_alone(config):
        return None
    T = registry.resolve(config["training"], schema=ConfigSchemaTraining)
    return _count_steps(T, lambda: texts)


def _count_steps(T: dict[str, Any], read: Callable[[], Iterable[Any]]) -> int:
    limits = [T["max_steps"]] if T["max_steps"] > 0 else []
    if T["max_epochs"] > 0:
        batches_per_epoch = sum(1 for _ in T["batcher"](read()))
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
    """Set the number of steps in the config of an initialized pipeline: the learning
    rate falls over them, and a short training is scored more often.

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
