"""`nlp.pipe` over a frozen transformer, compared with spaCy's `ner` over the same one.

    python -m benchmarks.frozen_prediction --en sentences.txt --en-encoder FOLDER \\
        --zh titles.txt --zh-encoder FOLDER

All pipelines read the same texts with the same batch size, in turns, with one thread.
Ours gives a probability for each entity, the peers have none. "times ..." is the median
over rounds of that peer's time over that of the contender: above 1 the contender is
faster. "every text twice" reads each text a second time, and counts its words again.
"8 bits" is the encoder with `reduced = true`; `benchmarks.reduced` measures what
it costs in F1. Ours reads the middle layers and does not compute those above, as
`init-config --encoder` has it; the peers read the last layer. The BERT of
spacy-curated-transformers has the size of the transformer and random weights, as it
does not read every architecture.
"""

import argparse
import statistics
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import torch
from spacy.language import Language
from spacy.tokens import Doc

from .corpora import Corpus, add_corpora, read_corpora
from .frozen_pipelines import (
    forget_rows,
    make_curated_peer,
    make_ours,
    make_peer,
    predict,
)
from .result_files import Row, result_path, write_results
from .timing import median_ratio, time_in_turns

PEERS: dict[str, Callable[[str, Path, list[Doc]], Language]] = {
    "spacy-transformers": make_peer,
    "spacy-curated-transformers": make_curated_peer,
}
TWICE = "adak_ner, every text twice"
BATCH_SIZE = 128


def read(nlp: Language, docs: list[Doc]) -> list[Doc]:
    """Predict, as a pipeline does that was loaded a moment ago.

    nlp (Language): The pipeline.
    docs (list[Doc]): The texts.
    RETURNS (list[Doc]): What it says of them.
    """
    forget_rows(nlp)
    return predict(nlp, docs, batch_size=BATCH_SIZE)


def compare(corpus: Corpus, n_texts: int, seconds: float) -> Iterator[Row]:
    """YIELDS (Row): One for each contender."""
    docs, lesson = corpus.docs[:n_texts], corpus.docs[n_texts:]
    ours = make_ours(corpus.lang, corpus.encoder, lesson)
    pipelines = {
        "adak_ner": ours,
        "adak_ner, 8 bits": make_ours(
            corpus.lang, corpus.encoder, lesson, reduced=True
        ),
        **{n: make(corpus.lang, corpus.encoder, lesson) for n, make in PEERS.items()},
    }
    tasks = {name: partial(read, nlp, docs) for name, nlp in pipelines.items()}
    tasks[TWICE] = partial(read, ours, docs + docs)
    times = time_in_turns(tasks, seconds)
    for name, measured in times.items():
        words = sum(len(doc) for doc in docs) * (2 if name == TWICE else 1)
        row: Row = {
            "texts": corpus.name,
            "transformer": corpus.encoder_name,
            "contender": name,
            "words per second": round(words / statistics.median(measured)),
        }
        for peer in PEERS:
            ratio = median_ratio(times[peer], measured) * (2 if name == TWICE else 1)
            row[f"times {peer}"] = round(ratio, 2)
        yield {**row, "rounds": len(measured)}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0, help="per language")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in read_corpora(args, 2 * args.texts, Path(temporary)):
            for row in compare(corpus, args.texts, args.seconds):
                rows.append(row)
                print(row, flush=True)
    path = result_path("frozen_prediction", parser, args, "texts", "seconds")
    packages = ["transformers", *PEERS]
    write_results(path, args, rows, packages)


if __name__ == "__main__":
    main()
