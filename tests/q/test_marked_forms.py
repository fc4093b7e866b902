from spacy_adak.crf.tags import LabelledSpan
from spacy_adak.q.marked_forms import MarkedWords, count_forms, count_texts


def test_forms_are_counted_where_marked_and_where_open() -> None:
    texts = [
        MarkedWords(
            ["New", "York", "and", "York"],
            [LabelledSpan(0, 2, "GPE")],
            [False, False, True, True],
        ),
        MarkedWords(
            ["New", "York", "in", "York"],
            [LabelledSpan(3, 4, "GPE")],
            [True, True, True, False],
        ),
        MarkedWords(["York", "said", "York"], [], [True, True, False]),
    ]
    marked, unmarked = count_forms(texts)
    assert marked == {("New", "York"): 1, ("York",): 1}
    # The longest first, and nothing that is stated.
    assert unmarked == {("New", "York"): 1, ("York",): 2}


def test_nothing_marked() -> None:
    assert count_forms([MarkedWords(["a"], [], [True])]) == ({}, {})


def test_what_is_complete_for_a_type_is_not_open() -> None:
    whole_text = [LabelledSpan(0, 2, "GPE")]
    texts = [
        MarkedWords(["New", "York"], [LabelledSpan(1, 2, "GPE")], [True, False]),
        MarkedWords(["New", "York"], [], [True, True], whole_text),
        MarkedWords(["New", "York"], [], [True, True], [LabelledSpan(0, 2, "ORG")]),
    ]
    assert count_forms(texts) == ({("York",): 1}, {("York",): 1})


def test_texts_are_counted_once_however_often_a_form_occurs_there() -> None:
    texts = [["a", "b", "a", "b"], ["a"], ["b", "a", "b", "c"]]
    forms = [("a", "b"), ("a",), ("a", "b", "c"), ("c", "a")]
    assert count_texts(texts, forms) == {("a", "b"): 2, ("a",): 3, ("a", "b", "c"): 1}
