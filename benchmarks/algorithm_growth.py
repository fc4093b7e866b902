"""Algorithm 1 on ten times the texts: CPU seconds of its parts, and disk.

    python -m benchmarks.algorithm_growth --zh titles.txt --zh-encoder FOLDER

A run as `init-config --encoder` sets it up, but with one epoch per training and all in
one process, on texts that have a fifth of their entities. There is no dev data, so that
the recall of the annotators is estimated by models as well. There are more texts than
the file has: copies with other names. "times" is what the larger run takes over what
the smaller one takes. It has ten times the texts, so ten is linear growth.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from spacy.tokens import DocBin
from thinc.api import Config

from spacy_adak.data.corruption import drop_entities
from spacy_adak.run import train
from spacy_adak.run.init_config import init_config
from spacy_adak.tasks.encode_texts import EncodingTask
from spacy_adak.tasks.estimate_shard import EstimationTask
from spacy_adak.tasks.find_held_out import HeldOutTask
from spacy_adak.tasks.train_model import TrainingTask

from .corpora import Corpus, add_corpora, read_corpora, renamed_copies
from .result_files import Row, result_path, write_results

PARTS: dict[str, Any] = {
    "encoder": EncodingTask,
    "training": TrainingTask,
    "recall of annotators": HeldOutTask,
    "estimation of q": EstimationTask,
}
KEPT = 0.2


class Account:
    """CPU seconds of tasks by what they are, and the most disk that a run takes.

    folder (Path): The folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = defaultdict(float)
        self.megabytes = 0.0

    def booked(self, part: str, run: Callable[[Any], None]) -> Callable[[Any], None]:
        """RETURNS (Callable): A method of tasks, with its time booked."""

        def timed(task: Any) -> None:
            start = time.process_time()
            run(task)
            self.seconds[part] += time.process_time() - start
            self.megabytes = max(self.megabytes, _megabytes(self.folder))

        return timed


@contextmanager
def accounting(folder: Path) -> Iterator[Account]:
    """YIELDS (Account): Of what a run in the folder does meanwhile."""
    account = Account(folder)
    patches = [
        patch.object(task, "run", account.booked(part, task.run))
        for part, task in PARTS.items()
    ]
    start = time.process_time()
    for each in patches:
        each.start()
    try:
        yield account
    finally:
        for each in patches:
            each.stop()
    total = time.process_time() - start
    account.seconds["rest"] = total - sum(account.seconds.values())
    account.seconds["all"] = total


def _megabytes(folder: Path) -> float:
    return sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / 2**20


def run_on(corpus: Corpus, texts: int, folder: Path) -> Account:
    """Do one run.

    corpus (Corpus): Texts to make more of.
    texts (int): How many to learn from.
    folder (Path): An empty folder.
    RETURNS (Account): What it took.
    """
    docs = list(islice(renamed_copies(corpus.docs), texts))
    DocBin(docs=drop_entities(docs, KEPT)).to_disk(folder / "train.spacy")
    overrides = {
        "paths.train": str(folder / "train.spacy"),
        "paths.dev": None,
        "training.max_epochs": 1,
        "adak.executor": "serial",
    }
    text = init_config(corpus.lang, encoder=str(corpus.encoder))
    config = Config().from_str(text, overrides=overrides, interpolate=False)
    with accounting(folder / "run") as account:
        train.train(config, folder / "run")
    return account


def compare(texts: list[int], accounts: list[Account]) -> Iterator[Row]:
    """YIELDS (Row): One for each part, and one for the disk."""
    fewer, more = (account.seconds for account in accounts)
    figures = [
        (f"{part}, CPU seconds", [fewer[part], more[part]])
        for part in (*PARTS, "rest", "all")
    ]
    figures.append(("disk, MB", [account.megabytes for account in accounts]))
    for what, values in figures:
        yield {
            "what": what,
            **{f"{n:,} texts": round(x, 1) for n, x in zip(texts, values, strict=True)},
            "times": round(values[1] / max(values[0], 0.1), 1),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--texts", type=int, nargs=2, default=[10_000, 100_000])
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        # Chinese, if such texts are named.
        *_, corpus = read_corpora(args, args.texts[1], folder)
        accounts = []
        for texts in args.texts:
            output = folder / str(texts)
            output.mkdir()
            accounts.append(run_on(corpus, texts, output))
            print(f"{texts:,} texts:", dict(accounts[-1].seconds), flush=True)
    rows = list(compare(args.texts, accounts))
    for row in rows:
        print(row)
    path = result_path("algorithm_growth", parser, args, "texts")
    write_results(path, args, rows, ["transformers"])


if __name__ == "__main__":
    main()
