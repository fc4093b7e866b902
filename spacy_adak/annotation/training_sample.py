"""What is learnt from an example: what is known, q, and where to cut it."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from ..crf.tags import LabelledSpan, TagSet
from ..errors import Errors
from .known import Known, known_from_example, shorten
from .q_of_text import ChainEstimate, Estimate, PathEstimate, get_estimate
from .segments import segment_doc

_MOST_LABELS_NAMED = 50


class Sample(NamedTuple):
    """What is learnt from one document.

    known (Known): What the annotation says.
    estimate (Estimate | None): q, if it was estimated.
    ends (list[int]): Where its segments end.
    """

    known: Known
    estimate: Estimate | None
    ends: list[int]


def read_sample(
    example: Example,
    tagset: TagSet,
    *,
    component: str,
    incorrect_spans_key: str | None,
    max_segment_length: int,
) -> Sample:
    """Read what is learnt from an example, and check that it can be learnt.

    example (Example): The example.
    tagset (TagSet): The tags of the model.
    component (str): The name of the component, for errors.
    incorrect_spans_key (str | None): The span group with spans that are ruled out.
    max_segment_length (int): How long a segment may be, if no entity is longer.
    RETURNS (Sample): What is known and estimated, and where to cut the text.
    """
    known = known_from_example(example, incorrect_spans_key).about(tagset.types)
    estimate = get_estimate(example)
    entities = set(known.entities)
    if isinstance(estimate, PathEstimate):
        entities.update(estimate.entities)
    elif isinstance(estimate, ChainEstimate):
        _check_tags(estimate, tagset, example.reference, component)
    _check_labels(entities, tagset, example.reference, component)
    bounds = {(span.start, span.end) for span in entities}
    ends = segment_doc(example.predicted, bounds, max_segment_length)
    return Sample(known, estimate, ends)


def _check_tags(
    estimate: ChainEstimate, tagset: TagSet, reference: Doc, component: str
) -> None:
    found, expected = estimate.nodes.shape[1], len(tagset)
    if found != expected:
        raise ValueError(
            Errors.A115.format(
                text=shorten(reference), found=found, expected=expected, name=component
            )
        )


def _name_some(labels: Sequence[str]) -> str:
    """All labels, or the first of many."""
    if len(labels) > _MOST_LABELS_NAMED:
        named = ", ".join(labels[:_MOST_LABELS_NAMED])
        return f"{named} and {len(labels) - _MOST_LABELS_NAMED} others"
    return ", ".join(labels) or "none"


def _check_labels(
    spans: Iterable[LabelledSpan], tagset: TagSet, reference: Doc, component: str
) -> None:
    for span in spans:
        if span.type not in tagset.types:
            raise ValueError(
                Errors.A105.format(
                    label=span.type,
                    text=shorten(reference),
                    name=component,
                    labels=_name_some(tagset.types),
                )
            )
