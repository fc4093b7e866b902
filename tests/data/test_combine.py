from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc, Span

from spacy_adak.data.combine import (
    Contradiction,
    Origin,
    combine,
    merge_documents,
    rename,
)
from spacy_adak.data.complete_types import (
    COMPLETE_KEY,
    complete_spans,
    complete_tokens,
    state_complete,
    types_complete_in,
)
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.data.origins import INCORRECT_SPANS_KEY, set_scored_spans

VOCAB = spacy.blank("en").vocab
A, B = Origin(Path("a.spacy"), 1), Origin(Path("b.spacy"), 2)
Entities = list[tuple[int, int, str]]


def make_doc(
    text: str, *entities: tuple[int, int, str], default: str = "missing"
) -> Doc:
    doc = Doc(VOCAB, words=text.split())
    spans = [Span(doc, start, end, label=label) for start, end, label in entities]
    doc.set_ents(spans, default=default)
    return doc


def complete(doc: Doc, *types: str) -> Doc:
    state_complete(doc, types)
    return doc


def entities(doc: Doc) -> Entities:
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def stated(doc: Doc) -> Entities:
    return [(span.start, span.end, span.label_) for span in complete_spans(doc)]


def write(folder: Path, **files: list[Doc]) -> list[Path]:
    paths = []
    for name, docs in files.items():
        paths.append(folder / f"{name}.spacy")
        write_docbin(paths[-1], docs)
    return paths


def merge(*docs: Doc) -> tuple[Doc, list[Contradiction]]:
    found: list[Contradiction] = []
    return merge_documents(list(zip((A, B), docs, strict=False)), found), found


def test_texts_keep_what_their_file_is_complete_for(tmp_path: Path) -> None:
    inputs = write(
        tmp_path,
        a=[complete(make_doc("Ann ran", (0, 1, "PER")), "PER")],
        b=[complete(make_doc("Acme grew", (0, 1, "ORG")), "ORG", "LOC")],
    )
    found = combine(inputs, tmp_path / "c.spacy")
    docs = list(read_docbin(tmp_path / "c.spacy", VOCAB))
    assert [types_complete_in(doc) for doc in docs] == [{"PER"}, {"ORG", "LOC"}]
    assert [part.complete for part in found.parts] == [
        {"PER": 1},
        {"ORG": 1, "LOC": 1},
    ]
    assert found.total.entities == {"PER": 1, "ORG": 1}
    assert (found.merged, found.contradictions) == (0, [])


def test_a_text_in_two_files_has_what_both_know(tmp_path: Path) -> None:
    text = "Ann joined Acme today"
    inputs = write(
        tmp_path,
        a=[make_doc("It rained"), complete(make_doc(text, (0, 1, "PER")), "PER")],
        b=[complete(make_doc(text, (2, 3, "ORG")), "ORG")],
    )
    found = combine(inputs, tmp_path / "c.spacy")
    docs = list(read_docbin(tmp_path / "c.spacy", VOCAB))
    assert [doc.text for doc in docs] == ["It rained ", text + " "]
    assert entities(docs[1]) == [(0, 1, "PER"), (2, 3, "ORG")]
    assert types_complete_in(docs[1]) == {"PER", "ORG"}
    assert found.merged == 1


def test_a_text_that_is_twice_in_one_file_stays_so(tmp_path: Path) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran")] * 2, b=[make_doc("Ben ran")])
    found = combine(inputs, tmp_path / "c.spacy")
    assert (found.total.documents, found.merged) == (3, 0)


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


def test_other_tokens_of_one_text_are_an_error_that_names_both(tmp_path: Path) -> None:
    split = Doc(VOCAB, words=["Ann", "-", "Lee"], spaces=[False, False, False])
    whole = Doc(VOCAB, words=["Ann-Lee"], spaces=[False])
    inputs = write(tmp_path, a=[make_doc("x"), split], b=[whole])
    with pytest.raises(ValueError, match=r"A329.*a.spacy, document 2.*b.spacy, doc"):
        combine(inputs, tmp_path / "c.spacy")
    assert not (tmp_path / "c.spacy").exists()


def test_labels_are_renamed_in_all_files_or_in_one(tmp_path: Path) -> None:
    docs = [complete(make_doc("Acme grew", (0, 1, "COMPANY")), "COMPANY")]
    inputs = write(tmp_path, a=docs, b=[make_doc("Ann ran", (0, 1, "COMPANY"))])
    for maps, expected in (
        (["COMPANY=ORG"], {"ORG": 2}),
        (["a.spacy:COMPANY=ORG"], {"ORG": 1, "COMPANY": 1}),
        ([f"{inputs[0]}:COMPANY=ORG", "COMPANY=X"], {"ORG": 1, "X": 1}),
    ):
        found = combine(inputs, tmp_path / "c.spacy", maps=maps)
        assert found.total.entities == expected
        assert found.parts[0].complete == {"ORG": 1}


def test_labels_that_become_one_are_complete_where_all_are() -> None:
    doc = make_doc("Ann Lee ran home", (0, 2, "PERSON"))
    doc.spans[COMPLETE_KEY] = [
        Span(doc, 0, 3, label="PERSON"),
        Span(doc, 1, 4, label="PER"),
    ]
    names = {"PERSON": "PER", "PER": "PER", "ORG": "ORG"}
    renamed = rename(doc, names)
    assert entities(renamed) == [(0, 2, "PER")]
    assert complete_tokens(renamed)["PER"].tolist() == [False, True, True, False]
    # The type is there, and no text is complete for it.
    assert stated(rename(complete(make_doc("Ann ran"), "PER"), names)) == []
    assert rename(doc, {"PERSON": "PERSON"}) is doc


@pytest.mark.parametrize("value", ["ORG", "=ORG", "ORG=", "x.spacy:A=B"])
def test_a_map_that_says_nothing_is_an_error(value: str, tmp_path: Path) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran", (0, 1, "A"))])
    with pytest.raises(ValueError, match="A327"):
        combine(inputs, tmp_path / "c.spacy", maps=[value])


def test_a_map_of_a_label_that_is_not_there_names_those_that_are(
    tmp_path: Path,
) -> None:
    inputs = write(tmp_path, a=[make_doc("Ann ran", (0, 1, "PER"))])
    with pytest.raises(ValueError, match=r"A328.*PERSON.*it has PER"):
        combine(inputs, tmp_path / "c.spacy", maps=["a.spacy:PERSON=X"])


def test_inputs_are_not_overwritten_or_read_twice(tmp_path: Path) -> None:
    (path,) = write(tmp_path, a=[make_doc("Ann ran")])
    for inputs, output in (([path], path), ([path, path], tmp_path / "c.spacy")):
        with pytest.raises(ValueError, match="A315"):
            combine(inputs, output)


def test_a_file_that_denies_the_types_of_others_is_warned_of(tmp_path: Path) -> None:
    inputs = write(
        tmp_path,
        a=[make_doc("Ann ran", (0, 1, "PER"), default="outside")],
        b=[make_doc("Acme grew", (0, 1, "ORG"))],
    )
    with pytest.warns(UserWarning, match="W344.*a.spacy.*ORG"):
        found = combine(inputs, tmp_path / "c.spacy")
    assert found.parts[0].describe("ORG") == "0 (100%)"
    assert found.parts[1].describe("ORG") == "1 (0%)"


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
