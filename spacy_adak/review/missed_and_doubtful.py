"""What a model thinks of texts that are partly annotated: entities that nobody has
annotated, and annotated ones that it contradicts.

All probabilities are exact under the model, given what else is known of the text, and
then calibrated.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy
import torch

from ..annotation.known import PresetDoc, allowed_tags, tagged_spans
from ..annotation.segments import batch_segments
from ..crf.calibration import LEAST_FITTED, Calibration
from ..crf.chain import Chain
from ..crf.decode import kbest
from ..crf.spans import TaggedSpan, probable_spans, span_log_probabilities
from ..crf.tags import LabelledSpan, TagSet
from ..pipeline.head import TagScores
from ..pipeline.recognition import segment_chains, shift

# How many chains of a segment are compared at a time, each without another entity.
_CHAINS_AT_A_TIME = 256


class OtherReading(NamedTuple):
    """Another way to read the tokens of a span.

    probability (float): How probable it is that a text is read like this there.
    spans (list[LabelledSpan]): The entities that share tokens with the span; nothing
        if there is no entity.
    """

    probability: float
    spans: list[LabelledSpan]

    def shifted(self, offset: int) -> "OtherReading":
        """RETURNS (OtherReading): The same for a segment that begins at an offset."""
        return self._replace(spans=[shift(span, offset) for span in self.spans])


class Candidate(NamedTuple):
    """A span that a person may decide about.

    span (LabelledSpan): Where and what.
    probability (float): The probability of exactly this span with this label.
    alternatives (list[OtherReading]): What other readings have there, the most
        probable first.
    """

    span: LabelledSpan
    probability: float
    alternatives: list[OtherReading]


def find_missed(
    scores: TagScores,
    presets: Sequence[PresetDoc],
    ruled_out: Sequence[set[LabelledSpan]],
    tagset: TagSet,
    *,
    calibration: Calibration,
    threshold: float,
) -> list[list[Candidate]]:
    """Find entities that nobody has annotated, on the best path or not.

    scores (TagScores): The scores of a batch of documents.
    presets (Sequence[PresetDoc]): What is known of each.
    ruled_out (Sequence[set[LabelledSpan]]): What was decided before not to be one.
    tagset (TagSet): The tags.
    calibration (Calibration): What probabilities are calibrated by.
    threshold (float): The lowest probability of an entity that is worth a question.
    RETURNS (list[list[Candidate]]): For each document what was found, in order.
    """
    found: list[list[Candidate]] = [[] for _ in presets]
    # What a calibration was not fitted to may be as improbable as the model says.
    least = max(calibration.inverse(threshold), min(threshold, LEAST_FITTED))
    for chain, places in segment_chains(scores, presets, tagset):
        for row, local, probability in probable_spans(chain, tagset, least):
            doc, offset = places[row]
            span = shift(local, offset)
            if span not in presets[doc].known.entities and span not in ruled_out[doc]:
                found[doc].append(Candidate(span, calibration(probability), []))
    return [sorted(candidates) for candidates in found]


def with_alternatives(
    scores: TagScores,
    presets: Sequence[PresetDoc],
    tagset: TagSet,
    candidates: Sequence[Sequence[Candidate]],
    *,
    k: int,
) -> list[list[Candidate]]:
    """Look for what else there may be in the place of each candidate.

    scores (TagScores): The scores of a batch of documents.
    presets (Sequence[PresetDoc]): What is known of each.
    tagset (TagSet): The tags.
    candidates (Sequence[Sequence[Candidate]]): The candidates in each document.
    k (int): In how many of the best readings of a sentence to look.
    RETURNS (list[list[Candidate]]): The candidates with alternatives.
    """
    found: list[list[Candidate]] = [[] for _ in presets]
    for chain, places in segment_chains(scores, presets, tagset):
        lengths = chain.lengths.tolist()
        inside = [
            (row, candidate)
            for row, (doc, offset) in enumerate(places)
            for candidate in candidates[doc]
            if offset <= candidate.span.start < offset + lengths[row]
        ]
        local = [
            (row, c._replace(span=shift(c.span, -places[row][1]))) for row, c in inside
        ]
        others = _find_alternatives(chain, local, tagset, k)
        for (row, candidate), alternatives in zip(inside, others, strict=True):
            doc, offset = places[row]
            shifted = [alternative.shifted(offset) for alternative in alternatives]
            found[doc].append(candidate._replace(alternatives=shifted))
    return [sorted(in_doc) for in_doc in found]


def find_doubtful(
    scores: TagScores,
    presets: Sequence[PresetDoc],
    tagset: TagSet,
    *,
    calibration: Calibration,
    highest: float,
    k: int,
) -> list[list[Candidate]]:
    """Find annotated entities that the model would not have there. What it thinks of
    an entity must not depend on the annotation of that entity, but may depend on all
    the others.

    scores (TagScores): The scores of a batch of documents.
    presets (Sequence[PresetDoc]): What is known of each.
    tagset (TagSet): The tags.
    calibration (Calibration): What probabilities are calibrated by.
    highest (float): The highest probability of an entity that is doubtful.
    k (int): How many of the best readings of a sentence to search for alternatives.
    RETURNS (list[list[Candidate]]): For each document what was found, in order.
    """
    found: list[list[Candidate]] = [[] for _ in presets]
    for chain, doc, offset, spans in _without_each_entity(scores, presets, tagset):
        rows = list(enumerate(spans))
        exact = span_log_probabilities(chain, tagged_spans(rows, tagset)).exp().tolist()
        doubtful = [
            (row, Candidate(span, calibration(exact[row]), []))
            for row, span in rows
            if calibration(exact[row]) <= highest
        ]
        others = _find_alternatives(chain, doubtful, tagset, k)
        for (_, candidate), alternatives in zip(doubtful, others, strict=True):
            span = shift(candidate.span, offset)
            shifted = [alternative.shifted(offset) for alternative in alternatives]
            found[doc].append(Candidate(span, candidate.probability, shifted))
    return [sorted(candidates) for candidates in found]


def _without_each_entity(
    scores: TagScores, presets: Sequence[PresetDoc], tagset: TagSet
) -> Iterator[tuple[Chain, int, int, list[LabelledSpan]]]:
    """For each segment with entities its document, its place there, these entities, and
    a batch of chains: the segment as if one of them, in turn, was not annotated."""
    device = scores.emissions.device
    first_token = 0
    for doc, preset in enumerate(presets):
        known = preset.known
        start = 0
        for end in preset.ends:
            inside = [e for e in known.entities if start <= e.start and e.end <= end]
            for i in range(0, len(inside), _CHAINS_AT_A_TIME):
                chosen = inside[i : i + _CHAINS_AT_A_TIME]
                (batch,) = batch_segments([[end - start]], device)
                batch = batch._replace(tokens=batch.tokens + first_token + start)
                copies = torch.zeros(len(chosen), dtype=torch.long, device=device)
                masks = []
                for entity in chosen:
                    allowed = allowed_tags(known.without(entity), tagset)
                    masks.append(allowed[start:end])
                chain = scores.chain(batch).pick(copies)
                mask = torch.from_numpy(numpy.stack(masks)).to(device)
                spans = [shift(entity, -start) for entity in chosen]
                yield chain.allowing(mask), doc, start, spans
            start = end
        first_token += len(known.outside)


def _find_alternatives(
    chain: Chain, candidates: Sequence[tuple[int, Candidate]], tagset: TagSet, k: int
) -> list[list[OtherReading]]:
    """What the K best readings have in place of each candidate. What its probability
    leaves over is shared out as the model has it: not only in these readings, but in
    all."""
    found: list[list[OtherReading]] = [[] for _ in candidates]
    if not candidates or k < 1:
        return found
    rows = sorted({row for row, _ in candidates})
    picked = chain.pick(torch.tensor(rows, device=chain.emissions.device))
    best = kbest(picked, k)
    readings: dict[int, list[tuple[list[int], list[LabelledSpan]]]] = {}
    for place, row in enumerate(rows):
        paths = best.paths[place][best.valid[place]].tolist()
        readings[row] = [(path, tagset.decode(path)) for path in paths]
    own = tagged_spans([(row, candidate.span) for row, candidate in candidates], tagset)
    runs: list[TaggedSpan] = []
    owners: list[tuple[int, list[LabelledSpan]]] = []
    for i, (row, (span, _, _)) in enumerate(candidates):
        seen: list[list[LabelledSpan]] = [[span]]
        for path, entities in readings[row]:
            there = [e for e in entities if e.start < span.end and span.start < e.end]
            if there in seen:
                continue
            seen.append(there)
            start = min([span.start, *(e.start for e in there)])
            end = max([span.end, *(e.end for e in there)])
            # An entity at the end must not go on; one of BIO would do so by I.
            last = there[-1] if there and there[-1].end == end else None
            longer = last and tagset.tag_after_span_that_extends_it(last.type)
            runs.append(TaggedSpan(row, start, path[start:end], longer))
            owners.append((i, there))
    exact = span_log_probabilities(chain, [*own, *runs]).exp().tolist()
    for (i, there), value in zip(owners, exact[len(own) :], strict=True):
        found[i].append(OtherReading(value, there))
    for i, readings_there in enumerate(found):
        # Where the model is sure, what it leaves over is hardly more than rounding.
        others = max(
            1 - exact[i], sum(reading.probability for reading in readings_there)
        )
        share = (1 - candidates[i][1].probability) / others if others > 0 else 0.0
        found[i] = sorted(
            (OtherReading(share * p, there) for p, there in readings_there),
            key=lambda other: -other.probability,
        )
    return found
