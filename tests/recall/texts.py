"""Made texts with entities, and annotators who do not mark all of them."""

import random
from collections.abc import Sequence

import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.origins import set_annotators

VOCAB = spacy.blank("xx").vocab


def make_text(rng: random.Random, labels: Sequence[str] = ("A", "B")) -> Doc:
    """A text of some words, about a sixth of them entities, annotated completely."""
    words = [f"w{rng.randrange(1000)}" for _ in range(rng.randint(6, 24))]
    doc = Doc(VOCAB, words=words)
    starts = [i for i in range(0, len(words), 2) if rng.random() < 0.3]
    doc.set_ents(
        [Span(doc, i, i + 1, label=rng.choice(labels)) for i in starts],
        default="outside",
    )
    return doc


def keep(doc: Doc, rng: random.Random, recall: float) -> Doc:
    """The same text with some of its entities; the rest is unknown."""
    copy = doc.copy()
    copy.set_ents([e for e in doc.ents if rng.random() < recall], default="missing")
    return copy


def keep_by(doc: Doc, rng: random.Random, recalls: dict[str, float]) -> Doc:
    """The same text as several annotators mark it, each by itself."""
    marked = {
        name: [ent for ent in doc.ents if rng.random() < recall]
        for name, recall in recalls.items()
    }
    copy = doc.copy()
    spans = {
        name: [Span(copy, e.start, e.end, label=e.label) for e in ents]
        for name, ents in marked.items()
    }
    union = {(s.start, s.end, s.label) for group in spans.values() for s in group}
    copy.set_ents([Span(copy, a, b, label=c) for a, b, c in union], default="missing")
    set_annotators(copy, spans)
    return copy
