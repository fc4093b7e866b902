"""Results with a transformer that is fine-tuned, next to those with it frozen."""

from collections.abc import Iterator, Sequence
from statistics import mean

from wasabi import MarkdownRenderer

from spacy_adak.tasks.progress import describe_seconds

from .cells import FULL, SCHEMES, Task
from .models import MODELS
from .paper_values import PRINTED, TITLES
from .results import Row, find_rows
from .tables import NOTHING, align, measure_paper_recovery, measure_recovery

# The kind of config whose transformer is trained.
CONFIG = "bert"
_FROZEN = "frozen"
_EPOCHS = "training.max_epochs"
_COMPARED = (
    FULL,
    *(Task(s, 0.2, model) for s in SCHEMES for model in ("adak", "adak-default")),
)
# What is to be compared, dataset by dataset.
_WANTED = {
    "taobao": _COMPARED,
    "youku": _COMPARED,
    "conll2003": (Task("random", 0.2, "adak-default"),),
}
_HEADER = (
    "Dataset",
    "Scheme",
    "Model",
    "ρ",
    "P",
    "R",
    "F1",
    "F1, frozen",
    "F1, the paper",
    "rec.",
    "rec., frozen",
    "rec., the paper",
    "Epochs",
    "Trainings",
    "Time",
    "Seeds",
)
_EXPLANATION = (
    "The same encoders, fine-tuned (`configs/zh_bert.cfg`, `en_bert.cfg`) on one CPU "
    "core while other work was running. The CRF has a learning rate of its own, and "
    "first fold models are trained over the frozen transformer. Recovery is F1 divided "
    "by that of the CRF on all annotations with the same encoder, trained alike."
)


def is_fine_tuned(row: Row) -> bool:
    """RETURNS (bool): Whether a result is with a transformer that was trained."""
    return row["config"] == CONFIG


def describe_fine_tuning(rows: Sequence[Row]) -> str:
    """RETURNS (str): A table of all results with a trained transformer, if there are
    any, and what there is no result of.

    rows (Sequence[dict]): Results of all kinds.
    """
    trained = list(filter(is_fine_tuned, rows))
    md = MarkdownRenderer()
    if trained:
        md.add(_EXPLANATION)
        body = [_describe(rows, *place) for place in _places(trained)]
        md.add(md.table(body, list(_HEADER), aligns=align(_HEADER, texts=3)))
    missing = [
        f"{TITLES[dataset]}, {_title(task)}"
        for dataset, tasks in _WANTED.items()
        for task in tasks
        if not find_rows(trained, dataset, task)
    ]
    if missing:
        md.add(f"Not measured yet with a fine-tuned transformer: {'; '.join(missing)}.")
    return md.text


def _title(task: Task) -> str:
    if task == FULL:
        return "CRF on all annotations"
    return f"{MODELS[task.model].title} ({task.scheme}, ρ = {task.ratio:g})"


def _places(trained: Sequence[Row]) -> Iterator[tuple[str, Task, str]]:
    """Datasets, tasks and encoders of results, each once and in the order of tables."""
    found = {
        (
            row["dataset"],
            Task(row["scheme"], row["ratio"], row["model"]),
            row["encoder"],
        )
        for row in trained
    }
    schemes, models = (FULL.scheme, *SCHEMES), list(MODELS)
    yield from sorted(
        found,
        key=lambda place: (
            list(TITLES).index(place[0]),
            schemes.index(place[1].scheme),
            place[1].ratio,
            models.index(place[1].model),
            place[2],
        ),
    )


def _describe(rows: Sequence[Row], dataset: str, task: Task, encoder: str) -> list[str]:
    alike = [row for row in rows if row["encoder"] == encoder]
    trained = list(filter(is_fine_tuned, alike))
    frozen = [row for row in alike if row["config"] == _FROZEN]
    ours = find_rows(trained, dataset, task)
    printed = PRINTED.get((dataset, *task))
    scores = [100 * mean(row["test"][key] for row in ours) for key in "prf"]
    before = [100 * row["test"]["f"] for row in find_rows(frozen, dataset, task)]
    recovery = (
        measure_recovery(trained, dataset, task),
        measure_recovery(frozen, dataset, task),
        measure_paper_recovery(dataset, task),
    )
    epochs = sorted({str(row["settings"].get(_EPOCHS, NOTHING)) for row in ours})
    return [
        TITLES[dataset],
        task.scheme,
        MODELS[task.model].title,
        f"{task.ratio:g}",
        *(f"{score:.2f}" for score in scores),
        f"{mean(before):.2f}" if before else NOTHING,
        f"{printed.f1:.2f}" if printed else NOTHING,
        *(NOTHING if value is None else f"{100 * value:.1f}" for value in recovery),
        " or ".join(epochs),
        f"{mean(row['trainings'] for row in ours):g}",
        describe_seconds(mean(row["seconds"] for row in ours)),
        str(len(ours)),
    ]
