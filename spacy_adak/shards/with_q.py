"""The training data with the q that was estimated for it.

The data itself is written once. What a round estimates for a shard of it goes to a file
of its own, and the two are put together when examples are read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy
import srsly
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Corpus, Example, dont_augment
from spacy.util import registry

from ..annotation.q_of_text import ESTIMATE_KEY, ChainEstimate, keep_chain, set_estimate
from ..atomic import write_file
from ..crf.tags import LabelledSpan
from .checkpoint import damage_named
from .layout import list_shards

READER = "spacy-adak.EstimatedCorpus.v1"


class ScoredSpan(NamedTuple):
    """An entity on the path of q, in tokens of the reference.

    start (int): Its first token.
    end (int): The token after its last one.
    label (str): Its label.
    probability (float): How sure the model is that it is one.
    """

    start: int
    end: int
    label: str
    probability: float


def in_reference(
    example: Example, scored: Iterable[tuple[LabelledSpan, float]]
) -> list[ScoredSpan]:
    """Put entities in terms of the reference.

    example (Example): A text.
    scored (Iterable[tuple[LabelledSpan, float]]): Entities of the predicted document,
        and how sure the model is of them.
    RETURNS (list[ScoredSpan]): Those that align with tokens of the reference.
    """
    return [
        ScoredSpan(aligned.start, aligned.end, aligned.label_, probability)
        for span, probability in scored
        for aligned in example.get_aligned_spans_x2y(
            [Span(example.predicted, span.start, span.end, label=span.type)]
        )
    ]


class ShardEstimates(NamedTuple):
    """q for the texts of a shard, in order.

    paths (Sequence[Sequence[ScoredSpan]]): All entities on the path of q of each text.
    chains (Sequence[ChainEstimate]): q as a chain, or nothing if q is the path.
    selected (Sequence[int]): The texts to train the next folds with.
    candidates (Sequence[Sequence[ScoredSpan]]): All entities of each text that are not
        improbable, whether on the path or not; nothing if that was not looked at.
    """

    paths: Sequence[Sequence[ScoredSpan]]
    chains: Sequence[ChainEstimate]
    selected: Sequence[int]
    candidates: Sequence[Sequence[ScoredSpan]] = ()

    def to_disk(self, path: Path) -> None:
        """Write the estimates to a file."""
        data = {
            "paths": self.paths,
            "nodes": [_half(chain.nodes) for chain in self.chains],
            # One model estimates the whole shard, so the moves are always the same.
            "moves": [_half(array) for chain in self.chains[:1] for array in chain[1:]],
            "selected": self.selected,
            "candidates": self.candidates,
        }
        write_file(path, lambda beside: srsly.write_msgpack(beside, data))

    @classmethod
    def from_disk(cls, path: Path) -> "ShardEstimates":
        """RETURNS (ShardEstimates): What was written to a file."""
        with damage_named(path):
            data = srsly.read_msgpack(path)
            return cls(
                [[ScoredSpan(*span) for span in spans] for spans in data["paths"]],
                [ChainEstimate(nodes, *data["moves"]) for nodes in data["nodes"]],
                data["selected"],
                [[ScoredSpan(*span) for span in spans] for spans in data["candidates"]],
            )

    def attach(self, reference: Doc, index: int) -> None:
        """Write the estimate for a text to it.

        reference (Doc): The text.
        index (int): Its place in the shard.
        """
        path = self.paths[index]
        reference.spans[ESTIMATE_KEY] = SpanGroup(
            reference,
            name=ESTIMATE_KEY,
            spans=[Span(reference, s.start, s.end, s.label) for s in path],
            attrs={"scores": [s.probability for s in path]},
        )
        if self.chains:
            set_estimate(reference, self.chains[index])


def _half(array: numpy.ndarray) -> numpy.ndarray:
    return array.astype("float16", copy=False)


def estimates_path(estimates: Path, shard: Path) -> Path:
    """RETURNS (Path): The file with the estimates for a shard."""
    return estimates / f"{shard.stem}.q"


@registry.readers(READER)
def create_estimated_corpus(
    path: str | Path,
    estimates: str | Path | None = None,
    without_fold: int | None = None,
    augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
) -> Callable[[Language], Iterator[Example]]:
    """A reader of the training data of a run, with or without q.

    path (str | Path): A folder of shards.
    estimates (str | Path | None): A folder with the estimates for all of them, if
        there are any.
    without_fold (int | None): A fold to leave out. Of the others only what is selected
        is read.
    augmenter (Callable | None): The augmenter of the user's own reader.
    RETURNS (Callable[[Language], Iterator[Example]]): The reader.
    """
    folder = None if estimates is None else Path(estimates)
    selected_only = without_fold is not None

    def read(nlp: Language) -> Iterator[Example]:
        for shard in list_shards(Path(path)):
            if shard.fold != without_fold:
                for example in read_shard(nlp, shard.path, folder, selected_only):
                    for augmented in (augmenter or dont_augment)(nlp, example):
                        keep_chain(example.reference, augmented.reference)
                        yield augmented

    return read


def read_shard(
    nlp: Language, shard: Path, estimates: Path | None, selected_only: bool = False
) -> Iterator[Example]:
    """Read a shard together with its estimates.

    nlp (Language): The pipeline to read it for.
    shard (Path): The file.
    estimates (Path | None): The folder with estimates, if there are any.
    selected_only (bool): Whether to leave out what is not selected.
    YIELDS (Example): The examples.
    """
    examples = Corpus(shard)(nlp)
    if estimates is None:
        yield from examples
        return
    found = ShardEstimates.from_disk(estimates_path(estimates, shard))
    selected = set(found.selected)
    for i, example in enumerate(examples):
        if selected_only and i not in selected:
            continue
        found.attach(example.reference, i)
        yield example
