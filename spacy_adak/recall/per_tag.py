"""The recall of annotators for each tag that an entity can start with."""

from collections.abc import Mapping

import numpy

from ..annotation.known import entity_starting_tags
from ..crf.tags import TagSet, split_tag


def recall_per_tag(
    recall: float, per_type: Mapping[str, float], tagset: TagSet
) -> numpy.ndarray:
    """The probability that annotators marked an entity that starts with a tag.

    recall (float): The recall of types that have none of their own.
    per_type (Mapping[str, float]): The recall of others.
    tagset (TagSet): The tags.
    RETURNS (ndarray): (N,), 0 for tags that no entity starts with.
    """
    recalls = numpy.zeros(len(tagset))
    for i in entity_starting_tags(tagset):
        recalls[i] = per_type.get(split_tag(tagset.tags[i])[1], recall)
    return recalls
