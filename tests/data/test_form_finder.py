import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.data.form_finder import FormFinder

EN, ZH = spacy.blank("en"), spacy.blank("zh")


def occurrences(finder: FormFinder, text: str) -> list[tuple[int, str]]:
    return [(span.start_char, span.text) for span in finder(EN(text))]


def test_forms_within_each_other_are_all_found() -> None:
    finder = FormFinder(["New York", "York", "New York City"])
    assert occurrences(finder, "in New York City") == [
        (3, "New York"),
        (3, "New York City"),
        (7, "York"),
    ]


def test_a_part_of_a_token_is_no_occurrence() -> None:
    assert occurrences(FormFinder(["York"]), "Yorkshire, York") == [(11, "York")]


def test_space_between_tokens_is_part_of_a_form() -> None:
    assert occurrences(FormFinder(["New York"]), "New  York, New York") == [
        (11, "New York")
    ]


def test_no_form_is_found_in_no_text() -> None:
    assert not list(FormFinder([])(EN("Ann")))
    assert not list(FormFinder(["Ann"])(EN("")))


@given(st.text("ab ", max_size=12), st.lists(st.text("ab ", min_size=1, max_size=5)))
def test_all_token_aligned_occurrences_are_found(text: str, forms: list[str]) -> None:
    doc = ZH(text)
    expected = {
        (i, j)
        for i in range(len(doc))
        for j in range(i + 1, len(doc) + 1)
        if doc[i:j].text in forms
    }
    assert {(s.start, s.end) for s in FormFinder(forms)(doc)} == expected


@pytest.mark.parametrize("emoji", ["\U0001f600", "e\u0301"])
def test_offsets_are_code_points(emoji: str) -> None:
    ((start, _),) = occurrences(FormFinder(["Ann"]), f"{emoji} Ann")
    assert start == len(emoji) + 1
