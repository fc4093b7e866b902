"""Divide the training data into folds."""

import random
from collections.abc import Iterable


def assign_folds(texts: Iterable[str], n_folds: int, seed: int) -> list[int]:
    """Deal texts out to folds at random. Equal texts share a fold, so that no model
    estimates the labels of a text it was trained on.

    texts (Iterable[str]): The texts.
    n_folds (int): How many folds.
    seed (int): Of the random order.
    RETURNS (list[int]): The fold of each text.
    """
    texts = list(texts)
    distinct = list(dict.fromkeys(texts))
    random.Random(seed).shuffle(distinct)
    fold_of = {text: i % n_folds for i, text in enumerate(distinct)}
    return [fold_of[text] for text in texts]
