"""Check on a GPU what machines without one can't: about two minutes.

    python scripts/check_gpu.py
    python scripts/check_gpu.py --encoder bert-base-cased
    python scripts/check_gpu.py --device cpu

Runs `adak train` on a part of the embedded sample with a transformer that is fine-tuned
in mixed precision, its first fold models over the frozen one. Then the pipeline is
trained on for some steps to time it, and its predictions are compared with those on the
CPU. Without an encoder, a small BERT with random weights is made.

Prints a table in Markdown, to be pasted into an issue, and ends with an error if a
prediction differs.
"""

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy
import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Corpus, Example
from spacy.util import minibatch
from thinc.api import Adam, Config, require_cpu, require_gpu, set_gpu_allocator

# Python puts the folder of the script in front, and not that of the project.
sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.frozen import make_bert
from scripts.prepare_data import prepare_data
from spacy_adak.data.corruption import drop_entities
from spacy_adak.data.docbin import read_docbin, write_docbin
from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train

PACKAGES = ("spacy-adak", "spacy", "spacy-transformers", "thinc", "torch", "numpy")
# How far a probability may be from that on the CPU, in full precision.
TOLERANCE = 1e-3
# The share of the entities that stay annotated.
_KEPT = 0.5
_GPU = 0
_MEGABYTE = 2**20


class Check(NamedTuple):
    """What was found out.

    words_per_second (float): In training.
    memory (float | None): The most memory of the GPU that was in use, in MB.
    difference (float): The largest difference of a probability from that on the CPU;
        infinite if other entities were found.
    entities (int): How many were compared.
    """

    words_per_second: float
    memory: float | None
    difference: float
    entities: int

    @property
    def is_passed(self) -> bool:
        """RETURNS (bool): Whether there are predictions, and they are those on the
        CPU."""
        return self.entities > 0 and self.difference <= TOLERANCE


def check(device: str, encoder: str | None, sentences: int, steps: int) -> Check:
    """Train, time and compare.

    device (str): "gpu" or "cpu".
    encoder (str | None): A transformer on the hub or the path of a folder.
    sentences (int): How many sentences to train on.
    steps (int): How many steps each training has, and how many are timed.
    RETURNS (Check): What was found out.
    """
    use_gpu = -1
    if device == "gpu":
        set_gpu_allocator("pytorch")
        require_gpu(_GPU)
        use_gpu = _GPU
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        words = write_sample(folder, sentences)
        if encoder is None:
            encoder = str(make_bert(folder / "bert", words))
        config = make_config(folder, encoder, steps, device)
        nlp, _ = train(config, folder / "output", use_gpu=use_gpu)
        examples = list(Corpus(folder / "train.spacy")(nlp))
        speed = time_training(nlp, examples, steps)
        memory = None
        if device == "gpu":
            memory = torch.cuda.max_memory_allocated(_GPU) / _MEGABYTE
        nlp.to_disk(folder / "trained")
        texts = [example.text for example in examples]
        here = predict(folder / "trained", texts)
        require_cpu()
        on_cpu = predict(folder / "trained", texts)
    difference = largest_difference(here, on_cpu)
    return Check(speed, memory, difference, sum(map(len, on_cpu)))


def write_sample(folder: Path, sentences: int) -> set[str]:
    """Write a part of the embedded sample, with a share of the entities annotated.

    folder (Path): Where to.
    sentences (int): How many to train on.
    RETURNS (set[str]): All words in it.
    """
    prepare_data("sample", folder, root=Path(__file__).parents[1])
    vocab = spacy.blank("en").vocab
    words: set[str] = set()
    for split, count in (("train", sentences), ("dev", sentences // 4)):
        path = folder / f"{split}.spacy"
        docs = list(read_docbin(path, vocab))[:count]
        words.update(token.text for doc in docs for token in doc)
        if split == "train":
            docs = drop_entities(docs, keep_ratio=_KEPT)
        write_docbin(path, docs)
    return words


def make_config(folder: Path, encoder: str, steps: int, device: str) -> Config:
    """RETURNS (Config): That of `init-config --gpu`, with short trainings and the loss
    of AdaK-NER, which uses the most of what may differ on a GPU."""
    settings: dict[str, Any] = {
        "paths.train": str(folder / "train.spacy"),
        "paths.dev": str(folder / "dev.spacy"),
        "training.max_steps": steps,
        "training.eval_frequency": steps,
        "training.accumulate_gradient": 2,
        # PyTorch has it for GPUs only.
        "components.transformer.model.mixed_precision": device == "gpu",
        "components.adak_ner.loss": {"@losses": "spacy-adak.AdaKLoss.v1"},
        "adak.folds": 2,
        # Otherwise models would be trained to estimate it.
        "adak.start.annotation_recall": _KEPT,
        "adak.executor": "serial",
        "adak.mask": {"kbest": 5, "dictionary": True},
    }
    text = init_config("en", gpu=True, encoder=encoder)
    return read_config(Config().from_str(text, interpolate=False), settings)


def time_training(nlp: Language, examples: Sequence[Example], steps: int) -> float:
    """Train a pipeline further.

    nlp (Language): The pipeline.
    examples (Sequence[Example]): What to train on.
    steps (int): How many steps.
    RETURNS (float): Words per second, without the first step.
    """
    optimizer = Adam(1e-4, use_averages=False)
    batches = [list(batch) for batch in minibatch(examples, size=32)]
    words = 0
    started = 0.0
    for step in range(steps + 1):
        batch = batches[step % len(batches)]
        nlp.update(batch, sgd=optimizer, drop=0.1)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        if step == 0:
            started = time.monotonic()
        else:
            words += sum(len(example.predicted) for example in batch)
    return words / (time.monotonic() - started)


def predict(folder: Path, texts: Sequence[str]) -> list[dict[Any, float]]:
    """Have a pipeline read texts in full precision, on the device that is in use.

    folder (Path): The pipeline.
    texts (Sequence[str]): The texts.
    RETURNS (list[dict[Any, float]]): The probability of each entity of a text, by its
        bounds and label.
    """
    model = {"mixed_precision": False}
    nlp = spacy.load(folder, config={"components": {"transformer": {"model": model}}})
    return [dict(_found(doc)) for doc in nlp.pipe(texts)]


def _found(doc: Doc) -> list[tuple[Any, float]]:
    spans = doc.spans["adak_ner"]
    return [
        ((span.start, span.end, span.label_), float(score))
        for span, score in zip(spans, spans.attrs["scores"], strict=True)
    ]


def largest_difference(
    here: Sequence[dict[Any, float]], there: Sequence[dict[Any, float]]
) -> float:
    """RETURNS (float): The largest difference of two probabilities of an entity;
    infinite if one is found in one place only."""
    differences = [0.0]
    for ours, theirs in zip(here, there, strict=True):
        if ours.keys() != theirs.keys():
            return numpy.inf
        differences += [abs(ours[key] - theirs[key]) for key in ours]
    return max(differences)


def describe(check: Check, device: str, encoder: str | None, seconds: float) -> str:
    """RETURNS (str): The table."""
    name = torch.cuda.get_device_name(_GPU) if device == "gpu" else platform.processor()
    memory = "–" if check.memory is None else f"{check.memory:,.0f} MB"
    rows = {
        "result": "passed" if check.is_passed else "**FAILED**",
        "device": f"{device} {name}".strip(),
        "encoder": encoder or "random BERT, 4 x 256",
        "mixed precision": "yes" if device == "gpu" else "no",
        "training": f"{check.words_per_second:,.0f} words per second",
        "memory of the GPU": memory,
        "largest difference from the CPU": f"{check.difference:.1e} "
        f"of {TOLERANCE:g}, in {check.entities:,} entities",
        "time": f"{seconds:.0f} s",
        "Python": f"{platform.python_version()}, {platform.system()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "CUDA": str(torch.version.cuda),
    }
    lines = ["| check_gpu | |", "| --- | --- |"]
    lines += [f"| {key} | {value} |" for key, value in rows.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--encoder", help="a transformer; a random one if not given")
    parser.add_argument("--sentences", type=int, default=400)
    parser.add_argument("--steps", type=int, default=60)
    args = parser.parse_args(arguments)
    if args.device == "gpu" and not torch.cuda.is_available():
        parser.error(
            "torch sees no GPU here. `--device cpu` runs the check on the CPU."
        )
    started = time.monotonic()
    found = check(args.device, args.encoder, args.sentences, args.steps)
    seconds = time.monotonic() - started
    print(describe(found, args.device, args.encoder, seconds))
    if not found.is_passed:
        sys.exit(1)


if __name__ == "__main__":
    main()
