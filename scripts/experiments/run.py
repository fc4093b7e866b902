"""Train and score the cells of an experiment that have no result yet.

    python -m scripts.experiments.run tables --plan
    python -m scripts.experiments.run tables --only "youku_cpu_random_0.2_*"
    python -m scripts.experiments.run all --profile quick
    python -m scripts.experiments.run recovery --adak.executor joblib

A cell that was stopped is taken up where it was, a finished one is not done again. More
than one process may be at work at the same time: a cell that another one is at is left
to it. Settings of all cells are overridden by their names, as in `python -m spacy adak
train`, but not what a cell or its model is defined by.

The profile "full" has the configs of the project. "short" gives the models of the paper
3 of its 10 rounds, which tables say beside their names. Its results are kept apart, so
that models with as many rounds are compared. "quick" is the same matrix on a part of
the embedded sample, with very short trainings: it shows that every cell works, and
nothing else.

The experiment "fine-tuning" is about configs whose transformer is trained:

    python -m scripts.experiments.run fine-tuning --config bert --plan
"""

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from click import NoSuchOption
from spacy.cli._util import parse_config_overrides
from wasabi import msg

from spacy_adak.atomic import remove
from spacy_adak.cli.notices import without_notices
from spacy_adak.report.evaluation import evaluate
from spacy_adak.run.folder import find_best
from spacy_adak.run.train import is_begun, train
from spacy_adak.tasks.progress import describe_seconds
from spacy_adak.tasks.train_model import BEST_MODEL

from .cells import EXPERIMENTS, Cell, choose_cells, unused_patterns
from .corpora import prepare_corpus
from .encoder import Encoder, describe_encoder
from .failure import told_without_traceback
from .folder_lock import held
from .models import NER
from .overrides import check_overrides
from .plan import describe_plan, open_cells, outdated_cells
from .profiles import PROFILES, Run
from .results import Row, add_result, make_row, read_results
from .spacy_ner import train_ner


def prepare(run: Run, dataset: str) -> Path:
    """RETURNS (Path): The folder with the splits of a dataset, made if need be."""
    return prepare_corpus(
        dataset,
        PROFILES[run.profile].documents,
        root=run.root,
        local_data=run.local_data,
    )


def prepare_corpora(run: Run, cells: Sequence[Cell]) -> None:
    """Make the data of all cells, so that what is missing is told of before the first
    training.

    run (Run): The run.
    cells (Sequence[Cell]): The cells.
    """
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        try:
            prepare(run, dataset)
        except ValueError as error:
            raise ValueError(
                f"{error} Or go without '{dataset}': --only (--vars.only) chooses "
                "cells of other datasets."
            ) from error


def run_cell(run: Run, cell: Cell) -> Row:
    """Train and score a cell.

    run (Run): The run.
    cell (Cell): The cell.
    RETURNS (dict): Its result.
    """
    corpus = prepare(run, cell.dataset)
    started = time.monotonic()
    trained = (train_peer if cell.model == NER else train_model)(run, cell, corpus)
    seconds = max(time.monotonic() - started, trained.seconds)
    test_path = corpus / "test.spacy"
    test = evaluate(trained.model, test_path, use_gpu=run.gpu_id).to_dict()
    row = make_row(
        cell,
        encoder=trained.encoder,
        settings=run.settings(cell),
        scores={
            "dev": trained.dev_scores,
            "test": {key: test[f"ents_{key}"] for key in "prf"},
        },
        rounds=trained.rounds,
        trainings=trained.trainings,
        seconds=seconds,
        resumed=trained.is_resumed,
    )
    add_result(run.results_path, row)
    shutil.rmtree(run.output(cell))
    return row


class Trained(NamedTuple):
    """What is to be known of a model that was trained.

    model (Path): Where it is.
    encoder (Encoder): What it rests on.
    dev_scores (dict[str, float | None]): P, R and F1 on dev.
    rounds (int): In how many rounds it was trained.
    trainings (int): How many models were trained on the way.
    seconds (float): How long finished rounds took.
    is_resumed (bool): Whether a training that was stopped was taken up.
    """

    model: Path
    encoder: Encoder
    dev_scores: dict[str, float | None]
    rounds: int
    trainings: int
    seconds: float
    is_resumed: bool


def train_model(run: Run, cell: Cell, corpus: Path) -> Trained:
    """Train a pipeline of ours, or take up a training that was stopped."""
    output = run.output(cell)
    is_resumed = is_begun(output)
    nlp, history = train(
        run.config_path(cell),
        output,
        overrides=run.overrides_with_data(cell, corpus),
        use_gpu=run.gpu_id,
        resume=is_resumed,
    )
    best = find_best(history)
    assert best is not None
    return Trained(
        output / BEST_MODEL,
        describe_encoder(nlp.config),
        {"p": best.precision, "r": best.recall, "f": best.f1},
        rounds=len(history),
        # Each has left a log.
        trainings=sum(1 for _ in output.glob("round-*/*.log")),
        # Of a cell that was taken up again, too, but for the round it was stopped in.
        seconds=sum(round_.seconds for round_ in history),
        is_resumed=is_resumed,
    )


def train_peer(run: Run, cell: Cell, corpus: Path) -> Trained:
    """Train spaCy's own component, from the beginning."""
    output = run.output(cell) / NER
    remove(output)
    overrides = run.overrides_with_data(cell, corpus)
    dev = train_ner(run.config_path(cell), output, overrides, run.gpu_id)
    return Trained(
        output / BEST_MODEL,
        describe_encoder(run.config(cell)),
        {key: dev[f"ents_{key}"] for key in "prf"},
        rounds=1,
        trainings=1,
        seconds=0.0,
        is_resumed=False,
    )


def run_cells(run: Run, cells: Sequence[Cell]) -> None:
    """Train and score cells, and tell of each.

    run (Run): The run.
    cells (Sequence[Cell]): The cells.
    """
    for number, cell in enumerate(cells, start=1):
        # Another process may have done it since.
        if not open_cells(run, [cell]):
            continue
        with held(run.output(cell), wait=False) as is_held:
            if not is_held:
                msg.info(f"{number}/{len(cells)} {cell.name}: another process is at it")
                continue
            row = run_cell(run, cell)
        scores = " ".join(
            f"{key.upper()} {100 * row['test'][key]:.2f}" for key in "prf"
        )
        duration = describe_seconds(row["seconds"])
        msg.good(f"{number}/{len(cells)} {cell.name}: {scores} ({duration})")


def run_experiment(run: Run, cells: Sequence[Cell], *, is_plan: bool) -> None:
    """Say what there is to do, and do it.

    run (Run): The run.
    cells (Sequence[Cell]): The cells of the experiment, finished or not.
    is_plan (bool): List what is left, and train nothing.
    """
    check_overrides(run, cells)
    left = open_cells(run, cells)
    msg.info(f"{len(cells) - len(left)} of {len(cells)} cells are finished")
    if outdated := outdated_cells(run, cells):
        msg.warn(
            "Results of other settings or encoders than those asked for; remove their "
            f"lines in '{run.results_path}' to have them done again:",
            ", ".join(cell.name for cell in outdated),
        )
    if left:
        # A training takes as long in a profile that has fewer of them.
        paths = {run.results_path, run._replace(profile="full").results_path}
        plan = describe_plan(run, left, [r for p in paths for r in read_results(p)])
        msg.info(f"Left: {plan}")
    if is_plan:
        print("\n".join(cell.name for cell in left))
        return
    prepare_corpora(run, left)
    run_cells(run, left)


@without_notices()
def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--profile", choices=list(PROFILES), default="full")
    parser.add_argument("--config", default="cpu", help="configs/<language>_<this>.cfg")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument(
        "--only", default="*", help="patterns for names of cells, commas between them"
    )
    parser.add_argument("--gpu-id", type=int, default=-1)
    # An empty name is what an unset variable of the project leaves.
    parser.add_argument("--local-data", default="", metavar="FOLDER")
    parser.add_argument("--plan", action="store_true", help="list cells, train nothing")
    arguments, extra = parser.parse_known_args()
    if arguments.seeds < 1:
        parser.error(f"--seeds is {arguments.seeds}, but has to be at least 1")
    try:
        overrides = parse_config_overrides(extra)
    except NoSuchOption as error:
        parser.error(error.format_message())
    run = Run(
        Path(),
        arguments.profile,
        overrides,
        arguments.gpu_id,
        Path(arguments.local_data) if arguments.local_data else None,
    )
    cells = choose_cells(
        arguments.experiment,
        config=arguments.config,
        datasets=PROFILES[run.profile].datasets,
        seeds=range(arguments.seeds),
        only=arguments.only,
    )
    if unused := unused_patterns(cells, arguments.only):
        names = " or ".join(f"'{pattern}'" for pattern in unused)
        msg.warn(f"No cell is named like {names}; see --plan without --only")
    if not cells:
        msg.fail("No cell is chosen", exits=1)
    try:
        with told_without_traceback():
            run_experiment(run, cells, is_plan=arguments.plan)
    except KeyboardInterrupt:
        msg.warn("Stopped. The same command goes on with what is left.")
        sys.exit(130)


if __name__ == "__main__":
    main()
