"""What each strategy of AdaK-NER is worth, and the effect of K and of the ratio.

These are Table 4 and Figure 2 of the paper, as far as they were measured.
"""

from collections.abc import Iterable, Sequence

from wasabi import MarkdownRenderer

from .cells import EXPERIMENTS, Task
from .figures import draw_all, find_dataset
from .models import ABLATIONS, MODELS, PAPER_ROUNDS
from .paper_values import PRINTED, TITLES
from .results import (
    Row,
    describe_encoder_of,
    find_rows,
    group_by_rounds,
    group_rows,
    title_model,
)
from .tables import NOTHING, align, compare, mean_f1

# With the paper's rounds it takes hours.
DATASETS = ("youku", "taobao")
_ADAK = Task("random", 0.2, "adak")
_HEADER = ("Model", "P", "R", "F1", "change of F1", "Seeds")
_INTRODUCTION = (
    "AdaK-NER with the settings of the paper, and without each of its strategies "
    "(Table 4 of the paper). Random-based scheme, ρ = 0.2, frozen encoder. Each value "
    "is ours / the paper's, in per cent on test; the change is that from AdaK-NER. "
    "`python -m scripts.experiments.run ablation --config frozen` trains these models, "
    "with `--profile short` in 3 rounds instead of 10."
)
_FIGURES = (
    "The figures of the paper: F1 over ρ, and P, R and F1 over K, random-based scheme. "
    "Dashed lines are the values that the paper prints. `python -m "
    "scripts.experiments.run figures --config frozen` trains these models."
)
CHARTS = {"k": "P, R and F1 over K", "ratio": "F1 over ρ"}


def describe_ablation(rows: Iterable[Row]) -> str:
    """RETURNS (str): A table for each dataset and number of rounds of which there is a
    result, what there is no result of, and the figures.

    rows (Iterable[dict]): Results with frozen encoders, of any number of rounds.
    """
    rows = list(rows)
    md = MarkdownRenderer()
    md.add(_INTRODUCTION)
    for group in group_rows(rows):
        dataset = group[0]["dataset"]
        for rounds, alike in group_by_rounds(group).items():
            if any(find_rows(alike, dataset, task) for task in _without()):
                title = f"{TITLES[dataset]}: {describe_encoder_of(group[0])}"
                md.add(md.title(3, f"{title}, {rounds} rounds"))
                md.add(_make_table(alike, dataset))
    md.add(_describe_missing(rows))
    if figures := draw_all(rows, find_dataset(rows)):
        md.add(_FIGURES)
        for name in figures:
            md.add(f"![{CHARTS[name]}](docs/images/{name}.svg)")
    return md.text


def _without() -> list[Task]:
    return [_ADAK._replace(model=model) for model in ABLATIONS]


def _make_table(rows: Sequence[Row], dataset: str) -> str:
    body = []
    for task in (_ADAK, *_without()):
        found = find_rows(rows, dataset, task)
        body.append(
            [
                title_model(task.model, found),
                *compare(rows, dataset, task)[:3],
                _describe_change(rows, dataset, task),
                str(len(found)),
            ]
        )
    return MarkdownRenderer().table(body, list(_HEADER), aligns=align(_HEADER, texts=1))


def _describe_change(rows: Sequence[Row], dataset: str, task: Task) -> str:
    """How far F1 is from that of AdaK-NER, here and in the paper."""
    ours, adak = (mean_f1(rows, dataset, each) for each in (task, _ADAK))
    printed = [PRINTED[(dataset, *each)].f1 for each in (task, _ADAK)]
    here = NOTHING if ours is None or adak is None else f"{ours - adak:+.2f}"
    return f"{here} / {printed[0] - printed[1]:+.2f}"


def _describe_missing(rows: Sequence[Row]) -> str:
    """What there is no result of with the rounds of the paper."""
    alike = group_by_rounds(rows).get(PAPER_ROUNDS, [])
    figures = EXPERIMENTS["figures"]
    wanted = [(dataset, task) for dataset in DATASETS for task in _without()]
    wanted += [(data, task) for data in figures.datasets for task in figures.tasks()]
    missing: dict[str, list[str]] = {}
    for dataset, task in wanted:
        if not find_rows(alike, dataset, task):
            title = MODELS[task.model].title
            if task.ratio != _ADAK.ratio:
                title += f" (ρ = {task.ratio:g})"
            missing.setdefault(TITLES[dataset], []).append(title)
    if not missing:
        return "All of this was measured."
    texts = [f"{title}: {'; '.join(models)}" for title, models in missing.items()]
    return f"Not measured yet in {PAPER_ROUNDS} rounds. {'. '.join(texts)}."
