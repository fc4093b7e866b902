from itertools import product
from math import exp

import numpy
import pytest
import torch

from spacy_adak.annotation.known import Known, PresetDoc
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.recognition import Prediction, find_entities, find_readings

from .listing import Reading, probabilities, random_scores, tokens_of

SCHEMES = ["BIO", "BILUO"]


def preset(
    length: int,
    ends: list[int] | None = None,
    entities: list[LabelledSpan] | None = None,
    outside: list[int] | None = None,
    space: list[int] | None = None,
) -> PresetDoc:
    masks = numpy.zeros((2, length), dtype=bool)
    masks[0, outside or []] = True
    masks[1, space or []] = True
    known = Known(entities or [], masks[0], [])
    return PresetDoc(known, ends or [length], masks[1])


def spans_of(found: list[Prediction]) -> Reading:
    return tuple(prediction.span for prediction in found)


def shifted(reading: Reading, offset: int) -> Reading:
    return tuple(LabelledSpan(s + offset, e + offset, t) for s, e, t in reading)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_entities_are_those_of_the_most_probable_reading(
    scheme: str, seed: int
) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4, seed)
    p = probabilities(scores, tagset)
    (found,) = find_entities(scores, [preset(4)], tagset, True)
    assert spans_of(found) == max(p, key=lambda reading: p[reading])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_probability_is_that_of_all_readings_with_the_span(
    scheme: str, seed: int
) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4, seed)
    p = probabilities(scores, tagset)
    (found,) = find_entities(scores, [preset(4)], tagset, True)
    for span, probability in found:
        assert probability == pytest.approx(sum(p[r] for r in p if span in r))


def test_probabilities_are_left_out_unless_asked_for() -> None:
    tagset = TagSet(["X"])
    (found,) = find_entities(random_scores(tagset, 6), [preset(6)], tagset, False)
    assert found
    assert all(prediction.probability is None for prediction in found)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_what_is_set_is_kept_and_the_rest_read_given_that(
    scheme: str, seed: int
) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 4, seed)
    ours = LabelledSpan(1, 2, "X")
    allowed = {
        reading
        for reading in probabilities(scores, tagset)
        if ours in reading and not any(s.start <= 3 < s.end for s in reading)
    }
    p = probabilities(scores, tagset, allowed)
    (found,) = find_entities(
        scores, [preset(4, entities=[ours], outside=[3])], tagset, True
    )
    best = max(p, key=lambda reading: p[reading])
    assert spans_of(found) == tuple(span for span in best if span != ours)
    for span, probability in found:
        assert probability == pytest.approx(sum(p[r] for r in p if span in r))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(5))
def test_no_entity_starts_with_whitespace(scheme: str, seed: int) -> None:
    tagset = TagSet(["X"], scheme)
    scores = random_scores(tagset, 4, seed)
    allowed = {
        reading
        for reading in probabilities(scores, tagset)
        if not any(span.start in (0, 2) for span in reading)
    }
    p = probabilities(scores, tagset, allowed)
    (found,) = find_entities(scores, [preset(4, space=[0, 2])], tagset, True)
    assert spans_of(found) == max(p, key=lambda reading: p[reading])


def test_entity_that_is_set_may_start_with_whitespace() -> None:
    tagset = TagSet(["X"])
    scores = random_scores(tagset, 3)
    ours = LabelledSpan(0, 2, "X")
    documents = [preset(3, entities=[ours], space=[0])]
    (reading,) = find_readings(scores, documents[0], tagset, 1)
    assert ours in reading.entities


def test_segments_are_read_one_by_one_and_joined() -> None:
    tagset = TagSet(["X", "Y"])
    scores = random_scores(tagset, 7, seed=3)
    (found,) = find_entities(scores, [preset(7, [3, 7])], tagset, True)
    expected: Reading = ()
    for start, end in [(0, 3), (3, 7)]:
        p = probabilities(tokens_of(scores, start, end), tagset)
        expected += shifted(max(p, key=lambda reading: p[reading]), start)
    assert spans_of(found) == expected


def test_documents_are_read_the_same_alone_and_in_any_batch() -> None:
    tagset = TagSet(["X", "Y"])
    generator = numpy.random.default_rng(0)
    lengths = [5, 1, 12, 3, 30, 7]
    scores = [random_scores(tagset, n, seed) for seed, n in enumerate(lengths)]
    # Transitions belong to the model, not to the document.
    scores = [s._replace(**shared_moves(scores[0])) for s in scores]
    presets = [preset(n, sorted({(n + 1) // 2, n})) for n in lengths]
    alone = [
        find_entities(s, [p], tagset, True)[0]
        for s, p in zip(scores, presets, strict=True)
    ]
    for _ in range(3):
        order = generator.permutation(len(lengths)).tolist()
        batch = scores[0]._replace(
            emissions=torch.cat([scores[i].emissions for i in order])
        )
        found = find_entities(batch, [presets[i] for i in order], tagset, True)
        for i, together in zip(order, found, strict=True):
            assert spans_of(together) == spans_of(alone[i])
            assert [p.probability for p in together] == pytest.approx(
                [p.probability for p in alone[i]], abs=1e-9
            )


def shared_moves(scores: TagScores) -> dict[str, torch.Tensor]:
    return {name: getattr(scores, name) for name in ("transitions", "start", "end")}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_all_readings_of_one_segment_are_found_in_order(scheme: str) -> None:
    tagset = TagSet(["X", "Y"], scheme)
    scores = random_scores(tagset, 3)
    p = probabilities(scores, tagset)
    readings = find_readings(scores, preset(3), tagset, 10_000)
    assert [tuple(r.entities) for r in readings] == sorted(p, key=lambda r: -p[r])
    for reading in readings:
        expected = p[tuple(reading.entities)]
        assert exp(reading.log_probability) == pytest.approx(expected)


@pytest.mark.parametrize("k", [1, 4, 10_000])
def test_readings_of_several_segments_multiply(k: int) -> None:
    tagset = TagSet(["X"])
    scores = random_scores(tagset, 6)
    bounds = [(0, 2), (2, 3), (3, 6)]
    parts = [probabilities(tokens_of(scores, *bound), tagset) for bound in bounds]
    expected = {}
    for readings in product(*parts):
        joined: Reading = ()
        probability = 1.0
        for part, reading, (start, _) in zip(parts, readings, bounds, strict=True):
            joined += shifted(reading, start)
            probability *= part[reading]
        expected[joined] = probability
    found = find_readings(scores, preset(6, [2, 3, 6]), tagset, k)
    best = sorted(expected.values(), reverse=True)[:k]
    assert [exp(r.log_probability) for r in found] == pytest.approx(best)
    for reading in found:
        probability = expected[tuple(reading.entities)]
        assert exp(reading.log_probability) == pytest.approx(probability)
