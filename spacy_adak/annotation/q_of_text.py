"""q, the estimated distribution over the paths of a document, as stored in the data.

It is stored on the reference of an example, in a form that a `DocBin` keeps: one path
as a span group, a chain as arrays in `user_data`.
"""

from typing import NamedTuple

import numpy
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ..crf.tags import LabelledSpan
from ..errors import Errors
from .known import shorten

ESTIMATE_KEY = "adak_q"


class PathEstimate(NamedTuple):
    """All mass on one path: hard q.

    entities (list[LabelledSpan]): All entities on the path, annotated ones included.
    """

    entities: list[LabelledSpan]


class ChainEstimate(NamedTuple):
    """A path's weight is the sum of these scores: soft and interpolated q.

    nodes (ndarray): (L, N), -inf for tags that annotation and mask do not allow.
    transitions (ndarray): As in a `Chain`, or (1, 1) if all moves count alike.
    start (ndarray): (N,).
    end (ndarray): (N,).
    """

    nodes: numpy.ndarray
    transitions: numpy.ndarray
    start: numpy.ndarray
    end: numpy.ndarray


Estimate = PathEstimate | ChainEstimate


def set_estimate(reference: Doc, estimate: Estimate) -> None:
    """Write an estimate to a document with the same tokens.

    reference (Doc): The document.
    estimate (Estimate): The estimate.
    """
    if isinstance(estimate, PathEstimate):
        spans = [Span(reference, *span[:2], span.type) for span in estimate.entities]
        group = SpanGroup(reference, name=ESTIMATE_KEY, spans=spans)
        reference.spans[ESTIMATE_KEY] = group
    else:
        # Half the memory of float32, and a thousandth of a nat is close enough.
        arrays = {
            name: value.astype("float16", copy=False)
            for name, value in estimate._asdict().items()
        }
        reference.user_data[ESTIMATE_KEY] = arrays


def keep_chain(before: Doc, after: Doc) -> None:
    """Copy the q of a document to one that an augmenter made of it, if q is a chain:
    augmenters copy span groups, but not `user_data`.

    before (Doc): The document with q.
    after (Doc): The other one.
    """
    if ESTIMATE_KEY in before.user_data:
        after.user_data[ESTIMATE_KEY] = before.user_data[ESTIMATE_KEY]


def get_estimate(example: Example) -> Estimate | None:
    """Read the estimate of an example, in terms of its predicted tokens.

    example (Example): The example.
    RETURNS (Estimate | None): The estimate, if there is one.
    """
    reference = example.reference
    if ESTIMATE_KEY in reference.user_data:
        arrays = reference.user_data[ESTIMATE_KEY]
        estimate = ChainEstimate(
            *(arrays[name].astype("float32") for name in ChainEstimate._fields)
        )
        if len(estimate.nodes) != len(example.predicted):
            raise ValueError(
                Errors.A112.format(
                    text=shorten(reference),
                    found=len(estimate.nodes),
                    expected=len(example.predicted),
                )
            )
        return estimate
    if ESTIMATE_KEY in reference.spans:
        spans = example.get_aligned_spans_y2x(reference.spans[ESTIMATE_KEY])
        return PathEstimate([LabelledSpan(s.start, s.end, s.label_) for s in spans])
    return None
