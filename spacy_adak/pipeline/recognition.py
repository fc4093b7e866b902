"""From the model's scores to entities with probabilities, and to whole readings."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy
import torch
from torch import Tensor

from ..annotation.known import (
    PresetDoc,
    allowed_tags,
    entity_starting_tags,
    tagged_spans,
)
from ..annotation.segments import batch_segments
from ..crf.calibration import IDENTITY, Calibration
from ..crf.chain import Chain
from ..crf.decode import kbest, viterbi
from ..crf.lattice import log_partition
from ..crf.spans import span_log_probabilities
from ..crf.tags import LabelledSpan, TagSet
from .head import TagScores


class Prediction(NamedTuple):
    """An entity that was found.

    span (LabelledSpan): Where and what.
    probability (float | None): The exact probability of the span, if asked for.
    """

    span: LabelledSpan
    probability: float | None


class Reading(NamedTuple):
    """One way to read a whole document.

    log_probability (float): The log of its probability.
    entities (list[LabelledSpan]): All entities of this reading, in order.
    """

    log_probability: float
    entities: list[LabelledSpan]


def find_entities(
    scores: TagScores,
    presets: Sequence[PresetDoc],
    tagset: TagSet,
    with_probabilities: bool,
    calibration: Calibration = IDENTITY,
) -> list[list[Prediction]]:
    """Find the entities on the best path of each segment.

    scores (TagScores): The scores of a batch of documents.
    presets (Sequence[PresetDoc]): What is already set on the documents.
    tagset (TagSet): The tags.
    with_probabilities (bool): Whether to compute probabilities.
    calibration (Calibration): What probabilities are calibrated by.
    RETURNS (list[list[Prediction]]): For each document what was found beside the
        entities that were set, in order.
    """
    predictions: list[list[Prediction]] = [[] for _ in presets]
    for chain, places in segment_chains(scores, presets, tagset):
        found = tagset.spans_of_legal_paths(viterbi(chain).paths[:, 0])
        probabilities: list[float] | list[None] = [None] * len(found)
        if with_probabilities and found:
            spans = tagged_spans(found, tagset)
            exact = span_log_probabilities(chain, spans).exp().tolist()
            probabilities = [calibration(value) for value in exact]
        for (segment, span), probability in zip(found, probabilities, strict=True):
            doc, offset = places[segment]
            predictions[doc].append(Prediction(shift(span, offset), probability))
    for preset, found_in_doc in zip(presets, predictions, strict=True):
        set_before = set(preset.known.entities)
        found_in_doc[:] = sorted(p for p in found_in_doc if p.span not in set_before)
    return predictions


def find_readings(
    scores: TagScores,
    preset: PresetDoc,
    tagset: TagSet,
    k: int,
) -> list[Reading]:
    """Find the k most probable readings of one document.

    scores (TagScores): The scores of the document.
    preset (PresetDoc): What is already set on it.
    tagset (TagSet): The tags.
    k (int): How many.
    RETURNS (list[Reading]): At most k readings, the most probable first.
    """
    per_segment: dict[int, list[Reading]] = {}
    for chain, places in segment_chains(scores, [preset], tagset):
        best = kbest(chain, k)
        log_probabilities = best.scores - log_partition(chain).unsqueeze(1)
        for segment, (_, offset) in enumerate(places):
            valid = best.valid[segment]
            readings = [
                Reading(log_probability, [])
                for log_probability in log_probabilities[segment][valid].tolist()
            ]
            paths = best.paths[segment][valid]
            for rank, span in tagset.spans_of_legal_paths(paths):
                readings[rank].entities.append(shift(span, offset))
            per_segment[offset] = readings
    # Segments are independent of each other: the best readings of the text so far and
    # those of the next segment make the best readings of both.
    combined = [Reading(0.0, [])]
    for offset in sorted(per_segment):
        # The i-th of the one with the j-th of the other has i · j - 1 pairs before it.
        pairs = [
            (left, right)
            for i, left in enumerate(combined, start=1)
            for right in per_segment[offset][: k // i]
        ]
        pairs.sort(key=lambda pair: -sum(reading.log_probability for reading in pair))
        combined = [
            Reading(
                left.log_probability + right.log_probability,
                left.entities + right.entities,
            )
            for left, right in pairs[:k]
        ]
    return combined


def segment_chains(
    scores: TagScores, presets: Sequence[PresetDoc], tagset: TagSet
) -> Iterator[tuple[Chain, list[tuple[int, int]]]]:
    """Put segments into batches, as chains that agree with what is set.

    scores (TagScores): The scores of a batch of documents.
    presets (Sequence[PresetDoc]): What is already set on the documents.
    tagset (TagSet): The tags.
    YIELDS (tuple[Chain, list[tuple[int, int]]]): The scores of some segments, and for
        each the document it is from and its place there.
    """
    device = scores.emissions.device
    allowed = _allowed_tags(presets, tagset, device)
    doc_starts = numpy.cumsum([0, *(len(preset.space) for preset in presets)])
    for batch in batch_segments(
        [preset.ends for preset in presets], device, len(tagset)
    ):
        chain = scores.chain(batch)
        if allowed is not None:
            chain = chain.allowing(allowed[batch.tokens])
        first_tokens = batch.tokens[:, 0].cpu().numpy()
        docs = numpy.searchsorted(doc_starts, first_tokens, side="right") - 1
        offsets = first_tokens - doc_starts[docs]
        yield chain, list(zip(docs.tolist(), offsets.tolist(), strict=True))


def _allowed_tags(
    presets: Sequence[PresetDoc], tagset: TagSet, device: torch.device
) -> Tensor | None:
    """(tokens, N) bool, or None if everything is allowed."""
    if all(preset.known.is_empty() and not preset.space.any() for preset in presets):
        return None
    starting = numpy.zeros(len(tagset), dtype=bool)
    starting[entity_starting_tags(tagset)] = True
    masks = []
    for preset in presets:
        mask = numpy.ones((len(preset.space), len(tagset)), dtype=bool)
        mask[preset.space] = ~starting
        if not preset.known.is_empty():
            known = allowed_tags(preset.known, tagset)
            # What is set may start with whitespace, as it does in spaCy.
            mask = numpy.where(known[:, :1], mask & known, known)
        masks.append(mask)
    return torch.from_numpy(numpy.concatenate(masks)).to(device)


def shift(span: LabelledSpan, offset: int) -> LabelledSpan:
    """RETURNS (LabelledSpan): A span of a segment in terms of the document."""
    return LabelledSpan(span.start + offset, span.end + offset, span.type)
