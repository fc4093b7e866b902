"""Speed of `adak_ner` compared with spaCy's `ner`, both on the same HashEmbedCNN.

    python -m benchmarks.pipeline

Both are trained for a moment on the same sentences, so that they find a realistic
number of entities, and then timed in turns with one thread. "times peer" is the median
over rounds of the peer's time over that of the contender: above 1 the contender is
faster. `adak_ner` learns with the AdaK loss and K = 5 where nothing else is said.
"""

import argparse
import statistics
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed, minibatch

from .corpora import Corpus, add_corpora, as_text, make_examples, read_corpora
from .frozen_pipelines import CRF
from .result_files import Row, result_path, write_results
from .timing import median_ratio, time_in_turns

PEER = "ner"
TRAIN_STEPS = 60
UPDATED_DOCS = 320
LONG = (20_000, 40_000)


def make_pipeline(
    factory: str, config: Mapping[str, Any], docs: list[Doc], lang: str = "en"
) -> Language:
    """RETURNS (Language): A pipeline that was trained for a moment."""
    fix_random_seed(0)
    nlp = spacy.blank(lang)
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


def time_prediction(corpus: Corpus, seconds: float) -> tuple[list[Row], Language]:
    """RETURNS (tuple): Rows on `nlp.pipe`, and the pipeline with scores."""
    texts = [as_text(doc) for doc in corpus.docs]
    pipelines = {
        PEER: make_pipeline("ner", {}, corpus.docs),
        "adak_ner": make_pipeline("adak_ner", {"loss": CRF}, corpus.docs),
        "adak_ner, no scores": make_pipeline(
            "adak_ner", {"loss": CRF, "spans_key": None}, corpus.docs
        ),
    }
    tasks = {
        name: lambda nlp=nlp: list(nlp.pipe(texts)) for name, nlp in pipelines.items()
    }
    words = sum(len(doc) for doc in corpus.docs)
    times = time_in_turns(tasks, seconds)
    return list(compare("nlp.pipe", times, words)), pipelines["adak_ner"]


def time_training(docs: list[Doc], seconds: float) -> list[Row]:
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
    times = time_in_turns(tasks, seconds)
    return list(compare("nlp.update", times, words))


def time_long_documents(nlp: Language, docs: list[Doc], seconds: float) -> Row:
    """RETURNS (Row): How much longer twice the length takes."""
    words = [token.text for doc in docs for token in doc]
    words *= LONG[1] // len(words) + 1
    tasks = {str(n): lambda n=n: nlp(Doc(nlp.vocab, words=words[:n])) for n in LONG}
    times = time_in_turns(tasks, seconds)
    shorter, longer = (times[str(n)] for n in LONG)
    return {
        "what": f"a document of {LONG[1]:,} tokens beside one of {LONG[0]:,}",
        "times as long": round(median_ratio(longer, shorter), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=20.0, help="for each part")
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        corpus = next(read_corpora(args, args.sentences, Path(temporary)))
    rows, nlp = time_prediction(corpus, args.seconds)
    rows += time_training(corpus.docs, args.seconds)
    rows.append(time_long_documents(nlp, corpus.docs, args.seconds))
    for row in rows:
        print(row)
    path = result_path("pipeline", parser, args, "sentences", "seconds")
    write_results(path, args, rows)


if __name__ == "__main__":
    main()
