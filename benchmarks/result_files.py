"""Where benchmarks put their results."""

import os
import platform
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import srsly
import torch

RESULTS = Path(__file__).parent / "results"
Row = dict[str, Any]
_PACKAGES = ("spacy", "thinc", "torch", "numpy")


def result_path(
    name: str, parser: ArgumentParser, args: Namespace, *sizes: str
) -> Path:
    """Choose a file, so that a try with other sizes does not overwrite what counts.

    name (str): The name of the benchmark.
    parser (ArgumentParser): Knows the default sizes.
    args (Namespace): What was asked for.
    sizes (str): The arguments that say how much is done.
    RETURNS (Path): The file.
    """
    RESULTS.mkdir(exist_ok=True)
    if any(getattr(args, size) != parser.get_default(size) for size in sizes):
        name = f"quick.{name}"
    return RESULTS / f"{name}.jsonl"


def settings(args: Namespace, *packages: str) -> Row:
    """What a reader has to know of a measurement.

    args (Namespace): What was asked for. Of paths the last two parts are told.
    packages (str): Packages that take part, in addition to those that always do.
    RETURNS (Row): The first row of a file of results.
    """
    asked = {
        name: "/".join(value.parts[-2:]) if isinstance(value, Path) else value
        for name, value in vars(args).items()
        if value is not None
    }
    return {
        **asked,
        "python": platform.python_version(),
        **{name: version(name) for name in (*_PACKAGES, *packages)},
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
        "load average": round(os.getloadavg()[0], 1),
    }


def write_results(
    path: Path, args: Namespace, rows: Sequence[Row], packages: Sequence[str] = ()
) -> None:
    """Write what was measured, after its settings.

    path (Path): The file.
    args (Namespace): What was asked for.
    rows (Sequence[Row]): What was found.
    packages (Sequence[str]): Packages that took part.
    """
    srsly.write_jsonl(path, [{"settings": settings(args, *packages)}, *rows])
