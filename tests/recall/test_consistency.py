from collections import Counter

import numpy

from spacy_adak.recall.consistency import Form, recall_from_forms


def mark(rng: numpy.random.Generator, recall: float, forms: int = 400):
    marked: Counter[Form] = Counter()
    unmarked: Counter[Form] = Counter()
    for i in range(forms):
        form = (f"w{i}", "x")
        occurrences = int(rng.geometric(0.3))
        marked[form] = int(rng.binomial(occurrences, recall))
        unmarked[form] = occurrences - marked[form]
    return +marked, +unmarked


def test_random_marks_give_the_recall() -> None:
    rng = numpy.random.default_rng(0)
    for recall in (0.2, 0.4, 0.7):
        found = recall_from_forms(*mark(rng, recall, forms=5000))
        assert found is not None
        assert abs(found.recall.value - recall) < 0.02


def test_interval_covers_the_truth_at_the_rate_it_claims() -> None:
    rng = numpy.random.default_rng(1)
    covered = 0
    for _ in range(200):
        found = recall_from_forms(*mark(rng, 0.4))
        assert found is not None
        covered += found.recall.low <= 0.4 <= found.recall.high
    assert covered >= 180


def test_forms_that_are_marked_wherever_they_occur_say_nothing_of_the_others() -> None:
    marked = Counter({(f"w{i}",): 3 for i in range(50)})
    found = recall_from_forms(marked, Counter({("unknown",): 1000}))
    assert found is not None
    assert found.recall.value == 1.0
    assert not found.is_identifiable


def test_short_strings_that_are_words_elsewhere_are_left_out() -> None:
    marked = Counter({("x", f"{i}"): 2 for i in range(50)}) + Counter({("a",): 10})
    found = recall_from_forms(marked, Counter({("a",): 10_000}))
    assert found is not None
    assert found.recall.value == 1.0


def test_too_few_forms_give_no_estimate() -> None:
    assert recall_from_forms({}, {}) is None
    assert recall_from_forms({("a",): 1, ("b",): 2}, {("a",): 3}) is None
