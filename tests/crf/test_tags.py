from itertools import pairwise, product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.tags import LabelledSpan, TagSet, may_follow, tags_to_spans

from .brute_force import as_matrix


def test_outside_is_tag_zero() -> None:
    assert TagSet(["PER", "LOC"], "BIO").tags == (
        "O",
        "B-PER",
        "I-PER",
        "B-LOC",
        "I-LOC",
    )


def test_biluo_has_four_tags_per_type() -> None:
    assert TagSet(["PER"]).tags == ("O", "B-PER", "I-PER", "L-PER", "U-PER")


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_masks_are_those_of_round_trip_sequences(scheme: str) -> None:
    """A sequence is legal exactly if reading it and writing it changes nothing."""
    tagset = TagSet(["X", "Y"], scheme)
    starts, moves, ends = (
        tagset.legal_starts(),
        tagset.legal_transitions(),
        tagset.legal_ends(),
    )
    for tags in product(range(len(tagset)), repeat=3):
        legal = bool(
            starts[tags[0]]
            and ends[tags[-1]]
            and all(moves[a, b] for a, b in pairwise(tags))
        )
        spans = tagset.decode(tags, illegal="repair")
        assert legal == (tagset.encode(spans, 3) == list(tags))


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("types", [[], ["X"], ["X", "Y", "Z-X", "B"]])
def test_legal_moves_are_those_of_single_tags(scheme: str, types: list[str]) -> None:
    tagset = TagSet(types, scheme)
    assert tagset.legal_transitions().tolist() == [
        [may_follow(left, right, scheme) for right in tagset.tags]
        for left in tagset.tags
    ]


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
@pytest.mark.parametrize("types", [["X"], ["X", "Y", "Z-X"]])
def test_legal_moves_by_type_are_those_of_single_tags(
    scheme: str, types: list[str]
) -> None:
    tagset = TagSet(types, scheme)
    rows = tagset.legal_transitions_by_type()
    scores = torch.zeros(rows.shape).masked_fill(~rows, -torch.inf)
    assert torch.equal(as_matrix(scores).isfinite(), tagset.legal_transitions())


@pytest.mark.parametrize("scheme", ["BIO", "BILUO"])
def test_adjacent_entities_of_one_type_stay_apart(scheme: str) -> None:
    tagset = TagSet(["X"], scheme)
    spans = [LabelledSpan(0, 2, "X"), LabelledSpan(2, 3, "X"), LabelledSpan(3, 6, "X")]
    assert tagset.decode(tagset.encode(spans, 7)) == spans


@st.composite
def sentences(draw: st.DrawFn) -> tuple[TagSet, list[list[LabelledSpan]], int]:
    """Entities of some sentences, none longer than the number of tokens given."""
    tagset = TagSet(["X", "Y"], draw(st.sampled_from(["BIO", "BILUO"])))
    kinds = st.sampled_from([None, *tagset.types])
    batch = []
    for _ in range(draw(st.integers(1, 3))):
        pieces = draw(st.lists(st.tuples(kinds, st.integers(1, 3)), max_size=4))
        spans, start = [], 0
        for kind, size in pieces:
            if kind is not None:
                spans.append(LabelledSpan(start, start + size, kind))
            start += size
        batch.append(spans)
    longest = max((spans[-1].end for spans in batch if spans), default=1)
    return tagset, batch, longest + draw(st.integers(0, 2))


@given(sentences())
def test_batch_of_legal_paths_is_read_as_each_path_alone(
    case: tuple[TagSet, list[list[LabelledSpan]], int],
) -> None:
    tagset, batch, length = case
    paths = torch.tensor([tagset.encode(spans, length) for spans in batch])
    expected = [
        (row, span) for row, path in enumerate(paths) for span in tagset.decode(path)
    ]
    assert tagset.spans_of_legal_paths(paths) == expected


def test_illegal_sequence_is_an_error_that_names_the_token() -> None:
    with pytest.raises(ValueError, match=r"A003.*'I-X' after 'O' \(token 2\)"):
        tags_to_spans(["B-X", "O", "I-X"], "BIO")


def test_unfinished_entity_is_an_error_under_biluo() -> None:
    with pytest.raises(ValueError, match=r"A003.*'the end' after 'B-X'"):
        tags_to_spans(["O", "B-X"], "BILUO")


@pytest.mark.parametrize(
    ("tags", "scheme", "spans"),
    [
        (["O", "I-X", "I-X"], "BIO", [(1, 3, "X")]),
        (["B-X", "I-Y", "O"], "BIO", [(0, 1, "X"), (1, 2, "Y")]),
        (["B-X", "O", "L-X"], "BILUO", [(0, 1, "X"), (2, 3, "X")]),
        (["B-X", "I-X"], "BILUO", [(0, 2, "X")]),
        (["U-X", "L-X"], "BILUO", [(0, 1, "X"), (1, 2, "X")]),
    ],
)
def test_repair_reads_an_illegal_sequence_as_conlleval(
    tags: list[str], scheme: str, spans: list[tuple[int, int, str]]
) -> None:
    assert tags_to_spans(tags, scheme, illegal="repair") == spans


def test_type_names_may_contain_hyphens() -> None:
    spans = [LabelledSpan(0, 2, "WORK-OF-ART")]
    tagset = TagSet(["WORK-OF-ART"])
    assert tagset.decode(tagset.encode(spans, 2)) == spans


def test_end_of_entity_is_said_by_the_next_tag_under_bio_only() -> None:
    bio, biluo = TagSet(["X"], "BIO"), TagSet(["X"], "BILUO")
    assert bio.tag_after_span_that_extends_it("X") == bio.index["I-X"]
    assert biluo.tag_after_span_that_extends_it("X") is None
    assert may_follow("B-X", "I-X", "BIO")
    assert not may_follow("L-X", "I-X", "BILUO")


@pytest.mark.parametrize("types", [["X", "X"], [""]])
def test_types_must_be_named_once(types: list[str]) -> None:
    with pytest.raises(ValueError, match="A002"):
        TagSet(types)


def test_unknown_scheme_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"A001.*'IOBES'.*BIO, BILUO"):
        TagSet(["X"], "IOBES")


@pytest.mark.parametrize("span", [(2, 2, "X"), (-1, 1, "X"), (1, 4, "X")])
def test_span_outside_the_sentence_is_refused(span: tuple[int, int, str]) -> None:
    with pytest.raises(ValueError, match="A004"):
        TagSet(["X"]).encode([LabelledSpan(*span)], 3)


def test_overlapping_spans_are_refused() -> None:
    with pytest.raises(ValueError, match="A005"):
        TagSet(["X"]).encode([LabelledSpan(0, 2, "X"), LabelledSpan(1, 3, "X")], 3)
