import random
from collections import Counter
from statistics import fmean

import pytest
from spacy.tokens import Doc

from spacy_adak.report.sample import draw_sample
from tests.recall.texts import keep, make_text


def make_texts(count: int) -> tuple[list[Doc], list[Doc]]:
    """Texts with half of their entities, and the same ones complete."""
    rng = random.Random(0)
    complete = [make_text(rng) for _ in range(count)]
    return [keep(doc, rng, 0.5) for doc in complete], complete


def test_as_many_texts_as_asked_for_and_none_twice() -> None:
    docs, found = make_texts(400)
    sample = draw_sample([*docs, *docs], 50, found=[*found, *found])
    texts = [task.text for task in sample.tasks]
    assert len(set(texts)) == len(texts) == 50
    assert sample.texts == 400


def test_estimates_by_weight_are_unbiased() -> None:
    docs, found = make_texts(300)
    truth = {doc.text: len(doc.ents) for doc in found}
    means = []
    for seed in range(300):
        tasks = draw_sample(docs, 30, found=found, seed=seed).tasks
        total = sum(task.mark["weight"] * truth[task.text] for task in tasks)
        means.append(total / len(tasks))
    assert fmean(means) == pytest.approx(fmean(truth.values()), rel=0.02)


def test_all_lengths_and_counts_are_drawn_in_proportion() -> None:
    docs, found = make_texts(900)
    tasks = draw_sample(docs, 90, found=found).tasks
    strata = Counter(task.mark["stratum"] for task in tasks)
    assert len(strata) >= 7
    assert all(0.5 < task.mark["weight"] < 2 for task in tasks)


def test_few_texts_are_not_divided() -> None:
    docs, _ = make_texts(40)
    tasks = draw_sample(docs, 3).tasks
    assert {task.mark["stratum"] for task in tasks} == {"any length, any found"}
    assert {task.mark["weight"] for task in tasks} == {1.0}


def test_annotators_see_nothing_unless_asked_for() -> None:
    docs, found = make_texts(50)
    assert not any(task.spans for task in draw_sample(docs, 20, found=found).tasks)
    shown = draw_sample(docs, 20, found=found, with_suggestions=True).tasks
    by_text = {doc.text: doc for doc in found}
    for task in shown:
        ents = by_text[task.text].ents
        assert [s["start"] for s in task.spans] == [e.start_char for e in ents]


def test_complete_texts_are_not_drawn() -> None:
    docs, complete = make_texts(10)
    assert draw_sample([*docs, *make_texts(30)[1][10:]], 40).texts == 10
    with pytest.raises(ValueError, match="A410"):
        draw_sample(complete, 5)


def test_more_texts_give_narrower_intervals() -> None:
    docs, found = make_texts(400)
    outlook = draw_sample(docs, 50, found=found).outlook
    assert [row.texts for row in outlook] == [20, 50, 100, 200]
    scores, annotators = zip(
        *((row.score, row.annotators) for row in outlook), strict=True
    )
    assert list(scores) == sorted(scores, reverse=True)
    assert list(annotators) == sorted(annotators, reverse=True)
    # 400 texts with about two entities each: ± 1.96 · sqrt(0.8 · 0.2 / entities).
    row = outlook[2]
    assert row.score == pytest.approx(1.96 * (0.16 / row.entities) ** 0.5, rel=0.1)


def test_equal_seeds_draw_the_same() -> None:
    docs, _ = make_texts(100)
    assert draw_sample(docs, 20, seed=1) == draw_sample(docs, 20, seed=1)
    assert draw_sample(docs, 20, seed=1).tasks != draw_sample(docs, 20, seed=2).tasks
