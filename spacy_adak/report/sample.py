"""Draw texts to be annotated completely, so that models can be scored on them."""

import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc

from ..annotation.completeness import is_meant_to_be_complete
from ..data.sample_tasks import Task
from ..data.spans_jsonl import to_dict
from ..errors import Errors
from ..pipeline.load import load_pipeline
from ..recall.intervals import ratio_by_text, share

# Texts are divided by length and by what is found into as many parts each, if every
# part then gives as many texts.
_PARTS, _FEWEST_PER_STRATUM = 3, 4
# For which numbers of texts it is told what they give.
_SIZES = (20, 50, 100, 200, 500, 1000)
# The recall or precision for which the width of intervals is told.
_TYPICAL_SCORE = 0.8


class Outlook(NamedTuple):
    """What a number of complete texts gives.

    texts (int): How many.
    entities (float): How many entities may be in them.
    score (float): Half the width of the interval of a recall or precision of 0.8.
    annotators (float): The same for the recall of annotators by comparison with the
        texts, as a share of itself.
    """

    texts: int
    entities: float
    score: float
    annotators: float


class Sample(NamedTuple):
    """Texts that were drawn.

    tasks (list[Task]): The texts.
    outlook (list[Outlook]): What this and other numbers of texts give.
    texts (int): How many texts there were to draw from.
    """

    tasks: list[Task]
    outlook: list[Outlook]
    texts: int


def draw_sample(
    docs: Sequence[Doc],
    n_texts: int,
    *,
    found: Sequence[Doc] | None = None,
    with_suggestions: bool = False,
    seed: int = 0,
) -> Sample:
    """Draw texts at random, in proportion from texts of each length and with many and
    few entities found. Texts that are annotated completely are not drawn, nor is any
    text twice.

    docs (Sequence[Doc]): The texts.
    n_texts (int): How many to draw.
    found (Sequence[Doc] | None): The same texts with the entities that a pipeline
        finds. If not given, texts are grouped by what is annotated instead.
    with_suggestions (bool): Show annotators what the pipeline finds. This is faster,
        but biases what they mark.
    seed (int): Of the draw.
    RETURNS (Sample): The texts, each with a mark and its weight for unbiased estimates.
    """
    places = _distinct_incomplete(docs)
    if not places:
        raise ValueError(Errors.A410)
    n_texts = min(n_texts, len(places))
    counts = [len((found or docs)[place].ents) for place in places]
    lengths = [len(docs[place]) for place in places]
    strata = _stratify(lengths, counts, n_texts)
    rng = random.Random(seed)
    drawn = []
    for name, members, n in _allocate(strata, n_texts):
        weight = len(members) * n_texts / (n * len(places))
        for i in rng.sample(members, n):
            mark = {"stratum": name, "weight": round(weight, 4)}
            source = found if with_suggestions else None
            drawn.append(_to_annotate(docs, source, places[i], mark))
    rng.shuffle(drawn)
    sizes = sorted({*(n for n in _SIZES if n < len(places)), n_texts})
    return Sample(drawn, [_outlook(n, counts, lengths) for n in sizes], len(places))


def find_entities(docs: Sequence[Doc], model: str | Path) -> list[Doc]:
    """RETURNS (list[Doc]): The texts with what a pipeline finds there."""
    nlp = load_pipeline(model)
    return list(nlp.pipe(_bare(nlp, doc) for doc in docs))


def _bare(nlp: Language, doc: Doc) -> Doc:
    words = [token.text for token in doc]
    return Doc(nlp.vocab, words=words, spaces=[bool(t.whitespace_) for t in doc])


def _distinct_incomplete(docs: Sequence[Doc]) -> list[int]:
    places = {
        doc.text: place
        for place, doc in enumerate(docs)
        if len(doc) and not is_meant_to_be_complete(doc)
    }
    return sorted(places.values())


def _stratify(
    lengths: Sequence[int], counts: Sequence[int], n_texts: int
) -> dict[str, list[int]]:
    parts = min(_PARTS, int((n_texts / _FEWEST_PER_STRATUM) ** 0.5))
    strata: dict[str, list[int]] = defaultdict(list)
    names = zip(
        _divide(lengths, parts, "length"), _divide(counts, parts, "found"), strict=True
    )
    for i, pair in enumerate(names):
        strata[", ".join(pair)].append(i)
    return dict(sorted(strata.items()))


def _divide(values: Sequence[int], parts: int, name: str) -> list[str]:
    """In which part each value is, from the lowest to the highest."""
    if parts < 2:
        return [f"any {name}"] * len(values)
    bounds = numpy.quantile(values, [i / parts for i in range(1, parts)])
    return [
        f"{name} {1 + int(i)} of {parts}" for i in numpy.searchsorted(bounds, values)
    ]


def _allocate(
    strata: dict[str, list[int]], n_texts: int
) -> list[tuple[str, list[int], int]]:
    """How many texts to draw from each stratum: in proportion, at least one of each if
    there are enough, the largest remainders rounded up."""
    total = sum(map(len, strata.values()))
    exact = {name: n_texts * len(members) / total for name, members in strata.items()}
    n = {name: max(1, int(value)) for name, value in exact.items()}
    while sum(n.values()) > n_texts:
        n[max(n, key=lambda name: (n[name] - exact[name], n[name]))] -= 1
    while sum(n.values()) < n_texts:
        n[max(n, key=lambda name: exact[name] - n[name])] += 1
    return [(name, strata[name], count) for name, count in n.items() if count]


def _to_annotate(
    docs: Sequence[Doc], found: Sequence[Doc] | None, place: int, mark: dict[str, Any]
) -> Task:
    doc = docs[place]
    spans = [] if found is None else [to_dict(ent) for ent in found[place].ents]
    return Task(doc.text, spans, mark)


def _outlook(n: int, counts: Sequence[int], lengths: Sequence[int]) -> Outlook:
    """What n texts give, by what all of them have."""
    per_text = fmean(counts)
    entities = n * per_text
    score = share(round(_TYPICAL_SCORE * entities), max(round(entities), 1))
    # The interval of a mean falls with the root of how many texts there are.
    rate = ratio_by_text(counts, lengths)
    relative = rate.width / 2 / rate.value if rate.value else 1.0
    return Outlook(n, entities, score.width / 2, relative * (len(counts) / n) ** 0.5)
