from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_adak.data.alignment import AnnotatedText, CharSpan, to_doc
from spacy_adak.data.summary import Place, Summary

PLACE = Place(Path("a.jsonl"), 7)


def align(
    nlp: Language,
    text: str,
    entities: list[CharSpan],
    unlabelled: str = "outside",
    alignment_mode: str = "strict",
    **fields: object,
) -> tuple[Doc, Summary]:
    summary = Summary()
    doc = to_doc(
        AnnotatedText(PLACE, text, entities, **fields),
        nlp,
        unlabelled=unlabelled,
        alignment_mode=alignment_mode,
        incorrect_spans_key="incorrect_spans",
        summary=summary,
    )
    return doc, summary


def codes(summary: Summary) -> list[str]:
    return [problem.message[1:5] for problem in summary.problems]


@pytest.mark.parametrize(("unlabelled", "state"), [("missing", ""), ("outside", "O")])
def test_rest_of_the_text_is_what_unlabelled_says(
    unlabelled: str, state: str, nlp: Language
) -> None:
    doc, _ = align(nlp, "Ann met Bob", [CharSpan(0, 3, "PER")], unlabelled)
    assert [t.ent_iob_ for t in doc] == ["B", state, state]


def test_record_that_says_what_unlabelled_is_wins(
    read_strictly: Callable[[AnnotatedText, Summary], Doc],
) -> None:
    record = AnnotatedText(PLACE, "Ann met Bob", unlabelled="missing")
    doc = read_strictly(record, Summary())
    assert [t.ent_iob_ for t in doc] == ["", "", ""]


def test_missing_stretches_are_missing(nlp: Language) -> None:
    doc, _ = align(nlp, "Ann met Bob", [], missing=[CharSpan(4, 7, None)])
    assert [t.ent_iob_ for t in doc] == ["O", "", "O"]


def test_chinese_is_aligned_by_character() -> None:
    doc, summary = align(spacy.blank("zh"), "我在北京", [CharSpan(2, 4, "LOC")])
    assert [t.text for t in doc] == ["我", "在", "北", "京"]
    assert [t.ent_iob_ for t in doc] == ["O", "O", "B", "I"]
    assert not summary.problems


@pytest.mark.parametrize(
    ("mode", "states", "code"),
    [
        ("strict", ["O", "", "", "O"], "W313"),
        ("contract", ["O", "B", "", "O"], "W314"),
        ("expand", ["O", "B", "I", "O"], "W314"),
    ],
)
def test_span_off_token_bounds(
    mode: str, states: list[str], code: str, nlp: Language
) -> None:
    span = CharSpan(4, 10, "LOC")  # "York Ci"
    doc, summary = align(nlp, "New York City lives", [span], alignment_mode=mode)
    assert [t.ent_iob_ for t in doc] == states
    assert codes(summary) == [code]


def test_span_within_a_token_cannot_be_contracted(nlp: Language) -> None:
    doc, summary = align(
        nlp, "unhappy man", [CharSpan(2, 5, "X")], alignment_mode="contract"
    )
    assert [t.ent_iob_ for t in doc] == ["", "O"]
    assert codes(summary) == ["W313"]


@pytest.mark.parametrize(
    "span",
    [
        CharSpan(0, 100, "X"),
        CharSpan(3, 3, "X"),
        CharSpan(5, 1, "X"),
        CharSpan(-3, 3, "X"),
        CharSpan(3, 4, "X"),
    ],
)
def test_impossible_offsets_make_the_text_unknown(
    span: CharSpan, nlp: Language
) -> None:
    doc, summary = align(nlp, "Ann met Bob", [span])
    assert [t.ent_iob_ for t in doc] == ["", "", ""]
    assert codes(summary) == ["W309"]
    assert "the whole text is taken as unknown" in summary.problems[0].message


@pytest.mark.parametrize(
    "span",
    [
        CharSpan("0", 3, "X"),
        CharSpan(0, None, "X"),
        CharSpan(True, 3, "X"),
        CharSpan(0.0, 3.0, "X"),
    ],
)
def test_offsets_that_are_no_whole_numbers_make_the_text_unknown(
    span: CharSpan, nlp: Language
) -> None:
    doc, summary = align(nlp, "Ann met Bob", [span])
    assert [t.ent_iob_ for t in doc] == ["", "", ""]
    assert codes(summary) == ["W308"]
    assert "the whole text is taken as unknown" in summary.problems[0].message


@pytest.mark.parametrize("label", [None, " ", 3, ["PER"], "\ud83d"])
def test_tokens_of_a_span_without_label_are_unknown(
    label: object, nlp: Language
) -> None:
    doc, summary = align(nlp, "Ann met Bob", [CharSpan(0, 3, label)])
    assert [t.ent_iob_ for t in doc] == ["", "O", "O"]
    assert codes(summary) == ["W308"]
    assert "its tokens are unknown" in summary.problems[0].message


def test_label_with_whitespace_at_an_edge_is_the_one_without(nlp: Language) -> None:
    doc, summary = align(nlp, "Ann met Bob", [CharSpan(0, 3, " PER\n")])
    assert [ent.label_ for ent in doc.ents] == ["PER"]
    assert codes(summary) == ["W360"]


def test_text_made_unknown_by_one_span_keeps_the_others(nlp: Language) -> None:
    spans = [CharSpan(0, 3, "PER"), CharSpan(8, 99, "PER")]
    doc, _ = align(nlp, "Ann met Bob", spans)
    assert [t.ent_iob_ for t in doc] == ["B", "", ""]


def test_whitespace_at_the_edges_is_trimmed(nlp: Language) -> None:
    doc, summary = align(nlp, "I saw Ann . ", [CharSpan(5, 10, "PER")])
    assert [ent.text for ent in doc.ents] == ["Ann"]
    assert codes(summary) == ["W312"]


def test_of_two_overlapping_entities_the_longer_is_kept(nlp: Language) -> None:
    spans = [CharSpan(0, 8, "A"), CharSpan(4, 18, "B")]
    doc, summary = align(nlp, "New York City Hall fell", spans)
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("York City Hall", "B")]
    assert codes(summary) == ["W315"]


def test_tokens_of_an_overlapping_entity_left_out_are_unknown(nlp: Language) -> None:
    spans = [CharSpan(0, 8, "A"), CharSpan(4, 18, "B")]
    doc, _ = align(nlp, "New York City Hall fell", spans)
    assert [t.ent_iob_ for t in doc] == ["", "B", "I", "I", "O"]


def test_utf16_offsets_are_read_if_the_text_of_the_span_fits(nlp: Language) -> None:
    text = "💩 Acme grew"
    spans = [CharSpan(3, 7, "ORG", "Acme")]  # in UTF-16 the emoji takes two units
    doc, summary = align(nlp, text, spans)
    assert [ent.text for ent in doc.ents] == ["Acme"]
    assert codes(summary) == ["W311"]


def test_span_whose_text_differs_makes_the_text_unknown(nlp: Language) -> None:
    doc, summary = align(nlp, "Ann met Bob", [CharSpan(0, 3, "PER", "Bob")])
    assert [t.ent_iob_ for t in doc] == ["", "", ""]
    assert codes(summary) == ["W310"]
    assert "the whole text is taken as unknown" in summary.problems[0].message


def test_ruled_out_spans_go_to_their_key(nlp: Language) -> None:
    doc, _ = align(nlp, "Ann met Bob", [], ruled_out=[CharSpan(0, 3, "ORG")])
    spans = doc.spans["incorrect_spans"]
    assert [(span.text, span.label_) for span in spans] == [("Ann", "ORG")]


def test_ruled_out_span_is_never_moved(nlp: Language) -> None:
    doc, summary = align(
        nlp,
        "Anna met Bob",
        [],
        alignment_mode="expand",
        ruled_out=[CharSpan(0, 3, "ORG")],
    )
    assert "incorrect_spans" not in doc.spans
    assert codes(summary) == ["W313"]


@pytest.mark.parametrize(
    "span",
    [
        CharSpan(0, 99, "ORG"),
        CharSpan(0, None, "ORG"),
        CharSpan(0, 3, None),
        CharSpan(0, 2, "ORG"),
        CharSpan(0, 3, "ORG", "Bob"),
    ],
)
def test_ruled_out_span_that_cannot_be_used_leaves_the_text_outside(
    span: CharSpan, nlp: Language
) -> None:
    doc, summary = align(nlp, "Ann met Bob", [], ruled_out=[span])
    assert [t.ent_iob_ for t in doc] == ["O", "O", "O"]
    assert "incorrect_spans" not in doc.spans
    assert "unknown" not in summary.problems[0].message


def test_entity_wins_over_ruling_it_out(nlp: Language) -> None:
    span = CharSpan(0, 3, "PER")
    doc, summary = align(nlp, "Ann met Bob", [span], ruled_out=[span])
    assert [ent.label_ for ent in doc.ents] == ["PER"]
    assert "incorrect_spans" not in doc.spans
    assert codes(summary) == ["W316"]


def test_problem_names_the_line_of_the_span(nlp: Language) -> None:
    _, summary = align(nlp, "Ann met Bob", [CharSpan(9, 99, "X", line=12)])
    assert str(summary.problems[0]).startswith("a.jsonl, line 12: ")
    assert summary.problems[0].record == PLACE


def test_entity_listed_twice_is_a_duplicate_and_no_overlap(nlp: Language) -> None:
    doc, summary = align(nlp, "Ann met Bob", [CharSpan(0, 3, "PER")] * 2)
    assert [ent.text for ent in doc.ents] == ["Ann"]
    assert codes(summary) == ["W332"]
    assert "('Ann', 'PER')" in summary.problems[0].message


def test_entity_with_two_labels_is_an_overlap(nlp: Language) -> None:
    spans = [CharSpan(0, 3, "PER"), CharSpan(0, 3, "ORG")]
    _, summary = align(nlp, "Ann met Bob", spans)
    assert codes(summary) == ["W315"]


@pytest.mark.parametrize("score", [-0.1, 1.5, 97.0])
def test_score_of_an_estimate_that_is_no_probability_is_left_out(
    nlp: Language, score: float
) -> None:
    span = CharSpan(0, 4, "ORG", score=score, line=9)
    doc, summary = align(nlp, "Acme hired Ann", [], estimated=[span])
    assert doc.spans["estimated"].attrs["scores"] == [None]
    assert codes(summary) == ["W352"]
    assert summary.problems[0].line == 9


def test_guesser_may_have_a_scale_of_its_own(nlp: Language) -> None:
    span = CharSpan(0, 4, "ORG", score=97.0)
    doc, summary = align(nlp, "Acme hired Ann", [], guessed=[span])
    assert doc.spans["guessed"].attrs["scores"] == [97.0]
    assert not summary.problems
