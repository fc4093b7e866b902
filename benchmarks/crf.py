"""Time the CRF core beside its peers and print which targets it reaches.

    python -m benchmarks.crf            all sizes, a few minutes
    python -m benchmarks.crf --quick    the sizes of the targets only

Before anything is timed, all contenders must agree on the values: losses with all of
their gradient, and the scores of the paths found. Results go to `benchmarks/results/`.
"""

import argparse
import itertools
import json
import platform
import statistics
from collections.abc import Iterator
from importlib.metadata import version
from operator import attrgetter
from typing import NamedTuple

import torch

from .peers import PEERS, PytorchPartialCrf
from .problem import Contender, Size, SpacyAdak, make_problem
from .result_files import RESULTS
from .scaling import BATCH, LENGTHS, TAGS, TASKS, Growth, measure_growth
from .timing import median_ratio, time_in_turns

OURS = SpacyAdak.name
TARGET_SIZE = Size(32, 32, 9)
TARGET_SIZES = [TARGET_SIZE, Size(1, 32, 9), Size(32, 180, 9)]
GRID = [
    Size(*size) for size in itertools.product((1, 32, 128), (16, 32, 64, 180), (9, 17))
]
TARGET_SECONDS, GRID_SECONDS = 3.0, 0.5
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


def target_lines(measurements: list[Measurement], growths: list[Growth]) -> list[str]:
    lines = [
        "| target | least | measured | peer | |",
        "|---|---:|---:|---|---|",
    ]
    for target in TARGETS:
        ok, speed_up, peer = reached(target, measurements)
        lines.append(
            f"| {target.what} | {target.speed_up:.2f} | {speed_up:.2f} | {peer} "
            f"| {'PASS' if ok else 'MISS'} |"
        )
    for growth in growths:
        for kind, found in (
            ("time", growth.time_excess),
            ("memory", growth.memory_excess),
        ):
            lines.append(
                f"| {kind} of {growth.task}, per token, length {LENGTHS[-1]} over "
                f"{LENGTHS[0]} | at most {MOST_EXCESS} | {found:.2f} | "
                f"| {'PASS' if found <= MOST_EXCESS else 'MISS'} |"
            )
    return lines


def table_lines(measurements: list[Measurement]) -> list[str]:
    """One row per task and size: our time, and for each peer how we compare."""
    peers = [peer.name for peer in PEERS]
    lines = [
        f"| task | batch | length | tags | {OURS}, ms | {' | '.join(peers)} |",
        f"|---|{'---:|' * (4 + len(peers))}",
    ]
    by_row = attrgetter("task", "size")
    for (task, size), row in itertools.groupby(measurements, by_row):
        by_name = {m.contender: m for m in row}
        cells = [
            f"{by_name[peer].speed_up:.3g}×" if peer in by_name else ""
            for peer in peers
        ]
        numbers = " | ".join(map(str, size))
        ours = by_name[OURS].milliseconds
        lines.append(f"| {task} | {numbers} | {ours:.2f} | {' | '.join(cells)} |")
    return lines


NOTES = f"""\
Times are of one thread. Contenders take turns in one process, and a number with × is
the median over rounds of the peer's time over that of {OURS} in the same round: above
1 {OURS} is faster. Losses are forward and backward, decoding has no gradient. Scores
are float32 and random, sentences have half of the length up to all of it, and 30 % of
the tags are known where the loss is constrained. {OURS} computes in float64.
Sizes without a target are timed for half a second a task: beside other work on the
machine such a ratio can differ by a fifth from one run to the next, some by more.

All contenders were given the same scores and agreed on all losses, gradients and path
scores, with these remarks:

- torch-struct has moves only. Start, end and emission scores are put into them, within
  the timed part for the loss and before it for decoding. Its paths are timed as
  indicators of moves, ours as tags. Sizes at which its tables take too much memory or
  more than seconds are left out.
- pytorch-partial-crf computes a wrong constrained loss at batch size 1, so values are
  not compared there.
- The adak loss, with hard q and λ = 0.5, is our own; beside it stands the plain loss of
  pytorch-crf. The two are compared at λ = 0, where they are the same.
"""


def write_results(
    name: str, measurements: list[Measurement], growths: list[Growth]
) -> str:
    """Write a page for people and lines for programmes.

    name (str): Of the files, without suffix.
    measurements (list[Measurement]): What was measured.
    growths (list[Growth]): How it grows with length.
    RETURNS (str): The table of targets.
    """
    packages = ["torch", *(peer.name for peer in PEERS)]
    settings = {
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
        "threads": torch.get_num_threads(),
    }
    targets = "\n".join(target_lines(measurements, growths))
    growth_lines = [
        f"| {g.task} | {kind} | {' | '.join(f'{x:.1f}' for x in numbers)} |"
        for g in growths
        for kind, numbers in (("ms", g.milliseconds), ("MB", g.megabytes))
    ]
    page = [
        "# Speed of the CRF core",
        ", ".join(f"{k} {v}" for k, v in settings.items()) + ".",
        NOTES + "\n## Targets",
        f"Batch {TARGET_SIZE.batch}, length {TARGET_SIZE.length}, {TARGET_SIZE.tags} "
        "tags where nothing else is said.",
        targets,
        "## All sizes",
        "\n".join(table_lines(measurements)),
        f"## Growth with length\n\nBatch {BATCH}, {TAGS} tags.",
        "\n".join(
            [
                f"| task | | {' | '.join(map(str, LENGTHS))} |",
                f"|---|---|{'---:|' * len(LENGTHS)}",
                *growth_lines,
            ]
        ),
    ]
    records = [
        {"settings": settings},
        *({**m._asdict(), "size": m.size._asdict()} for m in measurements),
        *({**g._asdict(), "lengths": LENGTHS} for g in growths),
    ]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text("\n\n".join(page) + "\n", encoding="utf8")
    (RESULTS / f"{name}.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in records), encoding="utf8"
    )
    return targets


def main() -> None:
    parser = argparse.ArgumentParser(description="Time the CRF core beside its peers.")
    parser.add_argument(
        "--quick", action="store_true", help="only the sizes of the targets"
    )
    quick = parser.parse_args().quick
    torch.set_num_threads(1)
    torch.distributions.Distribution.set_default_validate_args(False)
    measurements: list[Measurement] = []
    for size in TARGET_SIZES if quick else GRID:
        print(f"batch {size.batch}, length {size.length}, {size.tags} tags", flush=True)
        seconds = TARGET_SECONDS if size in TARGET_SIZES else GRID_SECONDS
        measurements += measure(size, seconds)
    growths = [measure_growth(task, TARGET_SECONDS) for task in TASKS]
    print(write_results("quick" if quick else "crf", measurements, growths))


if __name__ == "__main__":
    main()
