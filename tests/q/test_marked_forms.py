from spacy_adak.crf.tags import LabelledSpan
from spacy_adak.q.marked_forms import count_forms


def test_forms_are_counted_where_marked_and_where_open() -> None:
    texts = [
        (
            ["New", "York", "and", "York"],
            [LabelledSpan(0, 2, "GPE")],
            [False, False, True, True],
        ),
        (
            ["New", "York", "in", "York"],
            [LabelledSpan(3, 4, "GPE")],
            [True, True, True, False],
        ),
        (["York", "said", "York"], [], [True, True, False]),
    ]
    marked, unmarked = count_forms(texts)
    assert marked == {("New", "York"): 1, ("York",): 1}
    # The longest first, and nothing that is stated.
    assert unmarked == {("New", "York"): 1, ("York",): 2}


def test_nothing_marked() -> None:
    assert count_forms([(["a"], [], [True])]) == ({}, {})
