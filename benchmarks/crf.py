"""The CRF core compared with its peers, and which targets it reaches.

    python -m benchmarks.crf                the sizes of the targets
    python -m benchmarks.crf --all-sizes    many more, a few minutes

Contenders take turns in one process with one thread. A number with × is the median over
rounds of the peer's time over that of spacy_adak: above 1 spacy_adak is faster. Losses
are forward and backward, decoding has no gradient. Scores are float32 and random,
sentences have half of the length up to all of it, and 30 % of the tags are known where
the loss is constrained. spacy_adak computes in float64.

Before anything is timed, all contenders must agree on the values: losses with all of
their gradient, and the scores of the paths found. torch-struct has moves only, so that
other scores are put into them: within the timed part for the loss, before it for
decoding. Where its tables take too much memory it is left out. pytorch-partial-crf
computes a wrong constrained loss at batch size 1, so values are not compared there. The
adak loss, with K = 5 and λ = 0.5, has no peer and is compared with the plain loss of
pytorch-crf.
"""

import argparse
import itertools
import statistics
from collections.abc import Iterator
from operator import attrgetter
from typing import NamedTuple

import torch

from .peers import PEERS, PytorchPartialCrf
from .problem import Contender, Size, SpacyAdak, make_problem
from .result_files import Row, result_path, write_results
from .scaling import LENGTHS, TASKS, Growth, measure_growth
from .timing import median_ratio, time_in_turns

OURS = SpacyAdak.name
TARGET_SIZE = Size(32, 32, 9)
TARGET_SIZES = [TARGET_SIZE, Size(1, 32, 9), Size(32, 180, 9)]
GRID = [
    Size(*size) for size in itertools.product((1, 32, 128), (16, 32, 64, 180), (9, 17))
]
GRID_SECONDS = 0.5
# Float32 sums over some thousand tokens.
TOLERANCE = 1e-3
# Contender, task and batch size of values known to be wrong, see `PytorchPartialCrf`.
WRONG = {(PytorchPartialCrf.name, "constrained loss", 1)}


class Measurement(NamedTuple):
    """One contender at one task and size.

    speed_up (float): How many times as fast `spacy_adak` is: the median over rounds.
    """

    task: str
    size: Size
    contender: str
    milliseconds: float
    speed_up: float
    rounds: int


class Target(NamedTuple):
    """A speed-up over a peer, or over the fastest one if none is named."""

    what: str
    task: str
    size: Size
    peer: str | None
    speed_up: float


TARGETS = [
    Target("loss", "loss", TARGET_SIZE, "pytorch-crf", 2.5),
    Target("loss, length 180", "loss", Size(32, 180, 9), "pytorch-crf", 5.0),
    Target(
        "constrained loss", "constrained loss", TARGET_SIZE, "pytorch-partial-crf", 5.0
    ),
    Target("K-best, K=5", "kbest, K=5", TARGET_SIZE, "torch-struct", 100.0),
    Target("Viterbi", "viterbi", TARGET_SIZE, None, 1.3),
    Target("Viterbi, batch 1", "viterbi", Size(1, 32, 9), None, 1.0),
    Target(
        "adak loss, K=5, beside a plain loss: at most 1.2 times its time",
        "adak loss, K=5",
        TARGET_SIZE,
        "pytorch-crf",
        1 / 1.2,
    ),
]
# How much more a token may cost in sentences of 1024 tokens than in those of 128.
MOST_EXCESS = 1.25


def measure(size: Size, seconds: float) -> Iterator[Measurement]:
    """Check that all contenders agree at a size, then time them.

    size (Size): The batch.
    seconds (float): For each task.
    YIELDS (Measurement): One per task and contender.
    """
    problem = make_problem(size)
    contenders: list[Contender] = [SpacyAdak(problem)]
    contenders += [peer(problem) for peer in PEERS]
    tasks = {contender.name: contender.tasks() for contender in contenders}
    for task, ours in tasks[OURS].items():
        expected = ours.numbers(ours.run())
        rivals = {name: t[task] for name, t in tasks.items() if task in t}
        for name, rival in rivals.items():
            if (name, task, size.batch) in WRONG:
                continue
            numbers = rival.numbers(rival.run())
            if not torch.allclose(numbers, expected, TOLERANCE, TOLERANCE):
                raise SystemExit(f"{name} and {OURS} differ: {task}, {size}")
        times = time_in_turns({n: rival.run for n, rival in rivals.items()}, seconds)
        for name, rounds in times.items():
            yield Measurement(
                task,
                size,
                name,
                statistics.median(rounds) * 1e3,
                median_ratio(rounds, times[OURS]),
                len(rounds),
            )


def reached(target: Target, measurements: list[Measurement]) -> tuple[bool, float, str]:
    """Compare a target with what was measured.

    target (Target): The target.
    measurements (list[Measurement]): All there are.
    RETURNS (tuple[bool, float, str]): Whether it is reached, the speed-up and the peer.
    """
    speed_up, peer = min(
        (m.speed_up, m.contender)
        for m in measurements
        if (m.task, m.size) == (target.task, target.size)
        and m.contender != OURS
        and target.peer in (None, m.contender)
    )
    return speed_up >= target.speed_up, speed_up, peer


def target_rows(
    measurements: list[Measurement], growths: list[Growth]
) -> Iterator[Row]:
    """YIELDS (Row): Each target, and whether it is reached."""
    for target in TARGETS:
        ok, speed_up, peer = reached(target, measurements)
        yield {
            "target": f"{target.what}, times {peer}",
            "asked for": f"at least {target.speed_up:.2f}",
            "measured": round(speed_up, 2),
            "reached": "yes" if ok else "no",
        }
    for growth in growths:
        for kind, found in (
            ("time", growth.time_excess),
            ("memory", growth.memory_excess),
        ):
            yield {
                "target": f"{kind} of {growth.task} per token, length {LENGTHS[-1]} "
                f"over {LENGTHS[0]}",
                "asked for": f"at most {MOST_EXCESS}",
                "measured": round(found, 2),
                "reached": "yes" if found <= MOST_EXCESS else "no",
            }


def size_rows(measurements: list[Measurement]) -> Iterator[Row]:
    """YIELDS (Row): For each task and size our time, and how each peer compares."""
    by_row = attrgetter("task", "size")
    for (task, size), row in itertools.groupby(measurements, by_row):
        by_name = {m.contender: m for m in row}
        ours = by_name.pop(OURS)
        peers = {name: f"{m.speed_up:.3g}×" for name, m in by_name.items()}
        sizes = f"{size.batch} × {size.length} × {size.tags}"
        yield {
            "task": task,
            "batch × length × tags": sizes,
            f"{OURS}, ms": round(ours.milliseconds, 2),
            **{peer.name: peers.get(peer.name, "") for peer in PEERS},
        }


def growth_rows(growths: list[Growth]) -> Iterator[Row]:
    """YIELDS (Row): Milliseconds and megabytes by length."""
    for growth in growths:
        for unit, numbers in (("ms", growth.milliseconds), ("MB", growth.megabytes)):
            by_length = zip(LENGTHS, numbers, strict=True)
            lengths = {f"length {n}": round(x, 1) for n, x in by_length}
            yield {"growing": f"{growth.task}, {unit}", **lengths}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--all-sizes", action="store_true")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each task")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    measurements: list[Measurement] = []
    for size in GRID if args.all_sizes else TARGET_SIZES:
        print(f"batch {size.batch}, length {size.length}, {size.tags} tags", flush=True)
        is_target = size in TARGET_SIZES
        measurements += measure(size, args.seconds if is_target else GRID_SECONDS)
    growths = [measure_growth(task, args.seconds) for task in TASKS]
    rows = list(target_rows(measurements, growths))
    for row in rows:
        print(row)
    rows += [*size_rows(measurements), *growth_rows(growths)]
    path = result_path("crf", parser, args, "seconds")
    write_results(path, args, rows, [peer.name for peer in PEERS])


if __name__ == "__main__":
    main()
