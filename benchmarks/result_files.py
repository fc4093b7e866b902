"""Where benchmarks put their results."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


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
