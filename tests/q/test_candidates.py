from collections import Counter
from pathlib import Path

import numpy
import torch

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.q.candidates import (
    Dictionary,
    candidate_mask,
    tags_on_best_paths,
)
from spacy_adak.shards.checkpoint import write_jsonl

TAGS = TagSet(["LOC", "PER"], "BIO")
OUT, B_LOC, I_LOC, B_PER, I_PER = range(5)


def test_tags_are_in_the_order_that_these_tests_assume() -> None:
    assert TAGS.tags == ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")


def test_dictionary_keeps_what_was_found_more_often_than_c() -> None:
    counts = Counter({(("Rome",), "LOC"): 3, (("Oslo",), "LOC"): 2})
    assert Dictionary.from_counts(counts, 2).types == {("Rome",): "LOC"}


def test_most_frequent_type_wins() -> None:
    counts = Counter({(("Paris",), "PER"): 4, (("Paris",), "LOC"): 3})
    assert Dictionary.from_counts(counts, 2).types == {("Paris",): "PER"}


def test_types_of_one_entity_are_counted_together() -> None:
    counts = Counter({(("Paris",), "PER"): 2, (("Paris",), "LOC"): 2})
    assert len(Dictionary.from_counts(counts, 3)) == 1


def test_equally_frequent_types_are_chosen_from_in_the_same_way_always() -> None:
    pairs = [((("Paris",), "PER"), 2), ((("Paris",), "LOC"), 2)]
    dictionaries = [
        Dictionary.from_counts(Counter(dict(order)), 0).types
        for order in (pairs, pairs[::-1])
    ]
    assert dictionaries[0] == dictionaries[1]


def test_longest_match_wins() -> None:
    dictionary = Dictionary({("New",): "PER", ("New", "York"): "LOC"})
    assert dictionary.match(["New", "York", "New"], [True] * 3) == [
        LabelledSpan(0, 2, "LOC"),
        LabelledSpan(2, 3, "PER"),
    ]


def test_known_tokens_are_not_matched() -> None:
    dictionary = Dictionary({("New",): "PER", ("New", "York"): "LOC"})
    assert dictionary.match(["New", "York"], [True, False]) == [
        LabelledSpan(0, 1, "PER")
    ]


def test_types_that_are_complete_are_not_matched() -> None:
    dictionary = Dictionary({("New",): "PER", ("New", "York"): "LOC"})
    words, free = ["New", "York", "New", "York"], [True] * 4
    complete = [LabelledSpan(1, 2, "LOC"), LabelledSpan(2, 4, "PER")]
    # What is known not to be there must not hide a shorter match of another type.
    assert dictionary.match(words, free, complete) == [
        LabelledSpan(0, 1, "PER"),
        LabelledSpan(2, 4, "LOC"),
    ]


def test_empty_dictionary_matches_nothing() -> None:
    assert Dictionary({}).match(["New", "York"], [True, True]) == []


def test_dictionary_is_read_as_it_was_written(tmp_path: Path) -> None:
    dictionary = Dictionary({("New", "York"): "LOC", ("Zoë",): "PER"})
    write_jsonl(tmp_path / "d.jsonl", dictionary.to_rows())
    assert Dictionary.from_disk(tmp_path / "d.jsonl").types == dictionary.types


def make_chain(emissions: list[list[float]]) -> Chain:
    zeros = torch.zeros(5)
    illegal = torch.zeros(5, 5).masked_fill(~TAGS.legal_transitions(), -torch.inf)
    start = zeros.masked_fill(~TAGS.legal_starts(), -torch.inf)
    return Chain(
        torch.tensor([emissions]), torch.tensor([len(emissions)]), illegal, start, zeros
    )


def test_tags_of_the_k_best_paths_and_no_others_are_candidates() -> None:
    chain = make_chain([[0.0, 3.0, 0.0, 2.0, 0.0]])
    found = tags_on_best_paths(chain, 2)[0, 0]
    assert found.tolist() == [False, True, False, True, False]


def test_path_that_does_not_exist_votes_for_nothing() -> None:
    chain = make_chain([[0.0, 3.0, 0.0, 2.0, 0.0]])
    only = torch.tensor([[[False, True, False, False, False]]])
    found = tags_on_best_paths(chain.allowing(only), 5)[0, 0]
    assert found.tolist() == [False, True, False, False, False]


def allow(*tags: int) -> list[bool]:
    return [tag in tags for tag in range(5)]


def test_unknown_token_may_be_outside_on_a_best_path_or_in_the_dictionary() -> None:
    anything = numpy.ones((2, 5), dtype=bool)
    best = numpy.array([allow(B_PER), allow(OUT)])
    mask = candidate_mask(anything, best, [LabelledSpan(0, 2, "LOC")], TAGS)
    assert mask.tolist() == [allow(OUT, B_LOC, B_PER), allow(OUT, I_LOC)]


def test_mask_without_best_paths_has_the_dictionary_alone() -> None:
    anything = numpy.ones((1, 5), dtype=bool)
    mask = candidate_mask(anything, None, [LabelledSpan(0, 1, "LOC")], TAGS)
    assert mask.tolist() == [allow(OUT, B_LOC)]


def test_annotated_tokens_keep_their_tag() -> None:
    annotated = numpy.array([allow(B_PER), allow(OUT)])
    best = numpy.array([allow(B_LOC), allow(B_LOC)])
    mask = candidate_mask(annotated, best, [], TAGS)
    assert mask.tolist() == annotated.tolist()


def test_matches_may_begin_at_any_token() -> None:
    dictionary = Dictionary({("York",): "LOC"})
    words = ["in", "York", "or", "in", "York"]
    assert dictionary.match(words, [True] * 5) == [
        LabelledSpan(1, 2, "LOC"),
        LabelledSpan(4, 5, "LOC"),
    ]


def test_dictionary_gives_its_tags_where_its_entity_is() -> None:
    everything = numpy.ones((4, len(TAGS)), dtype=bool)
    mask = candidate_mask(everything, None, [LabelledSpan(1, 3, "PER")], TAGS)
    assert [numpy.flatnonzero(row).tolist() for row in mask] == [
        [OUT],
        [OUT, B_PER],
        [OUT, I_PER],
        [OUT],
    ]
