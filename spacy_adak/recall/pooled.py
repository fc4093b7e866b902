"""One recall of the annotators from several estimators."""

from collections.abc import Collection, Sequence
from typing import NamedTuple, get_args

from .estimate import Method, RecallEstimate
from .intervals import Interval

# A recall of 0 or 1 would be too sure for an estimate: it says that an entity which
# nobody annotated costs nothing, or that there is none.
_LOWEST_RECALL, _HIGHEST_RECALL = 0.01, 0.99


class AnnotatorRecall(NamedTuple):
    """The share of all entities that annotators have marked.

    recall (Interval): The share, itself never quite 0 or 1.
    per_type (dict[str, Interval]): The same for each entity type that says enough.
    used (tuple[RecallEstimate, ...]): The estimates it was pooled from.
    left_out (tuple[RecallEstimate, ...]): Those that contradict them.
    is_identifiable (bool): Whether the data can tell it at all.
    """

    recall: Interval
    per_type: dict[str, Interval]
    used: tuple[RecallEstimate, ...]
    left_out: tuple[RecallEstimate, ...]
    is_identifiable: bool

    def describe(self) -> str:
        """RETURNS (str): In one line, the recall, its interval, and where from."""
        how = "; ".join(f"{estimate.method}: {estimate.how}" for estimate in self.used)
        share = f"{_percent(self.recall)} of {self.used[0].of_what}"
        parts = [f"Annotators have marked {share} ({how})"]
        if self.left_out:
            others = ", ".join(
                f"{e.method} {_percent(e.recall)}" for e in self.left_out
            )
            parts.append(f"not used, because it disagrees: {others}")
        if not self.is_identifiable:
            parts.append(
                "not identifiable: annotators may not know some forms at all, and only "
                "completely annotated texts can tell how many"
            )
        return "; ".join(parts)


def pool_estimates(estimates: Sequence[RecallEstimate]) -> AnnotatorRecall | None:
    """Pool estimates that agree. Where they do not, complete texts are believed first,
    then two annotators, then models; the consistency of forms comes last, as it is an
    upper bound.

    estimates (Sequence[RecallEstimate]): At most one of each method.
    RETURNS (AnnotatorRecall | None): The recall; None without any estimate.
    """
    if not estimates:
        return None
    order = get_args(Method)
    first, *others = sorted(estimates, key=lambda e: order.index(e.method))
    agreeing = [other for other in others if other.recall.agrees_with(first.recall)]
    used = (first, *agreeing)
    labels = sorted({label for estimate in used for label in estimate.per_type})
    left_out = tuple(other for other in others if other not in agreeing)
    return AnnotatorRecall(
        _pool([estimate.recall for estimate in used]),
        {
            label: _pool([e.per_type[label] for e in used if label in e.per_type])
            for label in labels
        },
        used,
        left_out,
        first.is_identifiable and not _seem_to_know_some_forms_only(first, left_out),
    )


def _seem_to_know_some_forms_only(
    first: RecallEstimate, left_out: Sequence[RecallEstimate]
) -> bool:
    """Whether annotators are more consistent with the forms that they mark than models
    say they are with all. Facts are not called into question by that."""
    return first.method == "held-out texts" and any(
        other.method == "forms" and other.recall.value > first.recall.value
        for other in left_out
    )


def recalls_of_types(
    recall: AnnotatorRecall, apart: Collection[str]
) -> dict[str, float]:
    """The recall of each type, if texts are complete for different types.

    recall (AnnotatorRecall): The recall.
    apart (Collection[str]): The types that texts are stated to be complete for, or that
        are annotated in none of the incomplete texts.
    RETURNS (dict[str, float]): The recall of each type that says enough. Nothing, if
        there are no types apart.
    """
    if not apart:
        return {}
    return {label: interval.value for label, interval in recall.per_type.items()}


def _pool(intervals: Sequence[Interval]) -> Interval:
    """The mean by inverse variance of independent estimates of one number."""
    if len(intervals) == 1:
        return _not_too_sure(intervals[0])
    # One that is sure beyond doubt would leave no say to the others.
    weights = [1 / max(interval.variance, 1e-8) for interval in intervals]
    total = sum(weights)
    value = sum(w * i.value for w, i in zip(weights, intervals, strict=True)) / total
    exact = Interval(value, value, value)
    return _not_too_sure(exact.widened_by(total**-0.5))


def _not_too_sure(recall: Interval) -> Interval:
    """The same with the estimate kept from 0 and 1, which the interval may hold."""
    value = min(max(recall.value, _LOWEST_RECALL), _HIGHEST_RECALL)
    low, high = max(recall.low, 0.0), min(recall.high, 1.0)
    return Interval(value, min(low, value), max(high, value))


def _percent(recall: Interval) -> str:
    value, low, high = (100 * number for number in recall)
    return f"{value:.0f} % (95 % interval {low:.0f} to {high:.0f} %)"
