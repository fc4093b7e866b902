import numpy
import pytest

from spacy_adak.recall.held_out import HeldOutSpan, recall_from_held_out_texts


def make_spans(
    rng: numpy.random.Generator, known_forms: float, recall: float, count: int = 4000
) -> list[HeldOutSpan]:
    """What a good model of the annotation says: entities of known forms that occur
    elsewhere get the recall, those of unknown ones hardly anything, and those whose
    form occurs nowhere else the share of all. One in five of these has wrong bounds."""
    spans = []
    for i in range(count):
        is_entity = bool(rng.random() < 0.5)
        has_known_form = bool(rng.random() < known_forms)
        occurs_elsewhere = bool(rng.random() < 0.6)
        rate = recall * known_forms
        if occurs_elsewhere:
            rate = recall if has_known_form else 0.1 * rate
        # Models are less sure of what they have not seen.
        sure = (
            rng.beta(8 if occurs_elsewhere else 6, 2) if is_entity else rng.beta(2, 8)
        )
        touches = is_entity and has_known_form and bool(rng.random() < recall)
        is_right = occurs_elsewhere or bool(rng.random() < 0.8)
        if not is_right:
            sure /= 2
        spans.append(
            HeldOutSpan(
                text=i // 4,
                label="A" if i % 2 else "B",
                probability=float(rate * sure),
                is_annotated=touches and is_right,
                touches_annotation=touches,
                occurs_elsewhere=occurs_elsewhere,
            )
        )
    return spans


@pytest.mark.parametrize("recall", [0.2, 0.4, 0.7, 1.0])
def test_share_annotated_of_sure_spans_is_the_recall(recall: float) -> None:
    rng = numpy.random.default_rng(0)
    spans = make_spans(rng, known_forms=1.0, recall=recall, count=20_000)
    found = recall_from_held_out_texts(spans)
    assert found is not None
    assert abs(found.recall.value - recall) < 0.05
    assert found.recall.low <= recall <= found.recall.high
    assert found.is_identifiable
    assert all(abs(found.per_type[label].value - recall) < 0.08 for label in "AB")


def test_models_that_miss_bounds_tell_the_recall() -> None:
    rng = numpy.random.default_rng(0)
    spans = [
        span._replace(is_annotated=span.is_annotated and bool(rng.random() < 0.6))
        for span in make_spans(rng, known_forms=1.0, recall=0.4, count=20_000)
    ]
    found = recall_from_held_out_texts(spans)
    assert found is not None
    assert abs(found.recall.value - 0.4) < 0.05
    assert found.is_identifiable


@pytest.mark.parametrize("known_forms", [0.2, 0.4, 0.6])
def test_annotators_who_do_not_know_some_forms_are_noticed(known_forms: float) -> None:
    rng = numpy.random.default_rng(0)
    spans = make_spans(rng, known_forms, recall=1.0, count=20_000)
    found = recall_from_held_out_texts(spans)
    assert found is not None
    assert not found.is_identifiable
    assert abs(found.recall.value - known_forms) < 0.05
    assert found.recall.low <= known_forms <= found.recall.high
    assert "occur in no other text" in found.how


def test_interval_covers_the_truth_at_the_rate_it_claims() -> None:
    rng = numpy.random.default_rng(1)
    covered = 0
    for _ in range(200):
        found = recall_from_held_out_texts(make_spans(rng, 1.0, 0.4, count=1000))
        assert found is not None
        covered += found.recall.low <= 0.4 <= found.recall.high
    assert covered >= 180


def test_few_annotated_entities_give_no_estimate() -> None:
    spans = [HeldOutSpan(i, "A", 0.5, True, True, False) for i in range(39)]
    assert recall_from_held_out_texts(spans) is None
