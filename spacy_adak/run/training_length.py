"""Whether trainings are long enough for the texts there are.

An epoch over few texts has few steps, and in a text that is complete for some types
only, a step learns little of the others.
"""

import math
import warnings
from collections.abc import Sequence

from spacy.tokens import Doc
from thinc.api import Config

from ..annotation.completeness import is_complete
from ..data.complete_types import complete_tokens, has_statement
from ..errors import Warnings
from ..shards.text_lengths import TextOfLength
from ..tasks.steps import steps_for_lengths

# Steps in which all types count. More did not help a CRF with 1,000 complete texts of
# Youku (160 steps), nor with 333 of them.
_ENOUGH_STEPS = 150


def warn_of_short_trainings(
    config: Config, docs: Sequence[Doc], labels: Sequence[str]
) -> None:
    """Warn if the trainings of a run seem too short, and say what to set.

    config (Config): The config, interpolated.
    docs (Sequence[Doc]): The training data.
    labels (Sequence[str]): The types that are learnt.
    """
    epochs = config["training"]["max_epochs"]
    steps = steps_for_lengths(config, [TextOfLength(len(doc)) for doc in docs])
    if epochs <= 0 or steps is None:
        return
    share = share_of_types(docs, labels)
    if steps * share >= _ENOUGH_STEPS:
        return
    message = Warnings.W223.format(
        steps=steps,
        share=f"{100 * share:.0f}",
        epochs=math.ceil(epochs * _ENOUGH_STEPS / (steps * share)),
    )
    warnings.warn(message, stacklevel=3)


def share_of_types(docs: Sequence[Doc], labels: Sequence[str]) -> float:
    """Tell how many of the types a text is annotated for, on average over all tokens. A
    text that does not say for which types it is complete counts as annotated for all.

    docs (Sequence[Doc]): The texts.
    labels (Sequence[str]): All types.
    RETURNS (float): The share.
    """
    tokens = annotated = 0.0
    for doc in docs:
        tokens += len(doc)
        if not has_statement(doc) or is_complete(doc):
            annotated += len(doc)
            continue
        of_type = complete_tokens(doc)
        stated = sum(of_type[label].sum() for label in labels if label in of_type)
        annotated += float(stated) / len(labels)
    return annotated / tokens
