"""What the paper prints: its Tables 1 to 4 (Ruan, Zheng and Hu, 2022)."""

from typing import NamedTuple

TITLES = {
    "conll2003": "CoNLL-2003",
    "taobao": "Taobao",
    "youku": "Youku",
    "sample": "Sample",
}


class Printed(NamedTuple):
    """Precision, recall and F1 as printed, in per cent."""

    p: float
    r: float
    f: float

    @property
    def f1(self) -> float:
        """RETURNS (float): F1 that follows from P and R, which is not always `f`."""
        return 2 * self.p * self.r / (self.p + self.r)

    @property
    def is_consistent(self) -> bool:
        """RETURNS (bool): Whether `f` is what P and R make it, but for rounding."""
        return abs(self.f1 - self.f) < 0.05


# Table 1: entities and sentences of each split.
STATISTICS = {
    "conll2003": {"train": (23499, 14041), "dev": (5942, 3250), "test": (5648, 3453)},
    "taobao": {"train": (29397, 6000), "dev": (4941, 998), "test": (4866, 1000)},
    "youku": {"train": (12754, 8001), "dev": (1580, 1000), "test": (1570, 1001)},
}
# What the files hold where that is not what the paper prints.
KNOWN_DIFFERENCES = {("youku", "dev"): (1581, 1000)}

_DATASETS = ("conll2003", "taobao", "youku")
# Tables 2 and 3: scheme, ratio and model; P, R and F1 for each of the datasets.
_COMPARISON = """
random 0.2 crf 81.42 15.05 25.40 83.11 24.06 37.32 64.85 20.45 31.09
random 0.2 fuzzy 17.94 88.14 29.81 41.48 80.39 54.72 22.74 84.65 35.85
random 0.2 weighted 85.03 82.65 83.82 70.06 57.85 63.37 70.18 38.98 50.12
random 0.2 adak 87.05 86.74 86.89 74.24 78.89 76.50 78.21 79.96 78.09
random 0.4 crf 80.07 51.25 62.49 84.76 47.68 61.03 78.89 50.70 61.73
random 0.4 fuzzy 14.89 86.61 25.41 43.51 85.02 57.56 30.88 84.01 45.16
random 0.4 weighted 85.40 88.69 87.01 73.17 81.09 76.93 74.99 82.29 78.47
random 0.4 adak 87.47 88.70 88.08 74.08 80.13 76.99 78.38 81.53 79.93
entity 0.2 crf 86.79 18.36 30.31 39.62 10.58 16.70 69.10 15.67 25.55
entity 0.2 fuzzy 15.99 86.30 26.98 42.49 82.33 56.05 27.79 86.37 42.05
entity 0.2 weighted 83.40 70.96 76.68 73.49 52.63 61.33 74.71 32.55 45.34
entity 0.2 adak 86.32 71.72 78.35 73.24 76.59 74.88 78.86 75.54 76.20
entity 0.4 crf 86.68 34.26 49.11 78.43 39.68 52.70 62.16 35.16 44.91
entity 0.4 fuzzy 13.84 84.60 23.79 42.24 81.07 55.54 32.10 82.87 46.27
entity 0.4 weighted 84.68 76.91 80.61 74.65 79.57 77.03 75.67 80.64 78.08
entity 0.4 adak 85.48 77.85 81.49 74.58 80.54 77.44 79.01 81.02 80.00
full 1.0 crf 91.34 92.36 91.85 86.01 88.20 87.09 83.20 84.52 83.85
"""
# Table 4: what is left out; the same for each of the datasets.
_ABLATION = """
without-kbest-loss 88.55 80.49 84.33 78.64 53.12 63.41 62.26 39.30 48.18
without-weighted-loss 83.79 82.84 83.32 47.85 66.15 55.53 73.46 71.59 72.52
without-annealing 88.36 84.01 86.13 76.09 60.05 67.13 80.98 62.29 70.79
without-kbest-candidates 84.42 73.76 78.73 72.75 56.62 63.68 73.94 58.03 65.02
without-dictionary 87.52 86.33 86.92 72.38 77.44 74.82 77.88 74.46 76.13
without-mask 84.97 86.51 85.73 68.29 79.16 73.32 73.40 79.81 76.47
without-selection 86.64 86.03 86.33 72.88 79.59 76.09 78.48 79.43 78.95
"""


def _read_tables() -> dict[tuple[str, str, float, str], Printed]:
    lines = [line.split() for line in _COMPARISON.strip().splitlines()]
    lines += [
        ["random", "0.2", *line.split()] for line in _ABLATION.strip().splitlines()
    ]
    return {
        (dataset, scheme, float(ratio), model): Printed(
            *(float(value) for value in values[3 * i : 3 * i + 3])
        )
        for scheme, ratio, model, *values in lines
        for i, dataset in enumerate(_DATASETS)
    }


# By dataset, scheme, ratio and model, as cells have them.
PRINTED = _read_tables()
