"""Estimate for each token how likely annotators were to mark an entity that begins
there, as one task of the outer loop.

It is written down as the likelihood of the annotation, given a path: the less likely
they were to mark an entity, the less it costs to begin one that is not marked. Before
there is a model that is all that is known of paths, a first q.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median_high
from typing import NamedTuple

import numpy
import srsly
from spacy.training import Example

from ..annotation.known import Known, allowed_tags, entity_starting_tags
from ..annotation.q_of_text import ChainEstimate
from ..crf.tags import LabelledSpan, TagSet
from ..pipeline.adak_ner import AdaKRecognizer
from ..q.annotators import Annotators
from ..q.candidates import Dictionary, Words
from ..shards.checkpoint import write_json
from ..shards.layout import list_shards
from ..shards.with_q import (
    ScoredSpan,
    ShardEstimates,
    estimates_path,
    in_reference,
    read_shard,
)
from .logs import logging_to
from .train_model import TrainingTask


class RecallTask(NamedTuple):
    """What a worker needs to know to estimate the recall of annotators.

    training (TrainingTask): A training whose pipeline has the labels.
    component (str): The name of the component.
    looks_at_forms (bool): Whether annotators may not know some forms.
    estimates (Path): The folder for the first q, and for what annotators do.
    """

    training: TrainingTask
    component: str
    looks_at_forms: bool
    estimates: Path

    @property
    def name(self) -> str:
        """RETURNS (str): For messages."""
        return f"{self.training.name}, recall of annotators"

    @property
    def output(self) -> Path:
        """RETURNS (Path): Written last, so its presence means that all is there."""
        return self.estimates / "annotators.json"

    @property
    def log_path(self) -> Path:
        """RETURNS (Path): Where an error is written down."""
        return self.output.with_suffix(".log")

    def is_done(self) -> bool:
        """RETURNS (bool): Whether it is known what annotators do."""
        return self.output.exists()

    def annotators(self) -> Annotators:
        """RETURNS (Annotators): What was found out about them."""
        return Annotators(**srsly.read_json(self.output))

    def run(self) -> None:
        """Estimate the recall for all texts, unless that is done already."""
        if self.is_done():
            return
        self.estimates.mkdir(exist_ok=True)
        with self.log_path.open("w", encoding="utf8") as log, logging_to(log):
            nlp = self.training.make_pipeline()
        component = nlp.get_pipe(self.component)
        assert isinstance(component, AdaKRecognizer)
        shards = {
            shard.path: [
                Text.read(example, component)
                for example in read_shard(nlp, shard.path, None)
            ]
            for shard in list_shards(self.training.corpus)
        }
        texts = [text for shard in shards.values() for text in shard]
        recall = self.training.annotation_recall(component)
        if self.looks_at_forms:
            annotators, by_token = recall_by_strings(texts, recall)
        else:
            annotators = Annotators(recall, recall)
            by_token = recall_at_random(texts, recall)
        for path, shard_texts in shards.items():
            ShardEstimates(
                paths=[text.marked for text in shard_texts],
                chains=[
                    first_q(text.known, next(by_token), component.tagset)
                    for text in shard_texts
                ],
                selected=list(range(len(shard_texts))),
            ).to_disk(estimates_path(self.estimates, path))
        write_json(self.output, annotators._asdict())


class Text(NamedTuple):
    """A text.

    words (list[str]): Its words.
    known (Known): What is known of it.
    marked (list[ScoredSpan]): The entities that annotators have marked.
    """

    words: list[str]
    known: Known
    marked: list[ScoredSpan]

    @classmethod
    def read(cls, example: Example, component: AdaKRecognizer) -> "Text":
        """RETURNS (Text): The text of an example."""
        known = component.read_sample(example).known
        words = [token.text for token in example.predicted]
        marked = in_reference(example, [(span, 1.0) for span in known.entities])
        return cls(words, known, marked)

    def forms(self, spans: Iterable[LabelledSpan]) -> list[Words]:
        """RETURNS (list[Words]): The words of spans."""
        return [tuple(self.words[span.start : span.end]) for span in spans]


def _marked_forms(texts: Iterable[Text]) -> Counter[Words]:
    return Counter(form for text in texts for form in text.forms(text.known.entities))


def recall_at_random(texts: Iterable[Text], recall: float) -> Iterator[numpy.ndarray]:
    """Suppose that annotators forget any entity alike.

    texts (Iterable[Text]): All texts.
    recall (float): r.
    YIELDS (ndarray): The recall at each token of a text.
    """
    return (numpy.full(len(text.words), recall) for text in texts)


def recall_by_strings(
    texts: Sequence[Text], recall: float
) -> tuple[Annotators, Iterator[numpy.ndarray]]:
    """Go by how often annotators leave out a string that they mark elsewhere. If they
    seem not to know some forms, strings that are half as long as an entity count the
    less each, the more often they come up.

    texts (Sequence[Text]): All texts.
    recall (float): r.
    RETURNS (tuple[Annotators, Iterator[ndarray]]): What annotators do, and the recall
        at each token of each text.
    """
    marked = _marked_forms(texts)
    dictionary = Dictionary(dict.fromkeys(marked, "-"))
    unmarked = Counter(
        form
        for text in texts
        for form in text.forms(
            dictionary.match(text.words, text.known.unknown().tolist())
        )
    )
    annotators = Annotators.from_forms(recall, marked, unmarked)
    if annotators.know_all_forms():
        return annotators, recall_at_random(texts, recall)
    # Whole entities would be too rare: where one ends is not known.
    length = -(-median_high([len(form) for form in marked.elements()] or [1]) // 2)
    counts = Counter(string for text in texts for string in _strings(text, length))
    return annotators, (
        numpy.array(
            [
                annotators.recall_of_string(counts[string])
                for string in _strings(text, length)
            ]
        )
        for text in texts
    )


def _strings(text: Text, length: int) -> Iterator[Words]:
    """What begins at each token; it is shorter at the end."""
    for start in range(len(text.words)):
        yield tuple(text.words[start : start + length])


def first_q(known: Known, recall: numpy.ndarray, tagset: TagSet) -> ChainEstimate:
    """q before any model: a path counts the less, the more entities it has that
    annotators would have marked (`missing_q`, with a recall per token).

    known (Known): What is known of a text.
    recall (ndarray): (L,), the recall at each token.
    tagset (TagSet): The tags.
    RETURNS (ChainEstimate): q.
    """
    N = len(tagset)
    allowed = allowed_tags(known, tagset)
    is_open = allowed.sum(1) > 1
    nodes = numpy.zeros((len(recall), N), dtype="float32")
    with numpy.errstate(divide="ignore"):
        nodes[:, entity_starting_tags(tagset)] = numpy.log1p(-recall)[:, None]
    nodes[~is_open] = 0.0
    nodes[~allowed] = -numpy.inf
    moves = (numpy.zeros((N, N)), numpy.zeros(N), numpy.zeros(N))
    return ChainEstimate(nodes, *(array.astype("float32") for array in moves))
