"""The share of prediction and training that the dynamic programmes of the CRF take,
which is the most that a compiled kernel could save.

    python -m benchmarks.core_share

"core" are the CPU seconds of partition, marginals, expected moves, Viterbi, K-best and
the probabilities of spans, in per cent of all. "head" is the whole of `adak_ner`
without its encoder: reading annotations and writing entities are part of it. Over a
frozen transformer, training finds the rows of all texts remembered, as in `adak train`
after the first epoch. Four fifths of the entities are missing from what is learnt.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from spacy_adak.crf import lattice, losses
from spacy_adak.data.corruption import drop_entities
from spacy_adak.pipeline import adak_ner, recognition

from .corpora import Corpus, add_corpora, as_text, make_examples, read_corpora
from .frozen_pipelines import make_ours
from .pipeline import make_pipeline
from .result_files import result_path, write_results

Functions = list[tuple[Any, str]]
CORE: Functions = [
    (lattice, "run_messages"),
    (lattice, "node_marginals"),
    (lattice, "_edge_expectations"),
    (losses, "kbest"),
    (recognition, "viterbi"),
    (recognition, "span_log_probabilities"),
]
HEAD: Functions = [
    (adak_ner.AdaKRecognizer, "get_loss"),
    (adak_ner.AdaKRecognizer, "set_annotations"),
    (adak_ner, "find_entities"),
]
UPDATED_DOCS = 160
LOSSES: dict[str, dict[str, Any]] = {
    "WeightedLoss": {"@losses": "spacy-adak.WeightedLoss.v1"},
    "MissingLoss": {"@losses": "spacy-adak.MissingLoss.v1", "annotation_recall": 0.2},
}


@contextmanager
def timing(functions: Functions) -> Iterator[list[float]]:
    """YIELDS (list[float]): CPU seconds of each call of the functions, which are at
    these places."""
    seconds: list[float] = []

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            result = function(*args, **kwargs)
            seconds.append(time.process_time() - start)
            return result

        return call

    with ExitStack() as stack:
        for owner, name in functions:
            wrapped = timed(getattr(owner, name))
            stack.enter_context(patch.object(owner, name, wrapped))
        yield seconds


def shares(task: Callable[[], object], seconds: float) -> dict[str, float]:
    """Find out which share of a task core and head have.

    task (Callable[[], object]): What to do again and again.
    seconds (float): How long, in CPU seconds.
    RETURNS (dict[str, float]): Per cent, medians over rounds.
    """
    task()
    found: dict[str, list[float]] = {"core, %": [], "head, %": []}
    end = time.process_time() + seconds
    while not found["head, %"] or time.process_time() < end:
        for name, functions in zip(found, (CORE, HEAD), strict=True):
            with timing(functions) as parts:
                start = time.process_time()
                task()
                total = time.process_time() - start
            found[name].append(100 * sum(parts) / total)
    medians = {name: round(statistics.median(x), 1) for name, x in found.items()}
    return {**medians, "rounds": len(found["head, %"])}


def update(nlp: Language, examples: list[Example], sgd: Any) -> None:
    """Learn from all examples once."""
    for batch in minibatch(examples, size=32):
        nlp.update(batch, sgd=sgd, drop=0.1)


def situations(corpus: Corpus) -> Iterator[tuple[str, Callable[[], object]]]:
    """YIELDS (tuple[str, Callable[[], object]]): What is done, and a task that does."""
    texts = [as_text(doc) for doc in corpus.docs]
    incomplete = drop_entities(corpus.docs, 0.2)
    nlp = make_pipeline("adak_ner", {}, corpus.docs, corpus.lang)
    yield "nlp.pipe, HashEmbedCNN", lambda: list(nlp.pipe(texts))
    pipelines = {"nlp.update, HashEmbedCNN, AdaKLoss": nlp}
    for name, loss in LOSSES.items():
        frozen = make_ours(corpus.lang, corpus.encoder, incomplete, loss)
        pipelines[f"nlp.update, {corpus.encoder_name} frozen, {name}"] = frozen
    for what, pipeline in pipelines.items():
        examples = make_examples(pipeline, incomplete[:UPDATED_DOCS])
        sgd = pipeline.resume_training()
        yield what, partial(update, pipeline, examples, sgd)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each, of CPU")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for corpus in read_corpora(args, args.sentences, Path(temporary)):
            for what, task in situations(corpus):
                row = {"texts": corpus.name, "what": what}
                rows.append({**row, **shares(task, args.seconds)})
                print(rows[-1], flush=True)
    path = result_path("core_share", parser, args, "sentences", "seconds")
    write_results(path, args, rows)


if __name__ == "__main__":
    main()
