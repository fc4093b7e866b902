"""What the paper trains, and a peer: a cell for each dataset, scheme,
ratio, model and seed."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from typing import Any, NamedTuple

LOSS = "components.adak_ner.loss"
# Each model is the default config with some settings overridden.
MODELS: dict[str, dict[str, Any]] = {
    "crf": {LOSS: "crf"},
    "fuzzy": {LOSS: "fuzzy"},
    "weighted": {LOSS: "weighted", "adak.mask": False, "adak.min_sample_score": 0.0},
    "adak": {},
}
# Not in the paper: the expected entity ratio (Effland and Collins, 2021).
PEERS: dict[str, dict[str, Any]] = {"ratio": {LOSS: "ratio"}}
ABLATIONS: dict[str, dict[str, Any]] = {
    "without-kbest-loss": {LOSS: "weighted"},
    "without-weighted-loss": {"components.adak_ner.gamma": 0.0},
    "without-annealing": {"components.adak_ner.gamma": None},
    "without-kbest-candidates": {"adak.kbest_candidates": False},
    "without-dictionary": {"adak.dictionary": False},
    "without-mask": {"adak.mask": False},
    "without-selection": {"adak.min_sample_score": 0.0},
}
# K = 5 is the default, and so the model "adak".
KS: dict[int, str] = {1: "adak-k1", 3: "adak-k3", 5: "adak", 7: "adak-k7", 9: "adak-k9"}
SETTINGS: dict[str, dict[str, Any]] = {
    **MODELS,
    **PEERS,
    **ABLATIONS,
    **{
        model: {"components.adak_ner.k": k}
        for k, model in KS.items()
        if model != "adak"
    },
}

SCHEMES = ("random", "entity")
RATIOS = (0.2, 0.4)
CURVE_RATIOS = (0.2, 0.4, 0.6, 0.8)
CURVE_MODELS = ("fuzzy", "weighted", "adak")


class Cell(NamedTuple):
    """A training run: data, what is kept of its annotations, a model and a seed."""

    dataset: str
    scheme: str
    ratio: float
    model: str
    seed: int

    @property
    def name(self) -> str:
        """RETURNS (str): A name for files, and to choose cells by."""
        return "_".join(
            (self.dataset, self.scheme, f"{self.ratio:g}", self.model, str(self.seed))
        )


def full_cell(dataset: str, seed: int) -> Cell:
    """RETURNS (Cell): The CRF on all annotations, by which recovery is measured."""
    return Cell(dataset, "full", 1.0, "crf", seed)


def table_cells(datasets: Sequence[str], seeds: Sequence[int]) -> Iterator[Cell]:
    """YIELDS (Cell): What Tables 2 and 3 are made of, and the peers beside it."""
    for dataset in datasets:
        for seed in seeds:
            yield full_cell(dataset, seed)
            for scheme in SCHEMES:
                for ratio in RATIOS:
                    for model in (*MODELS, *PEERS):
                        yield Cell(dataset, scheme, ratio, model, seed)


def ablation_cells(datasets: Sequence[str], seeds: Sequence[int]) -> Iterator[Cell]:
    """YIELDS (Cell): What Table 4 is made of."""
    for dataset in datasets:
        for seed in seeds:
            yield full_cell(dataset, seed)
            for model in (*ABLATIONS, "adak"):
                yield Cell(dataset, "random", 0.2, model, seed)


def figure_cells(datasets: Sequence[str], seeds: Sequence[int]) -> Iterator[Cell]:
    """YIELDS (Cell): What the figures for K and for the ratio are made of."""
    for dataset in datasets:
        for seed in seeds:
            for model in KS.values():
                yield Cell(dataset, "random", 0.2, model, seed)
            for ratio in CURVE_RATIOS:
                for model in CURVE_MODELS:
                    if (ratio, model) != (0.2, "adak"):  # K = 5 above
                        yield Cell(dataset, "random", ratio, model, seed)


EXPERIMENTS = {
    "tables": table_cells,
    "ablation": ablation_cells,
    "figures": figure_cells,
}
DATASETS = {
    "tables": ("conll2003", "taobao", "youku"),
    "ablation": ("conll2003", "taobao", "youku"),
    # As in the paper.
    "figures": ("taobao",),
}


def choose_cells(
    experiment: str, datasets: Sequence[str], seeds: Sequence[int], only: str = "*"
) -> list[Cell]:
    """List the cells of an experiment, or of all.

    experiment (str): A key of `EXPERIMENTS`, or "all".
    datasets (Sequence[str]): The datasets; those of the paper if there are none.
    seeds (Sequence[int]): The seeds.
    only (str): A pattern, as for file names, for the names of cells.
    RETURNS (list[Cell]): The cells, each once.
    """
    names = EXPERIMENTS if experiment == "all" else [experiment]
    cells = [
        cell
        for name in names
        for cell in EXPERIMENTS[name](datasets or DATASETS[name], seeds)
    ]
    return [cell for cell in dict.fromkeys(cells) if fnmatch(cell.name, only)]
