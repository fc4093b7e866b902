from itertools import pairwise
from typing import NamedTuple

import numpy
import pytest
import spacy
import torch
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_adak.annotation import segments
from spacy_adak.annotation.segments import batch_segments, segment_doc, segment_ends

VOCAB = spacy.blank("en").vocab


class Case(NamedTuple):
    sentence_starts: numpy.ndarray
    breaks: numpy.ndarray
    entities: list[tuple[int, int]]
    max_length: int

    @property
    def length(self) -> int:
        return len(self.breaks)

    def is_in_entity(self, end: int) -> bool:
        return any(start < end < stop for start, stop in self.entities)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    length = draw(st.integers(1, 30))
    flags = st.lists(st.booleans(), min_size=length, max_size=length)
    cuts = sorted(draw(st.sets(st.integers(0, length), max_size=8)))
    entities = [pair for pair in pairwise(cuts) if draw(st.booleans())]
    many_sentences = draw(st.booleans())
    starts = draw(flags) if many_sentences else [False] * length
    return Case(
        numpy.array(starts),
        numpy.array(draw(flags)),
        entities,
        draw(st.integers(1, 12)),
    )


@given(cases())
def test_segments_cover_the_text_in_order(case: Case) -> None:
    ends = segment_ends(*case)
    assert ends[-1] == case.length
    assert all(left < right for left, right in pairwise([0, *ends]))


@given(cases())
def test_no_known_entity_is_cut(case: Case) -> None:
    assert not any(case.is_in_entity(end) for end in segment_ends(*case))


@given(cases())
def test_segment_is_longer_than_allowed_only_for_one_entity(case: Case) -> None:
    for start, end in pairwise([0, *segment_ends(*case)]):
        if end - start > case.max_length:
            assert (start, end) in case.entities


@given(cases())
def test_segments_end_at_every_sentence_bound_outside_of_entities(case: Case) -> None:
    ends = set(segment_ends(*case))
    for start in numpy.flatnonzero(case.sentence_starts).tolist():
        assert start == 0 or start in ends or case.is_in_entity(start)


@given(cases())
def test_sentence_that_is_short_enough_is_not_cut(case: Case) -> None:
    starts = [0, *(numpy.flatnonzero(case.sentence_starts[1:]) + 1).tolist()]
    bounds = [i for i in [*starts, case.length] if not case.is_in_entity(i)]
    ends = segment_ends(*case)
    for start, end in pairwise(bounds):
        if end - start <= case.max_length:
            assert not any(start < cut < end for cut in ends)


def test_long_sentence_is_cut_after_a_break_in_its_second_half() -> None:
    breaks = numpy.zeros(20, dtype=bool)
    breaks[[2, 7]] = True
    ends = segment_ends(numpy.zeros(20, dtype=bool), breaks, [], 10)
    assert ends == [8, 18, 20]


def test_document_is_cut_at_sentence_starts_and_after_punctuation() -> None:
    words = ["One", "two", ",", "three", "four", "five", "Six", "seven"]
    doc = Doc(VOCAB, words=words, sent_starts=[i in (0, 6) for i in range(8)])
    assert segment_doc(doc, [], 5) == [3, 6, 8]


def test_empty_document_has_no_segments() -> None:
    assert segment_doc(Doc(VOCAB), [], 5) == []


def test_unknown_sentence_starts_are_no_bounds() -> None:
    doc = Doc(VOCAB, words=["a", "b", "c"])
    assert segment_doc(doc, [], 5) == [3]


def test_entity_across_a_sentence_bound_joins_the_sentences() -> None:
    doc = Doc(VOCAB, words=["a", "b", "c", "d"], sent_starts=[1, -1, 1, -1])
    doc.set_ents([Span(doc, 1, 3, label="X")])
    assert segment_doc(doc, [(1, 3)], 10) == [4]


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=4), min_size=1, max_size=5).filter(
        any
    ),
    st.sampled_from([1, 10, 1000]),
)
def test_batches_hold_every_token_once(
    lengths_per_doc: list[list[int]], positions: int
) -> None:
    ends = [numpy.cumsum(lengths).tolist() for lengths in lengths_per_doc]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "_POSITIONS_PER_BATCH", positions)
        batches = batch_segments(ends, torch.device("cpu"))
    seen = []
    for batch in batches:
        longest = int(batch.lengths.max())
        assert len(batch.lengths) * longest <= positions or len(batch.lengths) == 1
        for tokens, length in zip(batch.tokens, batch.lengths, strict=True):
            run = tokens[:length].tolist()
            assert run == list(range(run[0], run[0] + len(run)))
            assert not tokens[length:].any()
            seen += run
    assert sorted(seen) == list(range(sum(map(sum, lengths_per_doc))))
