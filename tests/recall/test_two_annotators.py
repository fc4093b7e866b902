import random

from spacy_adak.recall.two_annotators import recall_from_two_annotators

from .texts import keep, keep_by, make_text


def test_recall_of_both_together() -> None:
    rng = random.Random(0)
    recalls = {"ann": 0.5, "ben": 0.4}
    docs = [keep_by(make_text(rng), rng, recalls) for _ in range(1500)]
    found = recall_from_two_annotators(docs)
    assert found is not None
    assert abs(found.recall.value - 0.7) < 0.03
    assert all(abs(found.per_type[label].value - 0.7) < 0.05 for label in "AB")
    assert "ann and ben" in found.how


def test_texts_of_one_annotator_count_by_the_recall_of_one() -> None:
    rng = random.Random(1)
    docs = [keep_by(make_text(rng), rng, {"ann": 0.4, "ben": 0.4}) for _ in range(1000)]
    docs += [keep(make_text(rng), rng, 0.4) for _ in range(1000)]
    found = recall_from_two_annotators(docs)
    assert found is not None
    assert found.recall.low <= (0.64 + 0.4) / 2 <= found.recall.high


def test_interval_covers_the_truth_at_the_rate_it_claims() -> None:
    rng = random.Random(1)
    texts = [make_text(rng) for _ in range(2000)]
    covered = 0
    for _ in range(200):
        sample = rng.sample(texts, 100)
        docs = [keep_by(doc, rng, {"ann": 0.5, "ben": 0.5}) for doc in sample]
        found = recall_from_two_annotators(docs)
        assert found is not None
        covered += found.recall.low <= 0.75 <= found.recall.high
    assert covered >= 180


def test_without_texts_in_common_there_is_no_estimate() -> None:
    rng = random.Random(2)
    docs = [keep_by(make_text(rng), rng, {name: 0.5}) for name in "ab" * 20]
    assert recall_from_two_annotators(docs) is None
