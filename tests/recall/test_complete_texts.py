import random

from spacy.tokens import Doc

from spacy_adak.data.complete_types import state_complete
from spacy_adak.data.origins import DECIDED_KEY
from spacy_adak.recall.complete_texts import recall_from_complete_texts
from spacy_adak.recall.pooled import pool_estimates

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


def state(doc: Doc, *labels: str) -> Doc:
    state_complete(doc, labels)
    return doc


def only(doc: Doc, *labels: str) -> Doc:
    """The same text with the entities of some types; the rest is unknown."""
    copy = doc.copy()
    kept = [ent for ent in doc.ents if ent.label_ in labels]
    copy.set_ents(kept, default="missing")
    return copy


def test_types_are_compared_where_they_are_complete_and_where_not() -> None:
    """Where a type is complete nobody could leave out any of it."""
    rng = random.Random(6)
    texts = [make_text(rng) for _ in range(1500)]
    annotated = [
        *(state(only(doc, "A"), "A") for doc in texts[:500]),
        *(state(only(doc, "B"), "B") for doc in texts[500:1000]),
        *(keep(doc, rng, 0.5) for doc in texts[1000:]),
    ]
    found = recall_from_complete_texts(annotated, [])
    assert found is not None
    # In 500 texts it is not annotated at all, in 500 others by half.
    for label in "AB":
        assert abs(found.per_type[label].value - 0.25) < 0.04
    assert abs(found.recall.value - 0.25) < 0.03


def test_a_type_that_is_silent_elsewhere_has_no_recall_there() -> None:
    rng = random.Random(7)
    annotated = [
        *(state(only(make_text(rng), "A"), "A") for _ in range(300)),
        *(state(only(make_text(rng), "B"), "B") for _ in range(300)),
    ]
    found = recall_from_complete_texts(annotated, [])
    assert found is not None
    assert [interval.value for interval in found.per_type.values()] == [0.0, 0.0]
    pooled = pool_estimates([found])
    assert pooled is not None
    where = " of the entities in texts that are not complete for their type ("
    assert where in pooled.describe()


def test_a_type_that_is_complete_nowhere_is_not_compared() -> None:
    rng = random.Random(8)
    annotated = [state(keep(make_text(rng), rng, 0.5), "C") for _ in range(50)]
    assert recall_from_complete_texts(annotated, []) is None
