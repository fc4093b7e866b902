"""Train and score the cells of an experiment that have no result yet.

    python -m scripts.experiments.run tables --plan
    python -m scripts.experiments.run tables --only "youku_random_0.2_*"
    python -m scripts.experiments.run all --profile quick

A cell that was stopped is taken up where it was, a finished one is not done again. The
profile "full" is the paper's matrix with the configs of the project. "quick" is the
same matrix on a part of the embedded sample, with very short trainings: it shows that
every cell works, and nothing else.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from spacy.util import load_config
from spacy.vocab import Vocab
from thinc.api import Config
from wasabi import msg

from scripts.prepare_data import SPLITS, prepare_data
from spacy_adak.data.corruption import corrupt
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.estimation.loop import LOSSES_WITHOUT_Q
from spacy_adak.estimation.progress import describe_seconds
from spacy_adak.estimation.train import train
from spacy_adak.report.evaluation import evaluate

from .cells import EXPERIMENTS, SETTINGS, Cell, choose_cells
from .results import Row, add_result, make_row, read_results


class Profile(NamedTuple):
    """How much of everything there is in a run of the experiments.

    datasets (Sequence[str]): Which datasets; those of the paper if there are none.
    documents (int | None): How many documents each split has, or all.
    settings (dict[str, Any]): Overrides of the config.
    """

    datasets: Sequence[str]
    documents: int | None
    settings: dict[str, Any]


PROFILES = {
    "full": Profile((), None, {}),
    "quick": Profile(
        ("sample",),
        30,
        {
            "training.max_epochs": 1,
            "components.adak_ner.model.tok2vec.width": 16,
            "components.adak_ner.model.tok2vec.embed_size": 50,
            # The dictionary is used from the second round on.
            "adak.rounds": 2,
            "adak.convergence": 0.0,
            "adak.executor": "serial",
        },
    ),
}


class Run(NamedTuple):
    """Where the cells of a run get their data and settings from, and put results.

    root (Path): The folder of the project.
    profile (str): A key of `PROFILES`.
    config (str): "cpu" or "bert".
    gpu_id (int): The GPU, or -1.
    """

    root: Path
    profile: str
    config: str
    gpu_id: int

    @property
    def results_path(self) -> Path:
        """RETURNS (Path): The file with the results."""
        folder = f"{self.profile}-{self.config}"
        return self.root / "experiments" / folder / "results.jsonl"

    def config_path(self, cell: Cell) -> Path:
        """RETURNS (Path): The config of a cell."""
        return self.root / "configs" / f"{cell.dataset}_{self.config}.cfg"

    def settings(self, cell: Cell) -> dict[str, Any]:
        """RETURNS (dict): What a cell overrides in its config."""
        return {
            **PROFILES[self.profile].settings,
            **SETTINGS[cell.model],
            "system.seed": cell.seed,
        }

    def planned_trainings(self, cell: Cell) -> tuple[int, int]:
        """RETURNS (tuple[int, int]): Rounds at most, and trainings a round."""
        config = load_config(self.config_path(cell), overrides=self.settings(cell))
        if config["components"]["adak_ner"]["loss"] in LOSSES_WITHOUT_Q:
            return 1, 1
        return config["adak"]["rounds"], config["adak"]["folds"] + 1


def open_cells(run: Run, cells: Sequence[Cell]) -> list[Cell]:
    """RETURNS (list[Cell]): Those that have no result yet."""
    finished = {row["cell"] for row in read_results(run.results_path)}
    return [cell for cell in cells if cell.name not in finished]


def describe_plan(run: Run, cells: Sequence[Cell], rows: Sequence[Row]) -> str:
    """Say what there is to do, and how long it may take.

    run (Run): The run.
    cells (Sequence[Cell]): What is to be trained.
    rows (Sequence[dict]): Results there are, from which the time is estimated.
    RETURNS (str): A sentence or two.
    """
    planned = {cell: prod(run.planned_trainings(cell)) for cell in cells}
    text = f"{len(cells)} cells, at most {sum(planned.values())} trainings."
    seconds = 0.0
    for cell, trainings in planned.items():
        alike = [row for row in rows if row["dataset"] == cell.dataset]
        if not alike:
            return f"{text} No time can be told before a cell of each dataset is done."
        done = sum(row["trainings"] for row in alike)
        seconds += trainings * sum(row["seconds"] for row in alike) / done
    return f"{text} At most about {describe_seconds(seconds)}, by the finished cells."


def run_cell(run: Run, cell: Cell) -> Row:
    """Train and score a cell.

    run (Run): The run.
    cell (Cell): The cell.
    RETURNS (dict): Its result.
    """
    corpus = _prepare(run, cell.dataset)
    train_path = _corrupt(corpus, cell)
    output = (
        run.root / "training" / "experiments" / run.profile / run.config / cell.name
    )
    settings = run.settings(cell)
    started = time.monotonic()
    nlp, history = train(
        run.config_path(cell),
        output,
        overrides={
            **settings,
            "paths.train": str(train_path),
            "paths.dev": str(corpus / "dev.spacy"),
        },
        use_gpu=run.gpu_id,
        resume=(output / "corpus").exists() and not (output / "model-best").exists(),
    )
    test = evaluate(
        output / "model-best", corpus / "test.spacy", use_gpu=run.gpu_id
    ).to_dict()
    best = max(history, key=lambda round_: round_.score)
    _, trainings_a_round = run.planned_trainings(cell)
    row = make_row(
        cell,
        config=run.config_path(cell).name,
        encoder=_name_encoder(nlp.config),
        settings=settings,
        scores={
            "dev": {"p": best.precision, "r": best.recall, "f": best.f1},
            "test": {key: test[f"ents_{key}"] for key in "prf"},
        },
        rounds=len(history),
        trainings=len(history) * trainings_a_round,
        # Of a cell that was taken up again, too: the rounds know how long they took.
        seconds=max(time.monotonic() - started, sum(r.seconds for r in history)),
    )
    add_result(run.results_path, row)
    shutil.rmtree(output)
    return row


def _prepare(run: Run, dataset: str) -> Path:
    """Where the splits of a dataset are, made if they are not there."""
    folder = run.root / "corpus" / dataset
    if not all((folder / f"{split}.spacy").exists() for split in SPLITS):
        prepare_data(dataset, folder, root=run.root)
    documents = PROFILES[run.profile].documents
    if documents is None:
        return folder
    part = folder / f"first-{documents}"
    for split in SPLITS:
        if not (part / f"{split}.spacy").exists():
            docs = list(read_docbin(folder / f"{split}.spacy", Vocab()))
            write_docbin(part / f"{split}.spacy", docs[:documents])
    return part


def _corrupt(corpus: Path, cell: Cell) -> Path:
    if cell.scheme == "full":
        return corpus / "train.spacy"
    path = corpus / f"train_{cell.scheme}_{cell.ratio:g}_{cell.seed}.spacy"
    if not path.exists():
        corrupt(
            corpus / "train.spacy",
            path,
            keep_ratio=cell.ratio,
            scheme=cell.scheme,
            seed=cell.seed,
        )
    return path


def _name_encoder(config: Config) -> str:
    components = config["components"]
    if "transformer" in components:
        return components["transformer"]["model"]["name"]
    return components["adak_ner"]["model"]["tok2vec"]["@architectures"]


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("experiment", choices=[*EXPERIMENTS, "all"])
    parser.add_argument("--profile", choices=list(PROFILES), default="full")
    parser.add_argument("--config", choices=["cpu", "bert"], default="cpu")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--only", default="*", help="a pattern for names of cells")
    parser.add_argument("--gpu-id", type=int, default=-1)
    parser.add_argument("--plan", action="store_true", help="list cells, train nothing")
    arguments = parser.parse_args()
    run = Run(Path(), arguments.profile, arguments.config, arguments.gpu_id)
    cells = choose_cells(
        arguments.experiment,
        PROFILES[run.profile].datasets,
        range(arguments.seeds),
        arguments.only,
    )
    if not cells:
        msg.fail(f"No cell is named like '{arguments.only}'; see --plan", exits=1)
    left = open_cells(run, cells)
    msg.info(f"{len(cells) - len(left)} of {len(cells)} cells are finished")
    if left:
        msg.info(f"Left: {describe_plan(run, left, read_results(run.results_path))}")
    if arguments.plan:
        print("\n".join(cell.name for cell in left))
        return
    for number, cell in enumerate(left, start=1):
        try:
            row = run_cell(run, cell)
        except ValueError as error:
            msg.fail(f"{cell.name}: {error}")
            sys.exit(1)
        scores = " ".join(
            f"{key.upper()} {100 * row['test'][key]:.2f}" for key in "prf"
        )
        duration = describe_seconds(row["seconds"])
        msg.good(f"{number}/{len(left)} {cell.name}: {scores} ({duration})")


if __name__ == "__main__":
    main()
