"""The charts of a report on a run. What grows from round to round is drawn if there are
at least two: of a single round the tables say all."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from ..run.folder import ESTIMATION, FINAL, FOLD_MODELS
from .charts.bars import stacked_bars
from .charts.canvas import (
    COLORS,
    Axis,
    describe_number,
    describe_percent,
    round_ticks,
    whole_ticks,
)
from .charts.lines import Line, line_chart
from .run_record import RunRecord, Training

_PART_NAMES = {
    FOLD_MODELS: "fold models",
    ESTIMATION: "estimating q",
    FINAL: "model on all data",
}
_OTHERS = "other types"


class Figure(NamedTuple):
    """A chart with what there is to say about it.

    title (str): What it shows.
    note (str): How to read it; nothing if that is clear.
    chart (Markup): The chart.
    """

    title: str
    note: str
    chart: Markup


def score_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): Precision, recall and F1 on dev, round by round."""
    title = "Precision, recall and F1 on dev"
    scores = {
        ("precision", COLORS[1]): [(r.round, r.precision) for r in run.rounds],
        ("recall", COLORS[2]): [(r.round, r.recall) for r in run.rounds],
        ("F1", COLORS[0]): [(r.round, r.f1) for r in run.rounds],
    }
    lines = []
    for (name, color), points in scores.items():
        known = [
            (float(number), score) for number, score in points if score is not None
        ]
        if known:
            lines.append(Line(name, known, color))
    return _lines_by_round(title, "", lines, run)


def type_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): F1 of each type on dev, round by round."""
    title = "F1 of each type on dev"
    lines = []
    shown = _frequent(run.labels)
    for label, color in zip(shown, COLORS, strict=False):
        points = [
            (float(r.round), r.dev_per_type[label]["f"])
            for r in run.rounds
            if label in r.dev_per_type
        ]
        if points:
            lines.append(Line(label, points, color))
    note = f"The {len(shown)} most frequent types." if shown != run.labels else ""
    return _lines_by_round(title, note, lines, run)


def learning_figures(run: RunRecord) -> list[Figure]:
    """RETURNS (list[Figure]): F1 on dev over the steps of all trainings, a chart for
    each round."""
    all_points = [t for t in run.trainings if t.scores]
    if not all_points:
        return []
    y = _shares(s.f1 or 0.0 for t in all_points for s in t.scores)
    x = Axis("step", round_ticks(0, max(t.scores[-1].step for t in all_points), 4))
    figures = []
    for round_ in run.rounds:
        trainings = [t for t in all_points if t.round == round_.round]
        lines = [
            Line(
                "without a fold" if t.fold is not None else "all data",
                [(s.step, s.f1 or 0.0) for s in t.scores],
                COLORS[7] if t.fold is not None else COLORS[0],
                is_faint=t.fold is not None,
            )
            for t in sorted(trainings, key=lambda t: t.fold is None)
        ]
        if lines:
            title = f"F1 on dev in round {round_.round}"
            chart = line_chart(title, lines, x, y, has_dots=False)
            figures.append(Figure(title, "", chart))
    return figures


def loss_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): The loss of the models on all data."""
    title = "Loss of the models on all data"
    note = "The mean of the steps since the model was last scored."
    trainings = _final_trainings(run)
    if not trainings:
        return None
    trainings.sort(key=lambda training: training.round == run.best.round)
    lines = []
    for training in trainings:
        is_best = training.round == run.best.round
        lines.append(
            Line(
                f"round {training.round}, the best" if is_best else "other rounds",
                [(s.step, s.loss) for s in training.scores],
                COLORS[0] if is_best else COLORS[7],
                is_faint=not is_best,
            )
        )
    x = Axis("step", round_ticks(0, max(t.scores[-1].step for t in trainings)))
    highest = max(s.loss for t in trainings for s in t.scores)
    y = Axis("loss", round_ticks(0, highest))
    chart = line_chart(title, lines, x, y, has_dots=False)
    return Figure(title, note, chart)


def weight_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): λ over the steps of the best model's training."""
    title = "λ, the weight of the model's own best paths"
    trainings = [t for t in _final_trainings(run) if t.round == run.best.round]
    rows = [s for t in trainings for s in t.scores if s.best_paths_weight is not None]
    if not rows:
        return None
    points = [(float(s.step), s.best_paths_weight or 0.0) for s in rows]
    chart = line_chart(
        title,
        [Line("λ", points, COLORS[4])],
        Axis("step", round_ticks(0, rows[-1].step, 5)),
        Axis("λ", round_ticks(0, 1)),
        has_dots=False,
        has_legend=False,
    )
    return Figure(title, f"In the training of round {run.best.round}.", chart)


def change_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): How much of q changed, round by round."""
    if len(run.rounds) == 1:
        return None
    title = "Unknown tokens whose estimated tag changed"
    bars = [(r.round, {"changed": r.changed}) for r in run.rounds]
    y = Axis(
        "changed",
        round_ticks(0, max(r.changed for r in run.rounds) or 0.01),
        describe_percent,
    )
    chart = stacked_bars(title, bars, {"changed": COLORS[0]}, "round", y)
    note = (
        f"A run ends early when less than {100 * run.convergence:g} % change. What the "
        "first round changes was no estimate before."
    )
    return Figure(title, note, chart)


def estimate_figure(run: RunRecord) -> Figure:
    """RETURNS (Figure): The entities found in the training texts, round by round."""
    title = "Entities found in the training texts"
    counts = [Counter(r.estimated_per_type) for r in run.rounds]
    note = f"Besides the {run.train.entities.total():,} that are annotated."
    return Figure(title, note, _counts_by_type(title, run, counts))


def dictionary_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): The size of the dictionary, round by round."""
    if len(run.rounds) == 1:
        return None
    title = "Entities in the dictionary"
    note = "Names found often enough to be candidates in the next round."
    return Figure(title, note, _counts_by_type(title, run, run.dictionaries))


def time_figure(run: RunRecord) -> Figure | None:
    """RETURNS (Figure | None): How long the parts of each round took."""
    title = "Time"
    longest = max(sum(r.seconds_per_part.values()) for r in run.rounds)
    if not longest:
        return None
    name, unit = _time_unit(longest)
    bars = [
        (
            r.round,
            {
                _PART_NAMES[part]: seconds / unit
                for part, seconds in r.seconds_per_part.items()
            },
        )
        for r in run.rounds
    ]
    colors = dict(zip(_PART_NAMES.values(), COLORS, strict=False))
    if not run.has_q:
        colors = {_PART_NAMES[FINAL]: COLORS[0]}
    y = Axis(name, round_ticks(0, longest / unit))
    chart = stacked_bars(title, bars, colors, "round", y)
    note = "Of a round that was stopped, what it took since the run was last resumed."
    return Figure(title, note, chart)


def _time_unit(seconds: float) -> tuple[str, float]:
    if seconds < 180:
        return "seconds", 1.0
    return ("minutes", 60.0) if seconds < 3 * 3600 else ("hours", 3600.0)


def _round_axis(run: RunRecord) -> Axis:
    first, last = run.rounds[0].round, run.rounds[-1].round
    ticks = whole_ticks(first, last, 10)
    return Axis("round", ticks, low=first - 0.3, high=last + 0.3)


def _lines_by_round(
    title: str, note: str, lines: Sequence[Line], run: RunRecord
) -> Figure | None:
    if not lines or len(run.rounds) == 1:
        return None
    y = _shares(value for line in lines for _, value in line.points)
    return Figure(title, note, line_chart(title, lines, _round_axis(run), y))


def _shares(values: Iterable[float]) -> Axis:
    low = 0.0 if min(values, default=0.0) < 0.5 else 0.5
    return Axis("score", round_ticks(low, 1.0), describe_percent, low=low, high=1.0)


def _final_trainings(run: RunRecord) -> list[Training]:
    return [t for t in run.trainings if t.fold is None and t.scores]


def _frequent(labels: list[str]) -> list[str]:
    return labels if len(labels) <= len(COLORS) else labels[: len(COLORS) - 1]


def _counts_by_type(
    title: str, run: RunRecord, counts: Sequence[Counter[str]]
) -> Markup:
    shown = _frequent(run.labels)
    colors = dict(zip(shown, COLORS, strict=False))
    if shown != run.labels:
        colors[_OTHERS] = COLORS[-1]
    bars = []
    for round_, count in zip(run.rounds, counts, strict=True):
        parts = {label: float(count[label]) for label in shown}
        parts[_OTHERS] = float(count.total()) - sum(parts.values())
        bars.append((round_.round, parts))
    highest = max(count.total() for count in counts)
    y = Axis("entities", round_ticks(0, highest or 1), describe_number)
    return stacked_bars(title, bars, colors, "round", y)
