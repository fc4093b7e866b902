"""What the outer loop costs: folds in parallel, memory of q, and where the time goes.

Everything is measured on the embedded sample with a fifth of its entities, or on made
sentences, with the settings that `init-config` writes for the CPU. Targets are printed
with what was measured. The machine should do nothing else meanwhile.

    python -m benchmarks.estimation
    python -m benchmarks.estimation folds       # a part: folds, round or memory
"""

import argparse
import gc
import math
import multiprocessing
import os
import random
import resource
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import spacy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from thinc.api import Config

from spacy_adak.crf import losses
from spacy_adak.data.convert import convert
from spacy_adak.data.corruption import drop_entities
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.q.adak_block import read_settings
from spacy_adak.q.estimator import Estimator
from spacy_adak.run import algorithm, train
from spacy_adak.run.init_config import init_config
from spacy_adak.shards.layout import write_shards
from spacy_adak.shards.with_q import (
    ShardEstimates,
    create_estimated_corpus,
)
from spacy_adak.tasks import estimate_shard, worker
from spacy_adak.tasks.blueprint import Blueprint
from spacy_adak.tasks.estimate_shard import EstimationTask
from spacy_adak.tasks.executors import executor
from spacy_adak.tasks.train_model import TrainingTask

from .result_files import result_path
from .timing import median_ratio

ASSETS = Path(__file__).parents[1] / "assets"
PARTS = ["folds", "round", "memory"]
WORDS_PER_SENTENCE = 20
SHARD_SIZE = 2000
LABELS = ("PER", "LOC", "ORG", "MISC")


def sample_config(folder: Path, copies: int = 1, **overrides: Any) -> Config:
    """Write the embedded sample with a fifth of its entities, or several copies of it,
    and a config for it."""
    for name in ("train", "dev"):
        path = folder / f"{name}.spacy"
        convert(ASSETS / f"{name}.jsonl", path, unlabelled="outside", lang="en")
    vocab = spacy.blank("en").vocab
    docs = list(DocBin().from_disk(folder / "train.spacy").get_docs(vocab))
    kept = drop_entities(docs, keep_ratio=0.2)
    DocBin(docs=kept * copies).to_disk(folder / "train.spacy")
    paths = {
        "paths.train": str(folder / "train.spacy"),
        "paths.dev": str(folder / "dev.spacy"),
    }
    text = init_config("en")
    return Config().from_str(text, overrides={**paths, **overrides}, interpolate=False)


# Folds in parallel


def time_folds(epochs: int, turns: int) -> dict[str, Any]:
    """Train two folds one after the other and both at once, in turns."""
    seconds: dict[str, list[float]] = {"serial": [], "joblib": []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        config = sample_config(folder, **{"training.max_epochs": epochs})
        tasks = list(fold_tasks(config, folder))
        for turn in range(turns + 1):
            for name in seconds:
                settings = read_settings(config.interpolate()).model_copy(
                    update={"executor": name}
                )
                with executor(settings, folder) as execute:
                    start = time.perf_counter()
                    execute(tasks)
                    if turn:  # in the first turn processes start and files are read
                        seconds[name].append(time.perf_counter() - start)
                for task in tasks:
                    shutil.rmtree(task.output)
    return {
        "what": "two folds, joblib against serial",
        "cores": os.cpu_count(),
        "load_average": round(os.getloadavg()[0], 1),
        "seconds": {
            name: [round(s, 1) for s in values] for name, values in seconds.items()
        },
        "times_as_fast": round(median_ratio(seconds["serial"], seconds["joblib"]), 2),
    }


def fold_tasks(config: Config, folder: Path) -> Iterator[TrainingTask]:
    """Two trainings as they are in the first round."""
    config["initialize"]["components"]["adak_ner"] = {
        "labels": ["COMPANY", "MONEY", "PERSON", "PLACE"]
    }
    config.to_disk(folder / "config.cfg")
    docs = list(
        DocBin().from_disk(folder / "train.spacy").get_docs(spacy.blank("en").vocab)
    )
    write_shards(docs, folder / "corpus", n_folds=2, seed=0)
    for fold in range(2):
        yield TrainingTask(
            name=f"fold {fold}",
            blueprint=Blueprint(
                config_path=folder / "config.cfg",
                corpus=folder / "corpus",
                dev_path=folder / "dev.spacy",
                seed=fold,
                use_gpu=-1,
                code_path=None,
                without_fold=fold,
            ),
            loss=None,
            has_word_features=True,
            output=folder / f"output-{fold}",
        )


# Memory


def measure_memory(sizes: list[int]) -> list[dict[str, Any]]:
    """How much memory q and candidates take, for data of several sizes."""
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = folder / "model"
        make_model().to_disk(model)
        for q in ("hard", "interpolated"):
            for size in sizes:
                output = folder / f"{q}-{size}"
                row = {
                    "what": "memory of q",
                    "q": q,
                    "sentences": size,
                    "estimation_peak_mb": in_process(
                        estimate_all, size, q, model, output
                    ),
                    "q_in_training_mb": in_process(load_all, output, True)
                    - in_process(load_all, output, False),
                }
                print(row, flush=True)
                rows.append(row)
    return rows


def make_model() -> Language:
    """A small model: what it takes itself is not what is measured."""
    nlp = spacy.blank("xx")
    encoder = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 32,
        "depth": 1,
        "embed_size": 1000,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": False,
    }
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": encoder}
    ner = nlp.add_pipe("adak_ner", config={"model": model})
    assert isinstance(ner, AdaKRecognizer)
    for label in LABELS:
        ner.add_label(label)
    examples = [spacy.training.Example(doc.copy(), doc) for doc in make_docs(nlp, 50)]
    nlp.initialize(lambda: examples)
    return nlp


def make_docs(nlp: Language, count: int) -> Iterator[Doc]:
    """Sentences of made words, each with one entity and everything else missing."""
    rng = random.Random(0)
    words = [f"word{i}" for i in range(20_000)]
    for _ in range(count):
        doc = Doc(nlp.vocab, words=rng.choices(words, k=WORDS_PER_SENTENCE))
        start = rng.randrange(WORDS_PER_SENTENCE - 2)
        entity = Span(doc, start, start + 2, label=rng.choice(LABELS))
        doc.set_ents([entity], default="missing")
        yield doc


def write_corpus(size: int, folder: Path) -> None:
    """Write many sentences as shards, the last of which may be smaller."""
    docs = make_docs(spacy.blank("xx"), size)
    for number in range(math.ceil(size / SHARD_SIZE)):
        shard = DocBin(docs=islice(docs, SHARD_SIZE))
        shard.to_disk(folder / f"fold-0-{number:04d}.spacy")


def estimate_all(size: int, q: str, model: Path, output: Path) -> float:
    """Estimate q for many sentences. RETURNS (float): The peak above the model's."""
    for name in ("corpus", "estimates"):
        (output / name).mkdir(parents=True)
    write_corpus(size, output / "corpus")
    config = Config().from_str(init_config("xx"))
    config["adak"]["q"] = {"mode": q}
    settings = read_settings(config)
    worker.load_models([model])
    gc.collect()
    before = resident_mb()
    for shard_path in sorted((output / "corpus").iterdir()):
        EstimationTask(
            name="q",
            shard=shard_path,
            likelihood=None,
            last_estimates=None,
            estimates=output / "estimates",
            fold_models=(model,),
            candidate_model=model,
            dictionary=None,
            component="adak_ner",
            temperature=1.0,
            settings=settings,
            use_gpu=-1,
            code_path=None,
        ).run()
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before)


def load_all(folder: Path, with_q: bool) -> float:
    """Read data as a training does. RETURNS (float): The memory it takes."""
    nlp = spacy.blank("xx")
    before = resident_mb()
    estimates = folder / "estimates" if with_q else None
    examples = list(create_estimated_corpus(folder / "corpus", estimates)(nlp))
    assert examples
    return round(resident_mb() - before)


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def in_process(function: Callable[..., float], *args: Any) -> float:
    """Call a function in a process of its own, so that its memory is its own."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(function, args)


# Where the time goes


class Accounts:
    """Books every second to what was begun last."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = ["other"]
        self._since = time.perf_counter()

    def _book(self) -> None:
        now = time.perf_counter()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now

    @contextmanager
    def booking(self, name: str) -> Iterator[None]:
        self._book()
        self._open.append(name)
        try:
            yield
        finally:
            self._book()
            self._open.pop()

    def wrap(self, function: Callable, name: str) -> Callable:
        def booked(*args: Any, **kwargs: Any) -> Any:
            with self.booking(name):
                result = function(*args, **kwargs)
                # What a generator does, it does when it is asked.
                return iter(list(result)) if isinstance(result, Iterator) else result

        return booked


STEPS = (
    "training: encoder and optimizer",
    "training: head and loss",
    "training: K-best",
)
PREDICTION = ("prediction on dev", "prediction of q")


def account_for_round(epochs: int, copies: int) -> dict[str, Any]:
    """Run one round on copies of the sample, and say where its time went."""
    accounts = Accounts()
    targets: list[tuple[Any, str, str]] = [
        (Language, "update", STEPS[0]),
        (AdaKRecognizer, "finish_update", STEPS[0]),
        (AdaKRecognizer, "get_loss", STEPS[1]),
        (losses, "kbest", STEPS[2]),
        (Language, "evaluate", PREDICTION[0]),
        (Estimator, "__call__", PREDICTION[1]),
        (Language, "to_disk", "saving models"),
        (estimate_shard, "load_models", "loading models"),
        (ShardEstimates, "to_disk", "writing q"),
        (ShardEstimates, "from_disk", "reading q"),
    ]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        settings = {"adak.rounds": 1, "training.max_epochs": epochs}
        config = sample_config(folder, copies, **settings)
        patches = [
            patch.object(owner, name, accounts.wrap(getattr(owner, name), account))
            for owner, name, account in targets
        ]
        with accounts.booking("outside"):
            for each in patches:
                each.start()
            with patch.object(
                train, "run_rounds", accounts.wrap(algorithm.run_rounds, "rest")
            ):
                train.train(config, folder / "output")
            for each in patches:
                each.stop()
    total = sum(
        s for name, s in accounts.seconds.items() if name not in ("outside", "other")
    )
    shares = {
        name: round(100 * accounts.seconds[name] / total, 1)
        for name in sorted(accounts.seconds, key=lambda n: -accounts.seconds[n])
        if name not in ("outside", "other")
    }
    inside = sum(accounts.seconds[name] for name in (*STEPS, *PREDICTION))
    return {
        "what": "where the time of a round goes",
        "copies_of_the_sample": copies,
        "seconds": round(total, 1),
        "percent": shares,
        "percent_outside_steps_and_prediction": round(100 * (1 - inside / total), 1),
    }


def write_results(path: Path, part: str, rows: list[dict[str, Any]]) -> None:
    """Put the results of a part in the place of its earlier ones."""
    others = []
    if path.exists():
        others = [row for row in srsly.read_jsonl(path) if row["part"] != part]
    new = [{"part": part, **row} for row in rows]
    srsly.write_jsonl(path, sorted([*others, *new], key=lambda row: row["part"]))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "parts", nargs="*", default=PARTS, metavar="PART", help=", ".join(PARTS)
    )
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--sentences", type=int, nargs="+", default=[25_000, 100_000])
    args = parser.parse_args()
    sizes = ("epochs", "turns", "copies", "sentences")
    path = result_path("estimation", parser, args, *sizes)
    for part in args.parts:
        if part == "folds":
            rows = [time_folds(args.epochs, args.turns)]
            target = "two folds, at least 1.6 times"
            reached = rows[0]["times_as_fast"] >= 1.6
        elif part == "round":
            # What a training costs once weighs the less, the more data there is.
            rows = [account_for_round(args.epochs, copies) for copies in args.copies]
            target = "outside steps and prediction, under 5 %"
            reached = rows[-1]["percent_outside_steps_and_prediction"] < 5
        elif part == "memory":
            rows = measure_memory(args.sentences)
            target = "q and candidates, under 1 GB"
            most = max(
                row["estimation_peak_mb"] + max(row["q_in_training_mb"], 0)
                for row in rows
            )
            reached = most < 1024
        else:
            parser.error(f"There is no part '{part}', but {', '.join(PARTS)}")
        for row in rows:
            print(row, flush=True)
        print("reached" if reached else "MISSED", target)
        write_results(path, part, rows)


if __name__ == "__main__":
    main()
