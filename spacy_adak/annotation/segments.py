"""Cut documents into the pieces that a path runs over, and put pieces into batches.

On a whole document the K best paths would differ in a single place, so the unit of a
path is the sentence, or where there are no sentence bounds a piece of limited length.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy
import torch
from spacy.attrs import IS_PUNCT, IS_SPACE, SENT_START
from spacy.tokens import Doc
from torch import Tensor

# How many positions, padding included, and how many tags of positions go through the
# CRF at a time.
_POSITIONS_PER_BATCH = 16_384
_TAGS_PER_BATCH = 2**23


def longest_segment(n_tags: int, max_length: int) -> int:
    """How long a segment may be where nothing is learnt from it.

    What a path costs is linear in its length, so that a text need not be cut for its
    entities to be found: only where its scores would take too much memory.

    n_tags (int): How many tags a token can have.
    max_length (int): How long a segment may be in training.
    RETURNS (int): The length, not below `max_length`.
    """
    return max(max_length, _TAGS_PER_BATCH // n_tags)


def segment_doc(
    doc: Doc, entities: Iterable[tuple[int, int]], max_length: int
) -> list[int]:
    """Cut a document at its sentence bounds and into pieces of limited length.

    doc (Doc): The document.
    entities (Iterable[tuple[int, int]]): Known entities, which are never cut.
    max_length (int): How long a segment may be, if no known entity is longer.
    RETURNS (list[int]): The end of each segment, in order.
    """
    sentence_starts = doc.to_array(SENT_START) == 1
    if len(doc) <= max_length and not sentence_starts[1:].any():
        return [len(doc)] if len(doc) else []
    breaks = (doc.to_array(IS_SPACE) == 1) | (doc.to_array(IS_PUNCT) == 1)
    return segment_ends(sentence_starts, breaks, entities, max_length)


def segment_ends(
    sentence_starts: numpy.ndarray,
    breaks: numpy.ndarray,
    entities: Iterable[tuple[int, int]],
    max_length: int,
) -> list[int]:
    """Choose where the segments of a document end.

    sentence_starts (ndarray): (L,) bool, tokens that start a sentence.
    breaks (ndarray): (L,) bool, tokens after which a long sentence is best cut.
    entities (Iterable[tuple[int, int]]): Known entities.
    max_length (int): How long a segment may be.
    RETURNS (list[int]): The end of each segment, in order; the last one is L.
    """
    length = len(sentence_starts)
    entity_start = numpy.arange(length + 1)
    for start, end in entities:
        entity_start[start + 1 : end] = start
    sentence_ends = numpy.flatnonzero(sentence_starts[1:]) + 1
    sentence_ends = sentence_ends[entity_start[sentence_ends] == sentence_ends]
    ends: list[int] = []
    start = 0
    for sentence_end in [*sentence_ends.tolist(), length]:
        while sentence_end - start > max_length:
            start = _cut(start, max_length, breaks, entity_start)
            ends.append(start)
            if start == sentence_end:
                break
        if start < sentence_end:
            ends.append(sentence_end)
            start = sentence_end
    return ends


def _cut(
    start: int, max_length: int, breaks: numpy.ndarray, entity_start: numpy.ndarray
) -> int:
    """The best end, at most `max_length` tokens on, of a segment that is too long."""
    latest = start + max_length
    second_half = numpy.arange(start + max_length // 2 + 1, latest + 1)
    outside_entities = second_half[entity_start[second_half] == second_half]
    after_break = outside_entities[breaks[outside_entities - 1]]
    for candidates in (after_break, outside_entities):
        if len(candidates):
            return int(candidates[-1])
    # One entity fills the whole second half: end before it, or else after it.
    before = int(entity_start[latest])
    if before > start:
        return before
    after = latest + 1
    while entity_start[after] != after:
        after += 1
    return after


class SegmentBatch(NamedTuple):
    """Some segments of some documents, all about equally long.

    tokens (Tensor): (B, T) int64, the number of each token among all tokens of the
        documents; zero on padding.
    lengths (Tensor): (B,) int64.
    """

    tokens: Tensor
    lengths: Tensor


def batch_segments(
    ends_per_doc: Sequence[Sequence[int]], device: torch.device, n_tags: int = 1
) -> list[SegmentBatch]:
    """Sort segments by length and put them into batches of a limited size.

    ends_per_doc (Sequence[Sequence[int]]): For each document where its segments end.
    device (torch.device): Where the batches are used.
    n_tags (int): How many tags a token can have.
    RETURNS (list[SegmentBatch]): The batches.
    """
    most_positions = min(_POSITIONS_PER_BATCH, _TAGS_PER_BATCH // n_tags)
    starts, lengths = [], []
    offset = 0
    for ends in ends_per_doc:
        start = 0
        for end in ends:
            starts.append(offset + start)
            lengths.append(end - start)
            start = end
        offset += start
    all_starts, all_lengths = numpy.asarray(starts), numpy.asarray(lengths)
    order = numpy.argsort(all_lengths, kind="stable")
    batches = []
    stop = len(order)
    while stop:
        longest = all_lengths[order[stop - 1]]
        begin = max(0, stop - max(1, most_positions // longest))
        chosen = order[begin:stop]
        positions = numpy.arange(longest)
        index = all_starts[chosen, None] + positions
        index[positions >= all_lengths[chosen, None]] = 0
        batches.append(
            SegmentBatch(
                torch.from_numpy(index).to(device),
                torch.from_numpy(all_lengths[chosen]).to(device),
            )
        )
        stop = begin
    return batches
