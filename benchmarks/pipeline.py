"""Speed of `adak_ner` beside spaCy's `ner`, both on the same HashEmbedCNN.

Both are trained for a moment on the same data, then timed in turns in one process with
one thread; every figure is the median of the ratios of the rounds. Targets are printed
with what was measured.

    python benchmarks/pipeline.py --data train.txt
"""

import argparse
import gc
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import spacy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

torch.set_num_threads(1)
RESULTS = Path(__file__).parent / "results"


def read_columns(path: Path, vocab: spacy.Vocab, limit: int) -> list[Doc]:
    """Read sentences of "token tag" lines in the BIO scheme."""
    docs = []
    for block in path.read_text(encoding="utf8").replace("\r", "").split("\n\n"):
        rows = [line.split(" ") for line in block.split("\n") if line.strip()]
        if rows:
            words, tags = [row[0] for row in rows], [row[-1] for row in rows]
            docs.append(Doc(vocab, words=words, ents=tags))
        if len(docs) == limit:
            break
    return docs


def make_pipeline(factory: str, config: dict, docs: list[Doc], steps: int) -> Language:
    """Train a pipeline for a moment: it then finds a realistic number of entities."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe(factory, config=config)
    examples = make_examples(nlp, docs)
    optimizer = nlp.initialize(lambda: examples)
    for step, batch in enumerate(minibatch(examples * 20, size=32)):
        if step == steps:
            break
        nlp.update(batch, sgd=optimizer, drop=0.1)
    return nlp


def make_examples(nlp: Language, docs: list[Doc]) -> list[Example]:
    return [
        Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc)
        for doc in docs
    ]


def in_turns(
    jobs: dict[str, Callable[[], object]], rounds: int
) -> dict[str, list[float]]:
    """Time all jobs in turns, each round starting with another one."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    names = list(jobs)
    for i in range(rounds + 1):
        for name in names[i % len(names) :] + names[: i % len(names)]:
            gc.collect()
            start = time.perf_counter()
            jobs[name]()
            if i:  # the first round warms up
                times[name].append(time.perf_counter() - start)
    return times


def speed_up(times: dict[str, list[float]], name: str, peer: str) -> float:
    """RETURNS (float): How many times as fast as its peer, median over rounds."""
    pairs = zip(times[peer], times[name], strict=True)
    return statistics.median(slow / fast for slow, fast in pairs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="column file, BIO")
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--train-steps", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stream", type=int, default=50_000, help="documents")
    args = parser.parse_args()
    docs = read_columns(args.data, spacy.blank("en").vocab, args.sentences)
    texts = [" ".join(token.text for token in doc) for doc in docs]
    words = sum(len(doc) for doc in docs)

    settings = {
        "ner": ("ner", {}),
        "adak_ner, scores": ("adak_ner", {"loss": "crf"}),
        "adak_ner, no scores": ("adak_ner", {"loss": "crf", "spans_key": None}),
    }
    pipelines = {
        name: make_pipeline(factory, config, docs, args.train_steps)
        for name, (factory, config) in settings.items()
    }
    found = {
        name: sum(len(doc.ents) for doc in nlp.pipe(texts))
        for name, nlp in pipelines.items()
    }

    def predict(nlp: Language) -> None:
        for _ in nlp.pipe(texts):
            pass

    times = in_turns(
        {name: lambda nlp=nlp: predict(nlp) for name, nlp in pipelines.items()},
        args.rounds,
    )
    rows = [
        {
            "what": "nlp.pipe",
            "contender": name,
            "words_per_second": round(words / statistics.median(times[name])),
            "times_ner": round(speed_up(times, name, "ner"), 2),
            "entities_found": found[name],
        }
        for name in times
    ]

    train = {
        "ner": ("ner", {}),
        "adak_ner, loss = adak": ("adak_ner", {}),
        "adak_ner, loss = crf": ("adak_ner", {"loss": "crf"}),
    }
    trainers = {}
    for name, (factory, config) in train.items():
        nlp = make_pipeline(factory, config, docs, 20)
        trainers[name] = (nlp, make_examples(nlp, docs[:1000]), nlp.resume_training())

    def update(nlp: Language, examples: list[Example], optimizer: object) -> None:
        for batch in minibatch(examples, size=32):
            nlp.update(batch, sgd=optimizer, drop=0.1)

    times = in_turns(
        {name: lambda job=job: update(*job) for name, job in trainers.items()},
        args.rounds,
    )
    trained_words = sum(len(doc) for doc in docs[:1000])
    rows += [
        {
            "what": "nlp.update",
            "contender": name,
            "words_per_second": round(trained_words / statistics.median(times[name])),
            "times_ner": round(speed_up(times, name, "ner"), 2),
        }
        for name in times
    ]

    nlp = pipelines["adak_ner, scores"]
    all_words = [token.text for doc in docs for token in doc]
    while len(all_words) < 40_000:
        all_words *= 2
    long_docs = {
        length: lambda length=length: nlp(Doc(nlp.vocab, words=all_words[:length]))
        for length in (20_000, 40_000)
    }
    times = in_turns(long_docs, args.rounds)
    length_ratio = 1 / speed_up(times, 40_000, 20_000)
    rows.append(
        {"what": "40,000 tokens / 20,000 tokens", "ratio": round(length_ratio, 2)}
    )

    memory = []
    stream = (texts[i % len(texts)] for i in range(args.stream))
    for i, _ in enumerate(nlp.pipe(stream)):
        if i % (args.stream // 5) == args.stream // 5 - 1:
            memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    rows.append({"what": f"peak MB over {args.stream} documents", "fifths": memory})

    for row in rows:
        print(row)
    ratios = {(row["what"], row.get("contender")): row.get("times_ner") for row in rows}
    targets = [
        ("scores on, at least 1.0", ratios["nlp.pipe", "adak_ner, scores"] >= 1.0),
        ("scores off, at least 1.2", ratios["nlp.pipe", "adak_ner, no scores"] >= 1.2),
        (
            "training, at least 1.0",
            ratios["nlp.update", "adak_ner, loss = adak"] >= 1.0,
        ),
        ("40,000 tokens, at most 2.3", length_ratio <= 2.3),
        ("memory of the stream flat (10 MB)", memory[-1] - memory[0] <= 10),
    ]
    for name, reached in targets:
        print("reached" if reached else "MISSED", name)
    RESULTS.mkdir(exist_ok=True)
    srsly.write_jsonl(
        RESULTS / "pipeline.jsonl", [{**vars(args), "data": args.data.name}, *rows]
    )


if __name__ == "__main__":
    main()
