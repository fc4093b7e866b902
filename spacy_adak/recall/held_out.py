"""The recall of annotators from models that have learnt to predict "annotated".

A CRF to which unknown tokens are O gives an entity the probability that annotators
mark it. If they forget at random, this probability is proportional to that of being an
entity at all, so it ranks spans in the right order (Elkan and Noto, 2008). The spans it
ranks first in texts it has not seen are nearly all entities, and the share of them that
is annotated is the recall. A model that has learnt from few texts finds the place of an
entity more often than its bounds and type, so a span counts as annotated if it overlaps
with an annotated entity.

Elkan and Noto take the mean probability of annotated examples instead. It is lower
than the recall wherever a model is not sure of entities: on Youku (random-based scheme)
0.14, 0.33, 0.54 and 0.75 for a recall of 0.2, 0.4, 0.7 and 1.

Annotators who do not know some forms mark all entities of a form or none. A model then
ranks spans first whose forms it has seen marked, and nearly all of these are marked
again. Spans whose form occurs in no other text are more informative, because no model
can have learnt whether annotators know it. If they are marked less often than others,
their share is the recall.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy

from .estimate import RecallEstimate
from .intervals import Interval, ratio_by_text

# How many spans are ranked first, for each that is annotated. With fewer spans, more of
# them are entities, but the estimate is noisier.
_RANKED_FIRST = 0.5
# Annotators do not know some forms if those that occur in one text only are marked less
# often than this share of the rate of all.
_RATE_OF_UNKNOWN_FORMS = 0.75
# Not all spans that are ranked first are entities: the standard error that this makes,
# as a share of the estimate, and the same for spans whose form occurs nowhere else.
_RELATIVE_ERROR, _RELATIVE_ERROR_OF_UNIQUE_FORMS = 0.025, 0.1
# With fewer annotated entities there is no estimate.
_FEWEST_ANNOTATED = 40


class HeldOutSpan(NamedTuple):
    """A span that a model finds in a text it was not trained on, or that is annotated
    there.

    text (int): Which text.
    label (str): The entity type.
    probability (float): By the model.
    is_annotated (bool): Whether it is annotated, with just this label.
    touches_annotation (bool): Whether it overlaps with an annotated entity.
    occurs_elsewhere (bool): Whether its form occurs in another text.
    """

    text: int
    label: str
    probability: float
    is_annotated: bool
    touches_annotation: bool
    occurs_elsewhere: bool


def recall_from_held_out_texts(spans: Iterable[HeldOutSpan]) -> RecallEstimate | None:
    """Estimate the recall from spans that models find in texts they have not seen.

    spans (Iterable[HeldOutSpan]): Spans of all texts that are not annotated completely.
    RETURNS (RecallEstimate | None): The recall; None if too little is annotated.
    """
    ranked = sorted(spans, key=lambda span: -span.probability)
    annotated = sum(span.is_annotated for span in ranked)
    if annotated < _FEWEST_ANNOTATED:
        return None
    overall, knows_all_forms = _estimate(ranked)
    labels = sorted({span.label for span in ranked if span.is_annotated})
    per_type = {label: [s for s in ranked if s.label == label] for label in labels}
    which = "" if knows_all_forms else " with forms that occur in no other text"
    return RecallEstimate(
        "held-out texts",
        overall,
        {
            label: _estimate(of_type)[0]
            for label, of_type in per_type.items()
            if sum(span.is_annotated for span in of_type) >= _FEWEST_ANNOTATED
        },
        f"share annotated of the spans{which} that models rank first in texts they "
        "were not trained on",
        is_identifiable=knows_all_forms,
    )


def _estimate(ranked: Sequence[HeldOutSpan]) -> tuple[Interval, bool]:
    """The recall, and whether annotators seem to know all forms."""
    recall = _share(ranked, _RELATIVE_ERROR)
    unique = [span for span in ranked if not span.occurs_elsewhere]
    if sum(span.is_annotated for span in unique) >= _FEWEST_ANNOTATED:
        of_unique = _share(unique, _RELATIVE_ERROR_OF_UNIQUE_FORMS)
        if of_unique.high < _RATE_OF_UNKNOWN_FORMS * recall.value:
            return of_unique, False
    return recall, True


def _share(ranked: Sequence[HeldOutSpan], relative_error: float) -> Interval:
    """The share annotated of the spans that are ranked first."""
    annotated = sum(span.is_annotated for span in ranked)
    first = max(1, int(annotated * _RANKED_FIRST))
    _, text = numpy.unique([span.text for span in ranked[:first]], return_inverse=True)
    hits = numpy.bincount(text, [span.touches_annotation for span in ranked[:first]])
    share = ratio_by_text(hits, numpy.bincount(text))
    return share.widened_by(relative_error * share.value).within(0.0, 1.0)
