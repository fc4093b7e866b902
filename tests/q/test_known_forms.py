"""What can be told of annotators who do not know some forms."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.q.known_forms import Annotators
from spacy_adak.recall.consistency import recall_from_forms

chances = st.floats(0.05, 0.95)


def annotate(
    known_forms: float, form_recall: float, forms: int = 2000
) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """How often forms are marked, and how often they are not, by such annotators."""
    rng = random.Random(0)
    marked: Counter[tuple[str, ...]] = Counter()
    unmarked: Counter[tuple[str, ...]] = Counter()
    for n in range(forms):
        is_known = rng.random() < known_forms
        for _ in range(rng.randrange(1, 12)):
            is_marked = is_known and rng.random() < form_recall
            (marked if is_marked else unmarked)[(f"form {n}",)] += 1
    return marked, unmarked


@pytest.mark.parametrize(("known", "recall"), [(0.2, 0.95), (0.5, 0.9), (0.7, 0.9)])
def test_share_of_known_forms_is_found(known: float, recall: float) -> None:
    annotators = Annotators.from_forms(known * recall, *annotate(known, recall))
    assert annotators.form_recall == pytest.approx(recall, abs=0.05)
    assert annotators.known_forms == pytest.approx(known, abs=0.05)
    assert not annotators.know_all_forms()


def test_words_that_are_names_elsewhere_are_not_held_against_annotators() -> None:
    marked, unmarked = annotate(0.2, 0.95)
    longer = {form: (*form, "Ltd") for form in [*marked, *unmarked]}
    for form in list(marked)[::3]:
        del longer[form]
        unmarked[form] += 10
    annotators = Annotators.from_forms(
        0.2 * 0.95,
        Counter({longer.get(form, form): n for form, n in marked.items()}),
        Counter({longer.get(form, form): n for form, n in unmarked.items()}),
    )
    assert annotators.form_recall > 0.8


def test_careless_annotators_who_know_few_forms_are_told_from_those_who_know_all() -> (
    None
):
    annotators = Annotators.from_forms(0.4 * 0.6, *annotate(0.4, 0.6))
    assert annotators.form_recall == pytest.approx(0.6, abs=0.05)
    assert not annotators.know_all_forms()


def test_few_forms_may_be_marked_consistently_by_chance() -> None:
    rng = random.Random(3)
    forms = [(f"form {n}",) for n in range(25)]
    marked = Counter({form: 1 + rng.randrange(3) for form in forms})
    unmarked = Counter(dict.fromkeys(forms, 2))
    consistency = recall_from_forms(marked, unmarked)
    assert consistency is not None
    assert consistency.recall.value > 0.3 / 0.9
    assert Annotators.from_forms(0.3, marked, unmarked).know_all_forms()


@pytest.mark.parametrize("recall", [0.2, 0.4, 0.8])
def test_annotators_who_forget_at_random_know_all_forms(recall: float) -> None:
    annotators = Annotators.from_forms(recall, *annotate(1.0, recall))
    assert annotators.know_all_forms()
    assert annotators.form_recall == pytest.approx(recall, abs=0.05)


def test_forms_that_occur_twice_do_not_look_as_if_always_or_never_marked() -> None:
    marked, unmarked = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    rng = random.Random(0)
    for n in range(2000):
        for _ in range(2):
            (marked if rng.random() < 0.6 else unmarked)[(f"form {n}",)] += 1
    assert Annotators.from_forms(0.6, marked, unmarked).know_all_forms()


def test_forms_that_occur_once_say_nothing() -> None:
    once = Counter({("a",): 1, ("b",): 1})
    assert Annotators.from_forms(0.3, once, Counter({("c",): 9})).know_all_forms()


def test_annotators_who_mark_nothing_are_no_error() -> None:
    annotators = Annotators.from_forms(0.0, Counter(), Counter())
    assert annotators.recall_of_string(9) == 0.0


@given(chances, st.integers(1, 10_000))
def test_frequent_strings_count_like_all_others_if_all_forms_are_known(
    recall: float, occurrences: int
) -> None:
    annotators = Annotators(recall, recall)
    assert annotators.recall_of_string(occurrences) == pytest.approx(recall)


@given(chances, chances, st.integers(1, 10_000))
def test_frequent_strings_say_less_each_but_no_less_together(
    known: float, form_recall: float, occurrences: int
) -> None:
    annotators = Annotators(known * form_recall, form_recall)
    once = annotators.recall_of_string(1)
    often = annotators.recall_of_string(occurrences)
    assert once == pytest.approx(annotators.recall)
    assert often <= once + 1e-9
    assert 1 - (1 - often) ** occurrences >= once - 1e-9


def test_string_that_comes_up_often_counts_by_a_root_of_how_often() -> None:
    # A quarter of the forms is known: the root is that of 16 to the power of 3/8.
    recall = Annotators(0.2, 0.8).recall_of_string(16)
    assert recall == pytest.approx(1 - 0.8 ** (1 / 16**0.375))


def test_form_that_is_marked_once_and_left_out_once_counts() -> None:
    forms = [(f"form {n}",) for n in range(9)]
    annotators = Annotators.from_forms(0.3, Counter(forms), Counter(forms[:3]))
    # Of three places that prove something none is marked.
    assert annotators.form_recall == 0.3


def test_annotators_with_another_recall_know_as_many_forms() -> None:
    annotators = Annotators(0.2, 0.8)
    of_type = annotators.with_recall(0.1)
    assert of_type.recall == 0.1
    assert of_type.known_forms == pytest.approx(annotators.known_forms)
    # Nobody marks all entities of the forms that they know.
    assert annotators.with_recall(0.5).form_recall == 0.95
    assert annotators.with_recall(0.99).form_recall == 0.99
    assert Annotators(0.3, 0.3).with_recall(0.6) == Annotators(0.6, 0.6)
    assert annotators.with_recall(0.0).known_forms == 0.0
