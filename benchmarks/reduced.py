"""What `reduced = true` in `FrozenEncoder` gains in speed, and what it loses in F1.

    python -m benchmarks.reduced --en sentences.txt --en-encoder FOLDER \\
        --zh titles.txt --zh-encoder FOLDER

A pipeline as `init-config --encoder` writes it is trained on completely annotated texts
and saved, then loaded with and without the setting: 8 bits on a CPU, 16 bits on a GPU
(`--gpu-id`). Both predict other texts of the same file, in turns. "times as fast" is
the median over rounds, of CPU seconds of one thread, or of seconds where a GPU
computes. "entities that differ" are found by one of both only.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import require_gpu

from spacy_adak.report.evaluation import score_entities

from .corpora import Corpus, add_corpora, read_corpora
from .frozen_pipelines import forget_rows, make_ours, predict
from .result_files import Row, result_path, write_results
from .timing import median_ratio, time_in_turns

TIMED_TEXTS = 128
Found = list[set[tuple[int, int, str]]]


def load_reduced(nlp: Language) -> Language:
    """RETURNS (Language): The same pipeline, loaded with the setting."""
    embed = "components.adak_ner.model.tok2vec.embed.*.frozen.reduced"
    with tempfile.TemporaryDirectory() as folder:
        nlp.to_disk(folder)
        return spacy.load(folder, config={embed: True})


def read(nlp: Language, docs: list[Doc]) -> list[Doc]:
    """Predict, and encode all texts."""
    forget_rows(nlp)
    return predict(nlp, docs)


def entities(docs: list[Doc]) -> Found:
    """RETURNS (Found): The entities of each text."""
    return [{(ent.start, ent.end, ent.label_) for ent in doc.ents} for doc in docs]


def compare(
    corpus: Corpus, texts: int, steps: int, seconds: float, on_gpu: bool
) -> Iterator[Row]:
    """YIELDS (Row): One without the setting, and one with it."""
    lesson, held_out = corpus.docs[:texts], corpus.docs[texts:]
    plain = make_ours(corpus.lang, corpus.encoder, lesson, steps=steps)
    pipelines = {"32 bits": plain}
    pipelines["16 bits" if on_gpu else "8 bits"] = load_reduced(plain)
    found = {name: read(nlp, held_out) for name, nlp in pipelines.items()}
    timed = held_out[:TIMED_TEXTS]
    tasks = {name: partial(read, nlp, timed) for name, nlp in pipelines.items()}
    clock = time.perf_counter if on_gpu else time.process_time
    times = time_in_turns(tasks, seconds, clock)
    plain_entities = entities(found["32 bits"])
    for name, docs in found.items():
        scores = score_entities(map(Example, docs, held_out))
        pairs = zip(entities(docs), plain_entities, strict=True)
        yield {
            "texts": corpus.name,
            "transformer": corpus.encoder_name,
            "encoder": name,
            "words per second": round(
                sum(map(len, timed)) / statistics.median(times[name])
            ),
            "times as fast": round(median_ratio(times["32 bits"], times[name]), 2),
            "F1": round(100 * scores.micro.f, 2),
            "entities": sum(len(doc.ents) for doc in docs),
            "entities that differ": sum(len(a ^ b) for a, b in pairs),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--texts", type=int, default=600, help="to learn from")
    parser.add_argument("--held-out", type=int, default=400, help="to predict")
    parser.add_argument("--steps", type=int, default=200, help="of 32 texts")
    parser.add_argument("--seconds", type=float, default=10.0, help="per language")
    parser.add_argument("--gpu-id", type=int, default=-1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    on_gpu = args.gpu_id >= 0
    if on_gpu:
        require_gpu(args.gpu_id)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in read_corpora(args, args.texts + args.held_out, Path(temporary)):
            for row in compare(corpus, args.texts, args.steps, args.seconds, on_gpu):
                rows.append(row)
                print(row, flush=True)
    sizes = ("texts", "held_out", "steps", "seconds", "gpu_id")
    path = result_path("reduced", parser, args, *sizes)
    write_results(path, args, rows, ["transformers"])


if __name__ == "__main__":
    main()
