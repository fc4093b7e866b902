"""What guesses say of the paths of a text, path by path."""

import itertools
from pathlib import Path

import numpy
import pytest

from spacy_adak.annotation.known import Known
from spacy_adak.crf.tags import LabelledSpan, TagSet, may_follow
from spacy_adak.data.guesses import Guess
from spacy_adak.q.first_q import first_q, q_of_guesses
from spacy_adak.q.guess_evidence import (
    Evidence,
    GuessedSpan,
    evidence_of,
    read_evidence,
    write_evidence,
)
from spacy_adak.q.guess_precision import log_odds
from spacy_adak.q.guess_trust import Trust

LENGTH = 4
WORDS = ["a", "b", "c", "d"]
EVIDENCE = Evidence(
    [
        GuessedSpan(LabelledSpan(0, 1, "PER"), 2.0, 0.8),
        GuessedSpan(LabelledSpan(1, 4, "ORG"), 3.0, 0.7),
    ],
    {"PER": -0.5, "ORG": -0.2},
)
SCHEMES = ("BIO", "BILUO")


def legal_paths(tagset: TagSet) -> list[tuple[int, ...]]:
    return [
        path
        for path in itertools.product(range(len(tagset)), repeat=LENGTH)
        if all(
            may_follow(left, right, tagset.scheme)
            for left, right in itertools.pairwise(
                [None, *(tagset.tags[tag] for tag in path), None]
            )
        )
    ]


def gain(path: tuple[int, ...], tagset: TagSet, evidence: Evidence) -> float:
    """What a path gains by its entities."""
    total = sum(evidence.missed[e.type] for e in tagset.decode(path))
    for guess in evidence.spans:
        start, end, label = guess.span
        tags = tagset.span_tags(label, end - start)
        same = sum(a == b for a, b in zip(path[start:end], tags, strict=True))
        more = guess.log_ratio - evidence.missed[label]
        total += more * same / (end - start)
    return total


@pytest.mark.parametrize("scheme", SCHEMES)
def test_each_path_gains_by_its_entities(scheme: str) -> None:
    tagset = TagSet(["PER", "ORG"], scheme)
    weights = EVIDENCE.weights(LENGTH, tagset)
    for path in legal_paths(tagset):
        found = weights[range(LENGTH), path].sum()
        assert found == pytest.approx(gain(path, tagset, EVIDENCE))


def test_path_of_guesses_gains_all_they_weigh() -> None:
    tagset = TagSet(["PER", "ORG"])
    weights = EVIDENCE.weights(LENGTH, tagset)
    spans = [guess.span for guess in EVIDENCE.spans]
    path = tagset.encode(spans, LENGTH)
    assert weights[range(LENGTH), path].sum() == pytest.approx(5.0)
    assert weights[:, 0].tolist() == [0.0] * LENGTH


def test_only_guessers_that_hardly_ever_err_give_hints() -> None:
    tagset = TagSet(["PER", "ORG"])
    sure, unlikely, known = (LabelledSpan(i, i + 1, "PER") for i in range(3))
    evidence = Evidence(
        [
            GuessedSpan(sure, 6.0, 0.95),
            # Far more often right than by chance, and still often wrong.
            GuessedSpan(unlikely, 4.0, 0.7),
            # Right, but nearly as sure without the guess.
            GuessedSpan(known, 0.1, 0.95),
        ],
        {"PER": -2.0, "ORG": -3.0},
    )
    hints = evidence.hints(LENGTH, tagset)
    tag = tagset.span_tags("PER", 1)[0]
    assert hints[:3, tag] == pytest.approx([log_odds(0.95), 0.0, 0.1])
    # That these guessers miss an entity of type ORG is as rare.
    starting = tagset.span_tags("ORG", 1)[0]
    assert hints[:, starting].tolist() == [-3.0] * LENGTH
    assert hints[3, tag] == 0


def test_evidence_is_read_as_it_was_written(tmp_path: Path) -> None:
    shard = tmp_path / "shard.spacy"
    assert read_evidence(tmp_path, shard) == []
    # Some readers of JSON change the last digit of others.
    span = GuessedSpan(LabelledSpan(0, 1, "PER"), 2.5, 0.75)
    evidence = [Evidence([span], {"PER": -0.5}), Evidence([], {})]
    write_evidence(tmp_path, shard, evidence)
    assert read_evidence(tmp_path, shard) == evidence


@pytest.mark.parametrize("scheme", SCHEMES)
def test_first_q_is_the_likelihood_of_annotation_with_hints(scheme: str) -> None:
    tagset = TagSet(["PER", "ORG"], scheme)
    known = Known(
        [LabelledSpan(0, 1, "ORG")], numpy.array([False, False, False, True]), []
    )
    recall = 0.3
    sure = [guess._replace(probability=0.95) for guess in EVIDENCE.spans]
    hints = EVIDENCE._replace(spans=sure).hints(LENGTH, tagset)
    q = first_q(known, numpy.full(LENGTH, recall), tagset, hints)
    for path in legal_paths(tagset):
        entities = tagset.decode(path)
        is_allowed = known.entities[0] in entities and path[-1] == 0
        found = q.nodes[range(LENGTH), path].sum()
        if not is_allowed:
            assert found == -numpy.inf
            continue
        # Where it is annotated nothing is left to guess; all else counts as it is.
        expected = sum(hints[i, path[i]] for i in (1, 2))
        expected += (len(entities) - 1) * numpy.log(1 - recall)
        assert found == pytest.approx(expected, abs=1e-5)


def test_q_of_guesses_has_what_is_guessed_with_its_odds() -> None:
    tagset = TagSet(["PER", "ORG"])
    known = Known([], numpy.zeros(LENGTH, dtype=bool), [])
    q = q_of_guesses(known, EVIDENCE, tagset)
    possible = {}
    for path in legal_paths(tagset):
        weight = q.nodes[range(LENGTH), path].sum()
        if weight > -numpy.inf:
            possible[tuple(tagset.decode(path))] = weight
    first, second = (guess.span for guess in EVIDENCE.spans)
    odds = log_odds(0.8), log_odds(0.7)
    assert possible == {
        (): 0.0,
        (first,): pytest.approx(odds[0], abs=1e-6),
        (second,): pytest.approx(odds[1], abs=1e-6),
        (first, second): pytest.approx(sum(odds), abs=1e-6),
    }


def test_guesses_of_a_type_without_evidence_against_it_gain_what_they_weigh() -> None:
    tagset = TagSet(["PER", "ORG"])
    weights = EVIDENCE._replace(missed={}).weights(LENGTH, tagset)
    guessed = tagset.encode([guess.span for guess in EVIDENCE.spans], LENGTH)
    assert weights[range(LENGTH), guessed].tolist() == pytest.approx([2.0, 1, 1, 1])
    weights[range(LENGTH), guessed] = 0.0
    assert not weights.any()


def test_unlikely_guesses_are_no_candidates() -> None:
    spans = [
        GuessedSpan(LabelledSpan(i, i + 1, "PER"), 0.0, probability)
        for i, probability in enumerate([0.04, 0.06, 0.05])
    ]
    assert Evidence(spans, {}).likely_spans() == [spans[1].span, spans[2].span]


def test_evidence_is_that_of_all_who_guess_a_span() -> None:
    a, b = ("a", -1), ("b", -1)
    trust = Trust(
        [],
        {},
        {
            (frozenset([a]), "PER", 1): (1.0, 0.5),
            (frozenset([a, b]), "PER", 1): (2.0, 0.7),
        },
        {(frozenset([a]), "PER", "Eva"): (3.0, 0.8)},
        {(frozenset("ab"), "PER"): -0.4, (frozenset("a"), "PER"): -0.3},
    )
    tagset = TagSet(["PER"])
    both, other, form = (Guess(i, i + 1, "PER") for i in (0, 2, 3))
    guesses = {"a": [both, other, form], "b": [both, Guess(3, 4, "UNKNOWN")]}
    words = ["Ann", "saw", "Ben", "Eva"]
    unknown = Known([], numpy.zeros(LENGTH, dtype=bool), [])
    evidence = evidence_of(trust, guesses, words, unknown, tagset)
    assert evidence.spans == [
        GuessedSpan(LabelledSpan(0, 1, "PER"), 2.0, 0.7),
        GuessedSpan(LabelledSpan(2, 3, "PER"), 1.0, 0.5),
        GuessedSpan(LabelledSpan(3, 4, "PER"), 3.0, 0.8),
    ]
    assert evidence.missed == {"PER": -0.4}
    assert evidence_of(trust, {}, words, unknown, tagset).missed == {}


def test_guess_that_annotation_contradicts_is_no_evidence() -> None:
    a = ("a", -1)
    lengths = {(frozenset([a]), "PER", length): (1.0, 0.5) for length in (1, 2)}
    trust = Trust([], {}, lengths, {}, {})
    tagset = TagSet(["PER", "ORG"])
    guesses = {"a": [Guess(0, 2, "PER"), Guess(1, 3, "PER"), Guess(3, 4, "PER")]}
    annotated = LabelledSpan(2, 3, "ORG")
    known = Known([annotated], numpy.zeros(LENGTH, dtype=bool), [])
    evidence = evidence_of(trust, guesses, WORDS, known, tagset)
    assert [guess.span.start for guess in evidence.spans] == [0, 3]


def test_guess_of_a_type_that_the_model_does_not_have_is_no_evidence() -> None:
    voices = frozenset([("a", -1)])
    precision = {(voices, label, 1): (1.0, 0.5) for label in ("PER", "ORG")}
    trust = Trust([], {}, precision, {}, {})
    guesses = {"a": [Guess(0, 1, "PER"), Guess(1, 2, "ORG")]}
    known = Known([], numpy.zeros(LENGTH, dtype=bool), [])
    evidence = evidence_of(trust, guesses, WORDS, known, TagSet(["PER"]))
    assert [guess.span for guess in evidence.spans] == [LabelledSpan(0, 1, "PER")]
