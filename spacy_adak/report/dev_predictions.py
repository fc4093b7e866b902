"""What a pipeline finds in texts whose annotation is complete, and how sure it is."""

import random
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Corpus

from ..annotation.completeness import is_complete
from ..data.origins import SCORES
from ..recall.intervals import Interval, ratio_by_text
from .predictions import spans_key
from .reliability import Pair

# More texts would make it neither much surer nor quicker.
MAX_TEXTS = 2000


class DevPredictions(NamedTuple):
    """What a pipeline finds in the dev texts that are annotated completely.

    texts (int): How many it was given.
    of_texts (int): How many there are.
    f1 (Interval): F1, and where it may be with other texts of the same kind.
    pairs (list[Pair]): The entities found, with their probabilities. Nothing if the
        pipeline does not store these.
    """

    texts: int
    of_texts: int
    f1: Interval
    pairs: list[Pair]


def predict_dev(nlp: Language, dev_path: Path) -> DevPredictions | None:
    """Compare what a pipeline finds with the truth.

    nlp (Language): The pipeline.
    dev_path (Path): A `.spacy` file.
    RETURNS (DevPredictions | None): What it finds; None if no document is annotated
        completely.
    """
    examples = [eg for eg in Corpus(dev_path)(nlp) if is_complete(eg.reference)]
    if not examples:
        return None
    chosen = random.Random(0).sample(examples, min(len(examples), MAX_TEXTS))
    right, places, pairs = [], [], []
    docs = nlp.pipe([example.predicted for example in chosen])
    key = spans_key(nlp)
    for example, doc in zip(chosen, docs, strict=True):
        gold = {_place(ent) for ent in example.reference.ents}
        found = {_place(ent) for ent in doc.ents}
        right.append(2 * len(gold & found))
        places.append(len(found) + len(gold))
        pairs += score_pairs(doc, example.reference, key)
    return DevPredictions(
        texts=len(chosen),
        of_texts=len(examples),
        f1=ratio_by_text(right, places),
        pairs=pairs,
    )


def score_pairs(predicted: Doc, reference: Doc, key: str | None) -> list[Pair]:
    """Tell of each entity that was found how probable it was said to be, and whether it
    is right.

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
