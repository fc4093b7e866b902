"""How consistent annotators are: how often a form that is marked somewhere is marked
elsewhere.

If annotators forget at random, this is their recall. If they do not know some forms at
all, it is their recall among the entities of forms that they know, and so an upper
bound: what they never mark leaves no trace here.

A string that is a name here and a word there looks as if it had been forgotten. This is
rarer with long forms, so the shorter half is left out.
"""

from collections.abc import Mapping
from statistics import median

import numpy

from .estimate import RecallEstimate
from .intervals import ratio_by_text

# The words of an entity.
Form = tuple[str, ...]
# Fewer forms that come up more than once say nothing.
_FEWEST_FORMS = 10
# The standard error that strings make which are no name everywhere, as a share of the
# estimate.
_RELATIVE_ERROR = 0.04


def recall_from_forms(
    marked: Mapping[Form, int], unmarked: Mapping[Form, int]
) -> RecallEstimate | None:
    """See how consistent annotators are with forms that they know.

    marked (Mapping[Form, int]): How often each form is marked.
    unmarked (Mapping[Form, int]): How often each form occurs otherwise, where the
        annotation leaves it open.
    RETURNS (RecallEstimate | None): The consistency; None if too few forms come up
        more than once.
    """
    shortest = (
        median(length for form, n in marked.items() for length in [len(form)] * n)
        if marked
        else 0
    )
    # Each marked place asks how often its form is marked elsewhere: that place itself
    # proves nothing. So a form counts as often as it is marked, without which those
    # that happen to be marked once would draw the mean down.
    counts = numpy.array(
        [
            (count, (count - 1) / (count - 1 + unmarked.get(form, 0)))
            for form, count in marked.items()
            if len(form) >= shortest and count + unmarked.get(form, 0) > 1
        ]
    ).reshape(-1, 2)
    if len(counts) < _FEWEST_FORMS:
        return None
    weights, shares = counts.T
    recall = ratio_by_text(weights * shares, weights)
    return RecallEstimate(
        "forms",
        recall.widened_by(_RELATIVE_ERROR * recall.value).within(0.0, 1.0),
        {},
        f"how often {len(counts):,} forms that are marked are marked elsewhere",
        is_identifiable=False,
    )
