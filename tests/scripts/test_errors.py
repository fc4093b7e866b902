from collections import Counter

import spacy
from spacy.tokens import Doc, Span

from scripts.experiments.errors import (
    BOUNDS,
    MARKED,
    NEW,
    NOTHING,
    TYPE,
    UNMARKED,
    count_errors,
    describe_errors,
)

VOCAB = spacy.blank("xx").vocab


def make_doc(text: str, *ents: tuple[int, int, str]) -> Doc:
    doc = Doc(VOCAB, words=text.split())
    doc.set_ents([Span(doc, *ent[:2], label=ent[2]) for ent in ents])
    return doc


def test_entities_are_told_apart_by_what_is_known_of_their_form() -> None:
    train = [make_doc("Ann met Ben Lee", (0, 1, "PER"))]
    gold = make_doc(
        "Ann and Ben Lee and Cleo", (0, 1, "PER"), (2, 4, "PER"), (5, 6, "PER")
    )
    predicted = make_doc("Ann and Ben Lee and Cleo", (0, 1, "PER"), (5, 6, "PER"))
    errors = count_errors(train, [gold], [predicted])
    assert errors.gold == {MARKED: 1, UNMARKED: 1, NEW: 1}
    assert +errors.found == Counter({MARKED: 1, NEW: 1})
    assert not errors.spurious


def test_what_is_spurious_is_told_apart_by_what_is_wrong_with_it() -> None:
    gold = make_doc("Ann Lee flew to Oslo today", (0, 2, "PER"), (4, 5, "LOC"))
    predicted = make_doc(
        "Ann Lee flew to Oslo today", (0, 1, "PER"), (4, 5, "PER"), (5, 6, "LOC")
    )
    errors = count_errors([], [gold], [predicted])
    assert errors.spurious == {BOUNDS: 1, TYPE: 1, NOTHING: 1}
    assert sum(errors.found.values()) == 0
    assert "| wrong bounds | 1 | 33.3 |" in describe_errors(errors)
