"""Words per second of `nlp.pipe` over 1,000, 10,000 and 100,000 texts, and memory.

    python -m benchmarks.stream_growth

The default `adak_ner` reads copies of the sentences in which names are changed. The
series take turns, 1,000 texts at a time; the two shorter ones begin again after their
last text. "times shortest" is the median over turns of the words per CPU second of a
series over those of the shortest one: 1 is as fast. "peak MB" is the peak of the memory
of the process so far in the longest series.
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import torch
from spacy.language import Language

from .corpora import Corpus, add_corpora, as_text, read_corpora, renamed_copies
from .pipeline import make_pipeline
from .result_files import Row, result_path, write_results

SLICE = 1000
# Slices of the longest series in a turn.
TURN = 5


class Series:
    """`nlp.pipe` over so many texts, slice by slice, and from the beginning again.

    nlp (Language): The pipeline.
    corpus (Corpus): What the texts are made from.
    n_texts (int): How many texts.
    """

    def __init__(self, nlp: Language, corpus: Corpus, n_texts: int) -> None:
        self.nlp = nlp
        self.corpus = corpus
        self.n_texts = n_texts
        self.speeds: list[float] = []
        self._words = self._run()

    def take_slice(self) -> None:
        """Read some texts, and note how many words per CPU second."""
        start = time.process_time()
        words = sum(islice(self._words, SLICE))
        self.speeds.append(words / (time.process_time() - start))

    def _run(self) -> Iterator[int]:
        while True:
            copies = islice(renamed_copies(self.corpus.docs), self.n_texts)
            for doc in self.nlp.pipe(map(as_text, copies)):
                yield len(doc)


def compare_sizes(nlp: Language, corpus: Corpus, sizes: list[int]) -> Iterator[Row]:
    """YIELDS (Row): The peak of memory on the way, then words per second of each."""
    series = [Series(nlp, corpus, size) for size in sizes]
    for each in series:  # The first texts of all are slower.
        each.take_slice()
        each.speeds.clear()
    longest = series[-1]
    for number in range(1, sizes[-1] // SLICE):
        longest.take_slice()
        if number % TURN == 0:
            for each in series[:-1]:
                each.take_slice()
        if number % (2 * TURN) == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            yield {"texts read": number * SLICE, "peak MB": peak}
    beside = [statistics.median(longest.speeds[i : i + TURN]) for i in turns(longest)]
    for each in series:
        speeds = beside if each is longest else each.speeds
        ratios = [a / b for a, b in zip(speeds, series[0].speeds, strict=False)]
        yield {
            "texts": each.n_texts,
            "words per CPU second": round(statistics.median(each.speeds)),
            "times shortest": round(statistics.median(ratios), 2),
        }


def turns(longest: Series) -> range:
    """RETURNS (range): Where the turns of the longest series begin."""
    return range(0, len(longest.speeds), TURN)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_corpora(parser)
    parser.add_argument("--texts", type=int, nargs=3, default=[1000, 10_000, 100_000])
    args = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as temporary:
        corpus = next(read_corpora(args, 1000, Path(temporary)))
    nlp = make_pipeline("adak_ner", {}, corpus.docs)
    rows = []
    for row in compare_sizes(nlp, corpus, args.texts):
        rows.append(row)
        print(row, flush=True)
    path = result_path("stream_growth", parser, args, "texts")
    write_results(path, args, rows)


if __name__ == "__main__":
    main()
