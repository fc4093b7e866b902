from collections import Counter

import pytest

from spacy_adak.shards.folds import assign_folds

TEXTS = [f"text {i}" for i in range(101)]


@pytest.mark.parametrize("n_folds", [2, 3, 5])
def test_folds_are_equally_large(n_folds: int) -> None:
    sizes = Counter(assign_folds(TEXTS, n_folds, seed=0)).values()
    assert len(sizes) == n_folds
    assert max(sizes) - min(sizes) <= 1


def test_equal_texts_share_a_fold() -> None:
    folds = assign_folds(TEXTS + TEXTS[::-1], 2, seed=0)
    assert folds[:101] == folds[101:][::-1]


def test_division_depends_on_the_seed_alone() -> None:
    assert assign_folds(TEXTS, 2, 1) == assign_folds(iter(TEXTS), 2, 1)
    assert assign_folds(TEXTS, 2, 1) != assign_folds(TEXTS, 2, 2)
