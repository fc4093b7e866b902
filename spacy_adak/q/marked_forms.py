"""How often forms are marked, and how often they come up otherwise."""

from collections import Counter
from collections.abc import Iterable, Sequence

from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.known import known_from_example
from ..crf.tags import LabelledSpan
from .candidates import Dictionary, Words

# The words of a text, the entities marked there, and which tokens are left open.
MarkedWords = tuple[Sequence[str], Sequence[LabelledSpan], Sequence[bool]]


def count_forms(
    texts: Sequence[MarkedWords],
) -> tuple[Counter[Words], Counter[Words]]:
    """Count forms that are marked somewhere.

    texts (Sequence[MarkedWords]): The texts.
    RETURNS (tuple[Counter[Words], Counter[Words]]): How often each is marked, and how
        often it comes up where the annotation leaves it open, from left to right the
        longest first.
    """
    marked = Counter(form for words, spans, _ in texts for form in _forms(words, spans))
    dictionary = Dictionary(dict.fromkeys(marked, "-"))
    unmarked = Counter(
        form
        for words, _, is_open in texts
        for form in _forms(words, dictionary.match(words, is_open))
    )
    return marked, unmarked


def marked_words(doc: Doc) -> MarkedWords:
    """RETURNS (MarkedWords): What a document says of its forms."""
    known = known_from_example(Example(doc, doc), None)
    return [token.text for token in doc], known.entities, known.unknown().tolist()


def _forms(words: Sequence[str], spans: Iterable[LabelledSpan]) -> list[Words]:
    return [tuple(words[span.start : span.end]) for span in spans]
