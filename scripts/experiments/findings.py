"""What the results say, in a few sentences."""

from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

from .cells import FULL, RATIOS, SCHEMES, Task
from .paper_values import PRINTED, TITLES
from .results import Row, find_rows
from .tables import measure_paper_recovery, measure_recovery

DEFAULT = "adak-default"


class Setting(NamedTuple):
    """Our default in one setting, and AdaK-NER in the paper.

    title (str): What the setting is.
    scheme (str): How annotations were removed.
    ratio (float): The share of entities that are annotated.
    recovery (float): What our default recovers, in per cent.
    paper_recovery (float): What AdaK-NER recovers in the paper, in per cent.
    plain_recovery (float): What the CRF recovers that reads unknown as O, in per cent.
    f1 (float): F1 of our default, in per cent.
    paper_f1 (float): F1 of AdaK-NER in the paper, in per cent.
    times (float): How long our default takes, in multiples of the CRF on all
        annotations.
    """

    title: str
    scheme: str
    ratio: float
    recovery: float
    paper_recovery: float
    plain_recovery: float
    f1: float
    paper_f1: float
    times: float


def describe_findings(groups: Sequence[Sequence[Row]]) -> str:
    """RETURNS (str): What the results say as a list, or nothing if some are not there
    yet.

    groups (Sequence[Sequence[Row]]): The results of each dataset.
    """
    settings = [
        setting
        for group in groups
        for scheme in SCHEMES
        for ratio in RATIOS
        if (setting := _measure(group, scheme, ratio)) is not None
    ]
    if len(settings) < len(SCHEMES) * len(RATIOS) * len(groups):
        return ""
    sentences = (
        _describe_recovery(settings),
        _describe_paper(settings),
        _describe_f1(settings, groups),
        _describe_cost(settings, groups),
        "Each number comes from one or two seeds (the tables say which), so "
        "differences below a point mean nothing.",
    )
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _measure(group: Sequence[Row], scheme: str, ratio: float) -> Setting | None:
    dataset = group[0]["dataset"]
    task, adak = Task(scheme, ratio, DEFAULT), Task(scheme, ratio, "adak")
    ours = measure_recovery(group, dataset, task)
    plain = measure_recovery(group, dataset, Task(scheme, ratio, "crf"))
    theirs = measure_paper_recovery(dataset, adak)
    if ours is None or plain is None or theirs is None:
        return None
    rows, full = find_rows(group, dataset, task), find_rows(group, dataset, FULL)
    return Setting(
        f"{TITLES[dataset]} ({scheme}, ρ = {ratio:g})",
        scheme,
        ratio,
        100 * ours,
        100 * theirs,
        100 * plain,
        100 * mean(row["test"]["f"] for row in rows),
        PRINTED[(dataset, *adak)].f1,
        mean(row["seconds"] for row in rows) / mean(row["seconds"] for row in full),
    )


def _describe_recovery(settings: Sequence[Setting]) -> str:
    low = min(RATIOS)
    few = [setting for setting in settings if setting.ratio == low]
    ours = {
        scheme: _range([s.recovery for s in few if s.scheme == scheme])
        for scheme in SCHEMES
    }
    return (
        f"With {100 * low:.0f} % of the entities annotated, our default recovers "
        f"{ours['random']} % of the F1 with all annotations if annotators forget at "
        f"random, and {ours['entity']} % if they do not know some names. A CRF that "
        f"reads unmarked tokens as O recovers "
        f"{_range([s.plain_recovery for s in few])} %."
    )


def _describe_paper(settings: Sequence[Setting]) -> str:
    below = [s for s in settings if s.recovery < s.paper_recovery]
    above = len(settings) - len(below)
    text = f"The paper recovers less in {above} of {len(settings)} settings"
    if not below:
        return f"{text}."
    misses = [
        f"{s.paper_recovery - s.recovery:.1f} points more on {s.title}" for s in below
    ]
    return f"{text}, and {' and '.join(misses)}."


def _describe_f1(settings: Sequence[Setting], groups: Sequence[Sequence[Row]]) -> str:
    below = sum(s.f1 < s.paper_f1 for s in settings)
    ours, theirs = [], []
    for group in groups:
        dataset = group[0]["dataset"]
        full = find_rows(group, dataset, FULL)
        ours.append(f"{100 * mean(row['test']['f'] for row in full):.1f}")
        theirs.append(f"{PRINTED[(dataset, *FULL)].f1:.1f}")
    return (
        f"Our F1 itself is below the paper's in {below} of {len(settings)} settings, "
        f"because our encoders are smaller and frozen: with all annotations they reach "
        f"{', '.join(ours)}, where the paper's fine-tuned BERT reaches "
        f"{', '.join(theirs)}."
    )


def _describe_cost(settings: Sequence[Setting], groups: Sequence[Sequence[Row]]) -> str:
    trainings = {
        model: _range(
            [r["trainings"] for group in groups for r in group if r["model"] == model],
            digits=0,
        )
        for model in (DEFAULT, "adak")
    }
    return (
        f"Our default takes {_range([s.times for s in settings])} times as long as the "
        f"CRF on all annotations, in {trainings[DEFAULT]} trainings instead of the "
        f"{trainings['adak']} of AdaK-NER."
    )


def _range(values: Sequence[float], digits: int = 1) -> str:
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return low if low == high else f"{low} to {high}"
