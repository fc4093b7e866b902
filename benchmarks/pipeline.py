"""Speed of `adak_ner` beside spaCy's `ner`, both on the same HashEmbedCNN.

    python -m benchmarks.pipeline --data train.txt

Both are trained for a moment on the same sentences, so that they find a realistic
number of entities, and then timed in turns with one thread. What counts is the median
of the ratios of the rounds. Results go to `benchmarks/results/`.
"""

import argparse
import resource
import statistics
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import spacy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from .corpora import make_examples, read_columns
from .result_files import result_path
from .timing import median_ratio, time_in_turns

PEER = "ner"
CRF = {"@losses": "spacy-adak.CRFLoss.v1"}
TRAIN_STEPS = 200
SECONDS = 60.0
UPDATED_DOCS = 500
Row = dict[str, Any]


def make_pipeline(factory: str, config: Mapping[str, Any], docs: list[Doc]) -> Language:
    """RETURNS (Language): A pipeline that was trained for a moment."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config=dict(config))
    examples = make_examples(nlp, docs)
    optimizer = nlp.initialize(lambda: examples)
    batches = list(minibatch(examples, size=32))
    for step in range(TRAIN_STEPS):
        nlp.update(batches[step % len(batches)], sgd=optimizer, drop=0.1)
    return nlp


def compare(what: str, times: Mapping[str, list[float]], words: int) -> Iterator[Row]:
    """YIELDS (Row): Words per second of each contender, and its speed in terms of
    the peer's."""
    for name, seconds in times.items():
        yield {
            "what": what,
            "contender": name,
            "words_per_second": round(words / statistics.median(seconds)),
            "times_peer": round(median_ratio(times[PEER], seconds), 2),
            "rounds": len(seconds),
        }


def time_prediction(docs: list[Doc]) -> tuple[list[Row], Language]:
    """RETURNS (tuple): Rows on `nlp.pipe`, and the pipeline with scores."""
    texts = [" ".join(token.text for token in doc) for doc in docs]
    pipelines = {
        PEER: make_pipeline("ner", {}, docs),
        "adak_ner": make_pipeline("adak_ner", {"loss": CRF}, docs),
        "adak_ner, no scores": make_pipeline(
            "adak_ner", {"loss": CRF, "spans_key": None}, docs
        ),
    }

    def predict(nlp: Language) -> int:
        return sum(len(doc.ents) for doc in nlp.pipe(texts))

    for name, nlp in pipelines.items():
        print(f"{name} finds {predict(nlp):,} entities in {len(texts):,} sentences")
    tasks = {name: lambda nlp=nlp: predict(nlp) for name, nlp in pipelines.items()}
    words = sum(len(doc) for doc in docs)
    times = time_in_turns(tasks, SECONDS)
    return list(compare("nlp.pipe", times, words)), pipelines["adak_ner"]


def time_training(docs: list[Doc]) -> list[Row]:
    """RETURNS (list[Row]): Rows on `nlp.update`."""

    def update(nlp: Language, examples: list[Example], sgd: Any) -> None:
        for batch in minibatch(examples, size=32):
            nlp.update(batch, sgd=sgd, drop=0.1)

    tasks = {}
    for name, factory, config in [
        (PEER, "ner", {}),
        ("adak_ner", "adak_ner", {}),
        ("adak_ner, CRFLoss", "adak_ner", {"loss": CRF}),
    ]:
        nlp = make_pipeline(factory, config, docs)
        job = nlp, make_examples(nlp, docs[:UPDATED_DOCS]), nlp.resume_training()
        tasks[name] = lambda job=job: update(*job)
    words = sum(len(doc) for doc in docs[:UPDATED_DOCS])
    return list(compare("nlp.update", time_in_turns(tasks, SECONDS), words))


def time_long_documents(nlp: Language, docs: list[Doc]) -> Row:
    """RETURNS (Row): How much longer twice the length takes."""
    words = [token.text for doc in docs for token in doc]
    while len(words) < 40_000:
        words *= 2
    tasks = {
        str(n): lambda n=n: nlp(Doc(nlp.vocab, words=words[:n]))
        for n in (20_000, 40_000)
    }
    times = time_in_turns(tasks, SECONDS)
    ratio = median_ratio(times["40000"], times["20000"])
    return {"what": "40,000 tokens / 20,000 tokens", "ratio": round(ratio, 2)}


def measure_stream(nlp: Language, docs: list[Doc], n_docs: int) -> Row:
    """RETURNS (Row): The peak of memory after each fifth of a stream."""
    texts = [" ".join(token.text for token in doc) for doc in docs]
    stream = (texts[i % len(texts)] for i in range(n_docs))
    peaks = []
    for i, _ in enumerate(nlp.pipe(stream), start=1):
        if i % (n_docs // 5) == 0:
            peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    return {"what": f"peak MB in a stream of {n_docs:,} documents", "peaks": peaks}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="column file, BIO")
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--stream", type=int, default=50_000, help="documents")
    args = parser.parse_args()
    torch.set_num_threads(1)
    docs = read_columns(args.data, spacy.blank("en").vocab, args.sentences)
    rows, nlp = time_prediction(docs)
    rows += time_training(docs)
    rows.append(time_long_documents(nlp, docs))
    rows.append(measure_stream(nlp, docs, args.stream))
    speeds = {
        (row["what"], row["contender"]): row["times_peer"]
        for row in rows
        if "times_peer" in row
    }
    peaks = rows[-1]["peaks"]
    targets = {
        "scores on: at least 1.0": speeds["nlp.pipe", "adak_ner"] >= 1.0,
        "scores off: at least 1.2": speeds["nlp.pipe", "adak_ner, no scores"] >= 1.2,
        "training: at least 1.0": speeds["nlp.update", "adak_ner"] >= 1.0,
        "twice the length: at most 2.3": rows[-2]["ratio"] <= 2.3,
        "memory of the stream: flat to 1 %": peaks[-1] <= 1.01 * peaks[0],
    }
    for row in rows:
        print(row)
    for target, reached in targets.items():
        print("reached" if reached else "MISSED", target)
    settings = {**vars(args), "data": str(args.data.name), "threads": 1}
    path = result_path("pipeline", parser, args, "sentences", "stream")
    srsly.write_jsonl(path, [settings, *rows])


if __name__ == "__main__":
    main()
