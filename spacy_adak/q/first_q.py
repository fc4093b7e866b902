"""The first q: how paths are weighted before there is a model.

A path is down-weighted by (1 - r) for each unmarked entity, where r is the probability
that annotators mark an entity there. This is the likelihood of the annotation, given
the path.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median_high
from typing import NamedTuple

import numpy
from spacy.training import Example

from ..annotation.known import Known, allowed_tags, entity_starting_tags
from ..annotation.q_of_text import ChainEstimate
from ..crf.tags import LabelledSpan, TagSet
from ..data.origins import DECIDED_KEY
from ..pipeline.adak_ner import AdaKRecognizer
from ..shards.with_q import ScoredSpan, in_reference
from .candidates import Words
from .guess_evidence import Evidence
from .known_forms import Annotators
from .marked_forms import MarkedWords, count_forms


class Text(NamedTuple):
    """A text.

    words (list[str]): Its words.
    known (Known): What is known of it.
    marked (list[ScoredSpan]): All entities that are known, as q.
    decided (list[LabelledSpan]): Those of them that no annotator marked, but that were
        accepted when a model suggested them.
    """

    words: list[str]
    known: Known
    marked: list[ScoredSpan]
    decided: Sequence[LabelledSpan] = ()

    @classmethod
    def read(cls, example: Example, component: AdaKRecognizer) -> "Text":
        """RETURNS (Text): The text of an example."""
        known = component.read_sample(example).known
        words = [token.text for token in example.predicted]
        marked = in_reference(example, [(span, 1.0) for span in known.entities])
        group = example.reference.spans.get(DECIDED_KEY, ())
        aligned = example.get_aligned_spans_y2x(group)
        decided = [LabelledSpan(s.start, s.end, s.label_) for s in aligned]
        return cls(words, known, marked, decided)

    def found_by_annotators(self) -> list[LabelledSpan]:
        """RETURNS (list[LabelledSpan]): The entities that annotators have marked, where
        they may have left others of the type."""
        found = self.known.from_incomplete()
        return [span for span in found if span not in self.decided]

    def left_by_annotators(self) -> list[bool]:
        """RETURNS (list[bool]): The tokens that annotators have said nothing about."""
        left = self.known.unknown()
        for span in self.decided:
            left[span.start : span.end] = True
        return left.tolist()


def recall_at_random(texts: Iterable[Text], recall: float) -> Iterator[numpy.ndarray]:
    """The recall if annotators forget all entities with the same probability.

    texts (Iterable[Text]): All texts.
    recall (float): r.
    YIELDS (ndarray): (L,), the recall at each token of a text.
    """
    return (numpy.full(len(text.words), recall) for text in texts)


def recall_by_strings(
    texts: Sequence[Text], recall: float
) -> tuple[Annotators, Iterator[numpy.ndarray]]:
    """The recall if annotators may not know some forms, estimated from how often they
    leave out a string that they mark elsewhere. If there are such forms, each
    occurrence of a frequent string counts less. Strings are half as long as an entity.

    texts (Sequence[Text]): All texts.
    recall (float): r.
    RETURNS (tuple[Annotators, Iterator[ndarray]]): What annotators do, and the recall
        at each token of each text.
    """
    marked, unmarked = count_forms(
        [
            MarkedWords(
                text.words,
                text.found_by_annotators(),
                text.left_by_annotators(),
                text.known.complete,
            )
            for text in texts
        ]
    )
    annotators = Annotators.from_forms(recall, marked, unmarked)
    if annotators.know_all_forms():
        return annotators, recall_at_random(texts, recall)
    # Strings as long as an entity would be too rare, and its end is not known.
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


def recall_of_tags(
    by_token: numpy.ndarray, recall: float, per_tag: numpy.ndarray
) -> numpy.ndarray:
    """The recall of each type at each token, if it differs between types. What lowers
    the recall at a token applies to all types, as a power of the probability that an
    entity is missed.

    by_token (ndarray): (L,), the recall at each token if all types were alike.
    recall (float): r, from which it was made.
    per_tag (ndarray): (N,), the recall for each tag that an entity can start with.
    RETURNS (ndarray): (L, N).
    """
    power = numpy.log1p(-by_token) / numpy.log1p(-recall)
    return 1 - (1 - per_tag) ** power[:, None]


def first_q(
    known: Known,
    recall: numpy.ndarray,
    tagset: TagSet,
    hints: numpy.ndarray | None = None,
) -> ChainEstimate:
    """q before any model. A path is down-weighted for each unmarked entity
    (`missing_q`, with a recall per token), and up-weighted where it agrees with
    guesses.

    known (Known): What is known of a text.
    recall (ndarray): (L,), the recall at each token, or (L, N) for each tag an entity
        can start with.
    tagset (TagSet): The tags.
    hints (ndarray | None): (L, N), the weight of each tag by guesses, if there are any.
    RETURNS (ChainEstimate): q.
    """
    nodes = numpy.zeros((len(recall), len(tagset))) if hints is None else hints.copy()
    with numpy.errstate(divide="ignore"):
        starting = entity_starting_tags(tagset)
        per_tag = recall[:, None] if recall.ndim == 1 else recall[:, starting]
        nodes[:, starting] += numpy.log1p(-per_tag)
    return _within_annotation(nodes, known, tagset)


def q_of_guesses(known: Known, evidence: Evidence, tagset: TagSet) -> ChainEstimate:
    """q before any model, from guesses alone: tokens that nobody guesses are O.

    known (Known): What is known of a text.
    evidence (Evidence): What guesses say of the text.
    tagset (TagSet): The tags.
    RETURNS (ChainEstimate): q.
    """
    nodes = evidence.only_guesses(len(known.outside), tagset)
    return _within_annotation(nodes, known, tagset)


def _within_annotation(
    nodes: numpy.ndarray, known: Known, tagset: TagSet
) -> ChainEstimate:
    """The same weights where the annotation leaves tags open."""
    N = len(tagset)
    allowed = allowed_tags(known, tagset)
    nodes[allowed.sum(1) == 1] = 0.0
    nodes[~allowed] = -numpy.inf
    moves = (numpy.zeros((1, 1)), numpy.zeros(N), numpy.zeros(N))
    arrays = (array.astype("float32") for array in (nodes, *moves))
    return ChainEstimate(*arrays)
