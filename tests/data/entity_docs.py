"""Documents of a few words, and what they say."""

import spacy
from spacy.tokens import Doc, Span

from spacy_adak.data.complete_types import complete_spans, state_complete

VOCAB = spacy.blank("en").vocab
Entities = list[tuple[int, int, str]]


def make_doc(
    text: str, *entities: tuple[int, int, str], default: str = "missing"
) -> Doc:
    doc = Doc(VOCAB, words=text.split())
    spans = [Span(doc, start, end, label=label) for start, end, label in entities]
    doc.set_ents(spans, default=default)
    return doc


def complete(doc: Doc, *types: str) -> Doc:
    state_complete(doc, types)
    return doc


def entities(doc: Doc) -> Entities:
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]


def stated(doc: Doc) -> Entities:
    return [(span.start, span.end, span.label_) for span in complete_spans(doc)]
