"""Results with a transformer that is fine-tuned, next to those with it frozen."""

from collections.abc import Iterator, Sequence
from statistics import mean

from wasabi import MarkdownRenderer

from spacy_adak.tasks.progress import describe_seconds

from .cells import EXPERIMENTS, FINE_TUNED, FULL, SCHEMES, Task
from .findings import DEFAULT
from .models import MODELS
from .paper_values import PRINTED, TITLES
from .results import Row, find_rows, title_model
from .tables import (
    NOTHING,
    align,
    mean_f1,
    measure_paper_recovery,
    measure_recovery,
)

_EXPERIMENT = EXPERIMENTS["fine-tuning"]
_FROZEN = "frozen"
_RECOVERED = Task("entity", 0.2, DEFAULT)
_EPOCHS = "training.max_epochs"
_HEADER = (
    "Dataset",
    "Scheme",
    "Model",
    "ρ",
    "P",
    "R",
    "F1",
    "F1, dev",
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
    "core while other work was running. In our default and the CRF on all annotations "
    "the CRF has a learning rate of its own, and first fold models are trained over "
    "the frozen transformer. AdaK-NER has one rate for all (`zh_bert_paper.cfg`). "
    "Recovery is F1 divided by that of the CRF on all annotations with the same "
    "encoder."
)


def is_fine_tuned(row: Row) -> bool:
    """RETURNS (bool): Whether a result is with a transformer that was trained."""
    return row["config"] == FINE_TUNED


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
    if goals := _describe_goals(rows):
        md.add(goals)
    missing = {
        TITLES[dataset]: titles
        for dataset in _EXPERIMENT.datasets
        if (titles := _missing(trained, dataset))
    }
    if missing:
        texts = [f"{title}: {'; '.join(models)}" for title, models in missing.items()]
        md.add(f"Not measured yet, with ρ = 0.2. {'. '.join(texts)}.")
    return md.text


def _describe_goals(rows: Sequence[Row]) -> str:
    """RETURNS (str): What was to be reached, and whether it was, as far as measured."""
    trained = list(filter(is_fine_tuned, rows))
    frozen = [row for row in rows if row["config"] == _FROZEN]
    outcomes = []
    for dataset in _EXPERIMENT.datasets:
        for scheme in SCHEMES:
            task = Task(scheme, 0.2, DEFAULT)
            f1 = [mean_f1(some, dataset, task) for some in (trained, frozen)]
            if f1[0] is not None and f1[1] is not None:
                gain = f1[0] - f1[1]
                outcome = "met" if gain > 0 else "missed"
                outcomes.append(f"{TITLES[dataset]} ({scheme}) {outcome}, {gain:+.2f}")
    if not outcomes:
        return ""
    text = (
        "To reach with our default and ρ = 0.2: F1 above that with the frozen "
        f"transformer. {'; '.join(outcomes)}."
    )
    recovery = measure_recovery(trained, "youku", _RECOVERED)
    theirs = measure_paper_recovery("youku", _RECOVERED._replace(model="adak"))
    if recovery is not None and theirs is not None:
        outcome = "met" if recovery > theirs else "missed"
        text += (
            f" Recovery on Youku (entity) above the paper's {100 * theirs:.1f}: "
            f"{outcome}, {100 * recovery:.1f}."
        )
    return text


def _missing(trained: Sequence[Row], dataset: str) -> list[str]:
    """The models without a result, with their schemes."""
    schemes: dict[str, list[str]] = {}
    for task in _EXPERIMENT.tasks():
        if not find_rows(trained, dataset, task):
            schemes.setdefault(task.model, []).append(task.scheme)
    return [
        "CRF on all annotations"
        if of_model == [FULL.scheme]
        else f"{MODELS[model].title} ({', '.join(of_model)})"
        for model, of_model in schemes.items()
    ]


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
    on_dev = [100 * row["dev"]["f"] for row in ours if row["dev"]["f"] is not None]
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
        title_model(task.model, ours),
        f"{task.ratio:g}",
        *(f"{score:.2f}" for score in scores),
        f"{mean(on_dev):.2f}" if on_dev else NOTHING,
        f"{mean(before):.2f}" if before else NOTHING,
        f"{printed.f1:.2f}" if printed else NOTHING,
        *(NOTHING if value is None else f"{100 * value:.1f}" for value in recovery),
        " or ".join(epochs),
        f"{mean(row['trainings'] for row in ours):g}",
        describe_seconds(mean(row["seconds"] for row in ours)),
        str(len(ours)),
    ]
