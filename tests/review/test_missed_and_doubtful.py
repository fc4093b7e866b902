"""What a model would ask a person, beside all paths."""

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_adak.annotation.known import Known, PresetDoc, allowed_tags
from spacy_adak.annotation.segments import batch_segments
from spacy_adak.crf.calibration import IDENTITY, LEAST_FITTED, Calibration
from spacy_adak.crf.chain import Chain
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.head import CRFHead, TagScores
from spacy_adak.review.missed_and_doubtful import (
    find_doubtful,
    find_missed,
    with_alternatives,
)
from tests.crf.brute_force import probabilities

CUT = 3


def make_scores(tagset: TagSet, tokens: int, seed: int) -> TagScores:
    generator = torch.Generator().manual_seed(seed)
    head = CRFHead(4, tagset)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.copy_(2 * torch.randn(parameter.shape, generator=generator))
        scores = head(torch.randn(tokens, 4, generator=generator))
    return TagScores(*(score.detach() for score in scores))


def make_preset(tokens: int, entities: list[LabelledSpan]) -> PresetDoc:
    known = Known(entities, numpy.zeros(tokens, dtype=bool), [])
    return PresetDoc(known, [CUT, tokens], numpy.zeros(tokens, dtype=bool))


def chains(scores: TagScores, tagset: TagSet, known: Known) -> list[Chain]:
    """Each segment as a batch of its own, restricted to what is known."""
    tokens = len(known.outside)
    allowed = torch.from_numpy(allowed_tags(known, tagset))
    result = []
    for start, end in ((0, CUT), (CUT, tokens)):
        (batch,) = batch_segments([[end - start]], torch.device("cpu"))
        batch = batch._replace(tokens=batch.tokens + start)
        result.append(scores.chain(batch).allowing(allowed[batch.tokens]))
    return result


def spans_of(
    chain: Chain, tagset: TagSet, offset: int
) -> dict[tuple[LabelledSpan, ...], float]:
    """All readings of a segment with their probabilities."""
    paths = probabilities(chain, 0)
    return {
        tuple(
            LabelledSpan(s.start + offset, s.end + offset, s.type)
            for s in tagset.decode(path)
        ): p
        for path, p in paths.items()
    }


@settings(max_examples=25)
@given(st.integers(0, 2**16), st.sampled_from(["BIO", "BILUO"]))
def test_missed_entities_and_alternatives_by_brute_force(
    seed: int, scheme: str
) -> None:
    tagset = TagSet(["A"], scheme)
    threshold, tokens = 0.05, CUT + 3
    calibration = Calibration(0.6, 0.5, -0.4)
    annotated = LabelledSpan(1, 2, "A")
    preset = make_preset(tokens, [annotated])
    scores = make_scores(tagset, tokens, seed)
    found = find_missed(
        scores, [preset], [set()], tagset, calibration=calibration, threshold=threshold
    )
    (candidates,) = with_alternatives(scores, [preset], tagset, found, k=100)
    readings = [
        spans_of(chain, tagset, offset)
        for chain, offset in zip(
            chains(scores, tagset, preset.known), (0, CUT), strict=True
        )
    ]
    expected: dict[LabelledSpan, float] = {}
    for segment in readings:
        for spans, p in segment.items():
            for span in spans:
                expected[span] = expected.get(span, 0.0) + p
    expected.pop(annotated)
    assert {c.span for c in candidates} == {
        span for span, p in expected.items() if calibration(p) >= threshold
    }
    for candidate in candidates:
        span = candidate.span
        probability = calibration(expected[span])
        assert candidate.probability == pytest.approx(probability, abs=1e-5)
        others: dict[tuple[LabelledSpan, ...], float] = {}
        for spans, p in readings[span.start >= CUT].items():
            there = tuple(s for s in spans if s.start < span.end and span.start < s.end)
            others[there] = others.get(there, 0.0) + p
        others.pop((span,))
        assert {tuple(a.spans) for a in candidate.alternatives} == set(others)
        # What the candidate leaves over is shared out among all other readings.
        left = 1 - probability
        shared_out = sum(other.probability for other in candidate.alternatives)
        assert shared_out <= left + 1e-5
        # Of a smaller rest the shares are lost in rounding.
        if 1 - expected[span] > 0.001:
            for alternative in candidate.alternatives:
                share = others[tuple(alternative.spans)] / (1 - expected[span])
                assert alternative.probability == pytest.approx(left * share, abs=1e-3)


@settings(max_examples=25)
@given(st.integers(0, 2**16), st.sampled_from(["BIO", "BILUO"]))
def test_doubt_of_an_entity_depends_on_the_other_entities_alone(
    seed: int, scheme: str
) -> None:
    tagset = TagSet(["A", "B"], scheme)
    tokens = CUT + 3
    entities = [
        LabelledSpan(0, 1, "A"),
        LabelledSpan(1, 2, "A"),
        LabelledSpan(3, 5, "B"),
    ]
    preset = make_preset(tokens, entities)
    scores = make_scores(tagset, tokens, seed)
    (candidates,) = find_doubtful(
        scores, [preset], tagset, calibration=IDENTITY, highest=1.0, k=0
    )
    assert [candidate.span for candidate in candidates] == entities
    for candidate in candidates:
        others = [entity for entity in entities if entity != candidate.span]
        known = preset.known._replace(entities=others)
        segment = int(candidate.span.start >= CUT)
        chain = chains(scores, tagset, known)[segment]
        readings = spans_of(chain, tagset, CUT * segment)
        expected = sum(p for spans, p in readings.items() if candidate.span in spans)
        assert candidate.probability == pytest.approx(expected, abs=1e-5)


def test_only_what_the_model_contradicts_is_doubtful() -> None:
    tagset = TagSet(["A"])
    preset = make_preset(5, [LabelledSpan(0, 1, "A"), LabelledSpan(4, 5, "A")])
    scores = make_scores(tagset, 5, 0)
    emissions = torch.zeros_like(scores.emissions)
    emissions[0, tagset.index["U-A"]] = 9.0
    emissions[4, 0] = 9.0
    scores = TagScores(emissions, *(torch.zeros_like(s) for s in scores[1:]))
    legal = CRFHead(4, tagset)
    scores = scores._replace(
        transitions=scores.transitions.masked_fill(
            legal.illegal_transitions, float("-inf")
        ),
        start=scores.start.masked_fill(legal.illegal_start, float("-inf")),
        end=scores.end.masked_fill(legal.illegal_end, float("-inf")),
    )
    (candidates,) = find_doubtful(
        scores, [preset], tagset, calibration=IDENTITY, highest=0.05, k=5
    )
    assert [c.span for c in candidates] == [LabelledSpan(4, 5, "A")]
    assert candidates[0].alternatives[0].spans == []


def test_calibration_suggests_nothing_it_was_not_fitted_to() -> None:
    tagset = TagSet(["A"])
    scores, preset = make_scores(tagset, 5, 1), make_preset(5, [])

    def lowest(calibration: Calibration) -> float:
        (found,) = find_missed(
            scores, [preset], [set()], tagset, calibration=calibration, threshold=0.1
        )
        return min(calibration.inverse(c.probability) for c in found)

    # It would make 10 % of one in a million.
    assert lowest(Calibration(0.1, 1.0, 0.5)) >= LEAST_FITTED
    assert lowest(IDENTITY) >= 0.1


def test_what_was_ruled_out_is_not_asked_again() -> None:
    tagset = TagSet(["A"])
    scores = make_scores(tagset, 5, 1)
    preset = make_preset(5, [])

    def spans(ruled_out: set[LabelledSpan]) -> set[LabelledSpan]:
        (found,) = find_missed(
            scores, [preset], [ruled_out], tagset, calibration=IDENTITY, threshold=0.01
        )
        return {candidate.span for candidate in found}

    every = spans(set())
    one = min(every)
    assert spans({one}) == every - {one}
