"""What is trained: a cell for each dataset, config, scheme, ratio, model and seed."""

from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch
from typing import NamedTuple

from .models import ABLATIONS, FINE_TUNING, KS, NER

SCHEMES = ("random", "entity")
RATIOS = (0.2, 0.4)
TABLE_MODELS = ("crf", "fuzzy", "weighted", "adak")
CURVE_RATIOS = (0.2, 0.4, 0.6, 0.8)
CURVE_MODELS = ("fuzzy", "weighted", "adak")
RECOVERY_MODELS = (
    "crf",
    NER,
    "fuzzy",
    "weighted",
    "ratio",
    "missing",
    "adak",
    "adak-default",
)


class Task(NamedTuple):
    """What is to be learnt: from which of the annotations, and by which model."""

    scheme: str
    ratio: float
    model: str


# The kind of config whose transformer is trained.
FINE_TUNED = "bert"
# The CRF on all annotations, by which recovery is measured.
FULL = Task("full", 1.0, "crf")


class Cell(NamedTuple):
    """A training run: data and config, what is to be learnt, and a seed."""

    dataset: str
    config: str
    scheme: str
    ratio: float
    model: str
    seed: int

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files, and to choose cells by."""
        ratio = f"{self.ratio:g}"
        what = (self.dataset, self.config, self.scheme, ratio, self.model)
        return "_".join((*what, str(self.seed)))

    @property
    def task(self) -> Task:
        """RETURNS (Task): What is to be learnt."""
        return Task(self.scheme, self.ratio, self.model)


def table_tasks() -> Iterator[Task]:
    """YIELDS (Task): What Tables 2 and 3 are made of."""
    yield FULL
    for scheme in SCHEMES:
        for ratio in RATIOS:
            for model in TABLE_MODELS:
                yield Task(scheme, ratio, model)


def ablation_tasks() -> Iterator[Task]:
    """YIELDS (Task): What Table 4 is made of."""
    yield FULL
    for model in (*ABLATIONS, "adak"):
        yield Task("random", 0.2, model)


def figure_tasks() -> Iterator[Task]:
    """YIELDS (Task): What the figures for K and for the ratio are made of."""
    for model in KS.values():
        yield Task("random", 0.2, model)
    for ratio in CURVE_RATIOS:
        for model in CURVE_MODELS:
            yield Task("random", ratio, model)


def recovery_tasks() -> Iterator[Task]:
    """YIELDS (Task): What the comparison of all models is made of."""
    yield FULL
    for scheme in SCHEMES:
        for ratio in RATIOS:
            for model in RECOVERY_MODELS:
                yield Task(scheme, ratio, model)


def fine_tuning_tasks() -> Iterator[Task]:
    """YIELDS (Task): What is compared where a transformer is fine-tuned."""
    yield FULL
    for scheme in SCHEMES:
        for model in ("adak-default", "adak", *FINE_TUNING):
            yield Task(scheme, 0.2, model)


class Experiment(NamedTuple):
    """An experiment.

    tasks (Callable[[], Iterator[Task]]): What is to be learnt.
    datasets (Sequence[str]): The datasets that it is made on.
    config (str | None): The only kind of config that it is about, if there is one.
    """

    tasks: Callable[[], Iterator[Task]]
    datasets: Sequence[str]
    config: str | None = None


EXPERIMENTS = {
    "tables": Experiment(table_tasks, ("conll2003", "taobao", "youku")),
    "ablation": Experiment(ablation_tasks, ("conll2003", "taobao", "youku")),
    # As in the paper.
    "figures": Experiment(figure_tasks, ("taobao",)),
    "recovery": Experiment(recovery_tasks, ("conll2003", "taobao", "youku")),
    "fine-tuning": Experiment(
        fine_tuning_tasks, ("youku", "taobao", "conll2003"), FINE_TUNED
    ),
}


def choose_cells(
    experiment: str,
    *,
    config: str,
    datasets: Sequence[str] = (),
    seeds: Sequence[int] = (0,),
    only: str = "*",
) -> list[Cell]:
    """List the cells of an experiment, or of all.

    experiment (str): A key of `EXPERIMENTS`, or "all".
    config (str): Which config of the datasets, for instance "cpu".
    datasets (Sequence[str]): The datasets; those of the experiment if there are none.
    seeds (Sequence[int]): The seeds.
    only (str): Patterns as for file names, with commas between them, for the names of
        cells.
    RETURNS (list[Cell]): The cells, each once.
    """
    names = EXPERIMENTS if experiment == "all" else [experiment]
    cells = [
        Cell(dataset, config, *task, seed)
        for name in names
        if EXPERIMENTS[name].config in (None, config)
        for dataset in datasets or EXPERIMENTS[name].datasets
        for seed in seeds
        for task in EXPERIMENTS[name].tasks()
    ]
    return [
        cell
        for cell in dict.fromkeys(cells)
        if any(fnmatch(cell.name, pattern) for pattern in _split(only))
    ]


def unused_patterns(cells: Sequence[Cell], only: str) -> list[str]:
    """RETURNS (list[str]): The patterns that fit none of the cells they chose."""
    return [
        pattern
        for pattern in _split(only)
        if not any(fnmatch(cell.name, pattern) for cell in cells)
    ]


def _split(only: str) -> list[str]:
    return [pattern.strip() for pattern in only.split(",") if pattern.strip()]
