import random

from spacy_adak.data.origins import DECIDED_KEY
from spacy_adak.recall.complete_texts import recall_from_complete_texts

from .texts import keep, make_text


def test_recall_is_that_of_the_annotators() -> None:
    rng = random.Random(0)
    annotated = [keep(make_text(rng), rng, 0.4) for _ in range(2000)]
    complete = [make_text(rng) for _ in range(2000)]
    found = recall_from_complete_texts(annotated, complete)
    assert found is not None
    assert abs(found.recall.value - 0.4) < 0.03
    assert set(found.per_type) == {"A", "B"}
    assert "2,000 complete texts" in found.how


def test_interval_covers_the_truth_at_the_rate_it_claims() -> None:
    rng = random.Random(1)
    texts = [make_text(rng) for _ in range(3000)]
    covered = 0
    for _ in range(200):
        annotated = [keep(doc, rng, 0.3) for doc in rng.sample(texts, 200)]
        complete = rng.sample(texts, 50)
        found = recall_from_complete_texts(annotated, complete)
        assert found is not None
        covered += found.recall.low <= 0.3 <= found.recall.high
    assert covered >= 180


def test_entities_that_a_model_suggested_were_not_found_by_annotators() -> None:
    rng = random.Random(5)
    annotated = [keep(make_text(rng), rng, 0.5) for _ in range(300)]
    complete = [make_text(rng) for _ in range(300)]
    all_marked = recall_from_complete_texts(annotated, complete)
    for doc in annotated:
        doc.spans[DECIDED_KEY] = list(doc.ents)[::2]
    some_marked = recall_from_complete_texts(annotated, complete)
    assert all_marked is not None
    assert some_marked is not None
    assert some_marked.recall.value < 0.6 * all_marked.recall.value


def test_complete_texts_among_the_annotated_are_passed_over() -> None:
    rng = random.Random(2)
    annotated = [keep(make_text(rng), rng, 0.3) for _ in range(300)]
    complete = [make_text(rng) for _ in range(300)]
    alone = recall_from_complete_texts(annotated, complete)
    assert recall_from_complete_texts([*annotated, *complete], complete) == alone


def test_without_complete_texts_with_entities_there_is_no_estimate() -> None:
    rng = random.Random(3)
    annotated = [keep(make_text(rng), rng, 0.3) for _ in range(3)]
    assert recall_from_complete_texts(annotated, []) is None
    everything = recall_from_complete_texts([make_text(rng)], [])
    assert everything is not None
    assert everything.recall == (1.0, 1.0, 1.0)


def test_types_with_few_entities_are_not_compared() -> None:
    rng = random.Random(4)
    annotated = [keep(make_text(rng, "A"), rng, 0.5) for _ in range(100)]
    complete = [make_text(rng, "A") for _ in range(100)] + [make_text(rng, "B")]
    found = recall_from_complete_texts(annotated, complete)
    assert found is not None
    assert set(found.per_type) == {"A"}
