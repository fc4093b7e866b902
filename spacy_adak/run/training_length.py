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
from ..data.complete_types import complete_spans
from ..errors import Warnings
from ..shards.text_lengths import TextOfLength
from ..tasks.steps import steps_for_lengths

# If texts are annotated for all types. More than 160 did not help a CRF with 1,000
# complete texts of Youku, and 53 were too few for one with 333.
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
    if epochs <= 0 or config["training"]["max_steps"] > 0:
        # The steps were chosen.
        return
    steps = steps_for_lengths(config, [TextOfLength(len(doc)) for doc in docs])
    if steps is None:
        return
    share = share_of_types(docs, labels)
    if steps * share >= _ENOUGH_STEPS:
        return
    message = Warnings.W223 if share == 1.0 else Warnings.W224
    explained = message.format(
        steps=steps,
        share=f"{100 * share:.0f}",
        epochs=math.ceil(epochs * _ENOUGH_STEPS / (steps * share)),
    )
    warnings.warn(explained, stacklevel=3)


def share_of_types(docs: Sequence[Doc], labels: Sequence[str]) -> float:
    """The mean share of the types that a text is annotated for: those it has, and those
    it is complete for. A text that does not state for which types it is complete counts
    as annotated for all.

    docs (Sequence[Doc]): The texts.
    labels (Sequence[str]): The types that are learnt.
    RETURNS (float): The share, above 0.
    """
    annotated = 0.0
    for doc in docs:
        stated = {span.label_ for span in complete_spans(doc)}.intersection(labels)
        if not stated or is_complete(doc):
            annotated += 1.0
        else:
            found = {ent.label_ for ent in doc.ents}.intersection(labels)
            annotated += len(stated | found) / len(labels)
    return annotated / len(docs)
