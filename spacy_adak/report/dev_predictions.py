"""What a pipeline finds in the dev texts of a run, and how sure it is."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus, Example

from ..annotation.completeness import is_complete
from ..data.origins import SCORES
from ..recall.intervals import Interval, ratio_by_text
from ..recall.pooled import AnnotatorRecall
from ..shards.recall_file import KnownRecall
from .incomplete_gold import CountedText, correct_scores
from .predictions import spans_key
from .reliability import Pair

# More texts would take longer and hardly be more precise.
MAX_TEXTS = 2000


class DevPredictions(NamedTuple):
    """What a pipeline finds in the dev texts that models are chosen by.

    texts (int): How many it was given.
    of_texts (int): How many there are.
    f1 (Interval): F1, and where it may be with other texts of the same kind. Where
        they are annotated incompletely, it is corrected for that.
    pairs (list[Pair]): The entities found, with their probabilities. Nothing if the
        pipeline does not store these, or if they can't be called right or wrong.
    """

    texts: int
    of_texts: int
    f1: Interval
    pairs: list[Pair]


def predict_dev(
    nlp: Language, dev_path: Path, annotators: KnownRecall | None = None
) -> DevPredictions | None:
    """Compare what a pipeline finds with the annotation.

    nlp (Language): The pipeline.
    dev_path (Path): A `.spacy` file.
    annotators (KnownRecall | None): How much is annotated there. If not given, only
        texts that are annotated completely count.
    RETURNS (DevPredictions | None): What it finds; None if there is no such document.
    """
    examples = [
        example
        for example in Corpus(dev_path)(nlp)
        if annotators is not None or is_complete(example.reference)
    ]
    if not examples:
        return None
    chosen = random.Random(0).sample(examples, min(len(examples), MAX_TEXTS))
    docs = nlp.pipe([example.predicted for example in chosen])
    judged = [
        Example(doc, example.reference)
        for example, doc in zip(chosen, docs, strict=True)
    ]
    if annotators is not None:
        f1, pairs = _corrected_f1(judged, annotators), []
    else:
        f1, pairs = _f1(judged), _all_pairs(judged, spans_key(nlp))
    return DevPredictions(len(chosen), len(examples), f1, pairs)


def _f1(examples: Sequence[Example]) -> Interval:
    right, places = [], []
    for example in examples:
        gold = {_place(ent) for ent in example.reference.ents}
        found = {_place(ent) for ent in example.predicted.ents}
        right.append(2 * len(gold & found))
        places.append(len(found) + len(gold))
    return ratio_by_text(right, places)


def _corrected_f1(examples: Sequence[Example], known: KnownRecall) -> Interval:
    recall = Interval(known.annotation_recall, known.low, known.high)
    annotators = AnnotatorRecall(recall, {}, (), (), known.is_identifiable)
    texts = [CountedText.of(example) for example in examples]
    f1 = correct_scores(texts, annotators).overall.f
    assert f1 is not None
    return f1


def _all_pairs(examples: Sequence[Example], key: str | None) -> list[Pair]:
    return [
        pair
        for example in examples
        for pair in score_pairs(example.predicted, example.reference, key)
    ]


def score_pairs(predicted: Doc, reference: Doc, key: str | None) -> list[Pair]:
    """The probability of each entity that was found, and whether it is right.

    predicted (Doc): The document with what was found.
    reference (Doc): The same text, annotated completely.
    key (str | None): The span group with the entities and their probabilities.
    RETURNS (list[Pair]): The entities; none without such a group.
    """
    if key is None or key not in predicted.spans:
        return []
    group = predicted.spans[key]
    gold = {_place(ent) for ent in reference.ents}
    return [
        Pair(float(score), _place(span) in gold, span.label_)
        for span, score in zip(group, group.attrs[SCORES], strict=True)
    ]


def _place(span: Span) -> tuple[int, int, str]:
    # By characters, as the tokens of the two documents may differ.
    return span.start_char, span.end_char, span.label_
