import pytest

from spacy_adak.recall.estimate import Method, RecallEstimate
from spacy_adak.recall.intervals import Interval
from spacy_adak.recall.pooled import pool_estimates


def estimate(
    method: Method, value: float, half: float, is_identifiable: bool = True
) -> RecallEstimate:
    recall = Interval(value, value - half, value + half)
    how = f"how {method}"
    return RecallEstimate(method, recall, {"A": recall}, how, is_identifiable)


def test_nothing_to_combine() -> None:
    assert pool_estimates([]) is None


def test_estimates_that_agree_are_pooled_by_inverse_variance() -> None:
    found = pool_estimates(
        [estimate("held-out texts", 0.4, 0.02), estimate("complete texts", 0.44, 0.04)]
    )
    assert found is not None
    assert found.recall.value == pytest.approx((4 * 0.4 + 0.44) / 5)
    assert found.recall.width < 0.04
    assert found.per_type["A"] == found.recall
    assert [e.method for e in found.used] == ["complete texts", "held-out texts"]


def test_facts_are_believed_where_models_contradict_them() -> None:
    facts = estimate("complete texts", 0.2, 0.05)
    found = pool_estimates([estimate("held-out texts", 0.6, 0.02), facts])
    assert found is not None
    assert found.recall == facts.recall
    assert found.is_identifiable
    assert "not used, because it disagrees: held-out texts 60 %" in found.describe()


def test_unknown_forms_without_complete_texts_are_said_to_be_not_identifiable() -> None:
    found = pool_estimates(
        [
            estimate("forms", 0.9, 0.02, is_identifiable=False),
            estimate("held-out texts", 0.2, 0.05, is_identifiable=False),
        ]
    )
    assert found is not None
    assert found.recall.value == 0.2
    assert not found.is_identifiable
    assert "not identifiable" in found.describe()


@pytest.mark.parametrize(
    ("consistency", "is_identifiable"), [(0.9, False), (0.3, True)]
)
def test_annotators_more_consistent_than_models_say_may_not_know_all_forms(
    consistency: float, is_identifiable: bool
) -> None:
    models = estimate("held-out texts", 0.5, 0.05)
    forms = estimate("forms", consistency, 0.05, is_identifiable=False)
    found = pool_estimates([models, forms])
    assert found is not None
    assert (found.recall, found.left_out) == (models.recall, (forms,))
    assert found.is_identifiable == is_identifiable


def test_complete_texts_identify_what_models_can_not() -> None:
    found = pool_estimates(
        [
            estimate("held-out texts", 0.2, 0.05, is_identifiable=False),
            estimate("complete texts", 0.22, 0.05),
        ]
    )
    assert found is not None
    assert found.is_identifiable


def test_recall_is_never_quite_0_or_1() -> None:
    found = pool_estimates([estimate("complete texts", 1.0, 0.0)])
    assert found is not None
    assert found.recall.value == 0.99


def test_description_tells_method_and_width() -> None:
    found = pool_estimates([estimate("complete texts", 0.31, 0.04)])
    assert found is not None
    assert found.describe() == (
        "Annotators have marked 31 % (95 % interval 27 to 35 %) of the entities "
        "(complete texts: how complete texts)"
    )


def test_interval_may_hold_what_the_estimate_must_not_be() -> None:
    sure = RecallEstimate("held-out texts", Interval(1.0, 0.97, 1.0), {}, "")
    found = pool_estimates([sure])
    assert found is not None
    assert found.recall == Interval(0.99, 0.97, 1.0)
    certain = RecallEstimate("given", Interval(1.0, 1.0, 1.0), {}, "")
    found = pool_estimates([certain])
    assert found is not None
    assert found.recall == Interval(0.99, 0.99, 1.0)
