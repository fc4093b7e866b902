from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import COMPLETE_KEY, complete_tokens
from spacy_adak.data.origins import INCORRECT_SPANS_KEY, set_scored_spans
from spacy_adak.data.same_text import Contradiction, Origin, merge_documents

from .entity_docs import complete, entities, make_doc, stated

A, B = Origin(Path("a.spacy"), 1), Origin(Path("b.spacy"), 2)


def merge(*docs: Doc) -> tuple[Doc, list[Contradiction]]:
    found: list[Contradiction] = []
    return merge_documents(list(zip((A, B), docs, strict=False)), found), found


DENIED = [
    (make_doc("Ann Lee ran", (0, 1, "PER")), "'Ann' is annotated as PER"),
    (make_doc("Ann Lee ran", (0, 2, "ORG")), "'Ann Lee' is annotated as ORG"),
    (make_doc("Ann Lee ran", default="outside"), "in no entity"),
    (complete(make_doc("Ann Lee ran"), "PER"), "complete for PER without it"),
]


@pytest.mark.parametrize(("other", "why"), DENIED)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_contradicts_itself_becomes_unknown(
    other: Doc, why: str, is_first: bool
) -> None:
    doc = complete(make_doc("Ann Lee ran", (0, 2, "PER")), "PER")
    docs = [doc, other] if is_first else [other, doc]
    merged, (contradiction,) = merge(*docs)
    assert entities(merged) == []
    assert [token.ent_iob for token in merged[:2]] == [0, 0]
    assert stated(merged) == [(2, 3, "PER")]
    assert {contradiction.stated_by, contradiction.denied_by} == {A, B}
    if is_first:
        assert why in contradiction.why
        assert "a.spacy, document 1: 'Ann Lee'" in str(contradiction)
        assert "b.spacy, document 2" in str(contradiction)


def test_an_entity_that_was_ruled_out_is_contested() -> None:
    other = make_doc("Ann ran")
    other.spans[INCORRECT_SPANS_KEY] = [Span(other, 0, 1, label="PER")]
    merged, (contradiction,) = merge(make_doc("Ann ran", (0, 1, "PER")), other)
    assert "ruled out" in contradiction.why
    assert entities(merged) == []
    assert not merged.spans[INCORRECT_SPANS_KEY]


def test_spans_of_all_groups_are_kept() -> None:
    left, right = make_doc("Ann met Ben"), make_doc("Ann met Ben")
    spans = [Span(right, 0, 1, label="PER"), Span(right, 2, 3, label="PER")]
    set_scored_spans(left, "guessed", [Span(left, 0, 1, label="PER")], [0.5])
    set_scored_spans(right, "guessed", spans, [0.1, 0.9])
    right.spans["annotator:ann"] = []
    merged, _ = merge(left, right)
    assert [span.text for span in merged.spans["guessed"]] == ["Ann", "Ben"]
    assert merged.spans["guessed"].attrs["scores"] == [0.5, 0.9]
    assert "annotator:ann" in merged.spans


TRUTH = [(0, 1, "X"), (2, 4, "Y"), (4, 5, "X")]
LENGTH = 6


@st.composite
def views(draw: st.DrawFn) -> Doc:
    """What somebody says of the same text, all of it true."""
    kept = [span for span in TRUTH if draw(st.booleans())]
    doc = make_doc("a b c d e f", *kept)
    stretches = []
    for label in "XY":
        start = draw(st.integers(0, LENGTH))
        end = draw(st.integers(start, LENGTH))
        covered = set(range(start, end))
        others = [s for s in TRUTH if s not in kept and s[2] == label]
        if covered and not any(covered & set(range(*s[:2])) for s in others):
            stretches.append(Span(doc, start, end, label=label))
    if stretches:
        doc.spans[COMPLETE_KEY] = stretches
    return doc


@settings(max_examples=50)
@given(st.lists(views(), min_size=2, max_size=4))
def test_true_statements_are_all_kept_and_never_contradict(docs: list[Doc]) -> None:
    found: list[Contradiction] = []
    group = [(Origin(Path(f"{i}.spacy"), 1), doc) for i, doc in enumerate(docs)]
    merged = merge_documents(group, found)
    assert found == []
    assert set(entities(merged)) == {e for doc in docs for e in entities(doc)}
    tokens = complete_tokens(merged)
    for label in "XY":
        expected = [
            any(
                label in complete_tokens(doc) and complete_tokens(doc)[label][i]
                for doc in docs
            )
            for i in range(LENGTH)
        ]
        assert (tokens[label].tolist() if label in tokens else [False] * 6) == expected
