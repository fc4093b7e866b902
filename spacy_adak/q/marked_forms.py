"""How often forms are marked, and how often they occur unmarked."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.training import Example

from ..annotation.known import known_from_example
from ..crf.tags import LabelledSpan
from .candidates import Dictionary, Words


class MarkedWords(NamedTuple):
    """Which forms of a text are marked, and which are not.

    words (Sequence[str]): The words.
    spans (Sequence[LabelledSpan]): The entities that are marked, where others of their
        type may have been left out.
    is_open (Sequence[bool]): Which tokens are left open.
    complete (Sequence[LabelledSpan]): Stretches in which nothing of a type is left to
        find.
    """

    words: Sequence[str]
    spans: Sequence[LabelledSpan]
    is_open: Sequence[bool]
    complete: Sequence[LabelledSpan] = ()


def count_forms(
    texts: Sequence[MarkedWords],
) -> tuple[Counter[Words], Counter[Words]]:
    """Count forms that are marked somewhere.

    texts (Sequence[MarkedWords]): The texts.
    RETURNS (tuple[Counter[Words], Counter[Words]]): How often each is marked, and how
        often it comes up where the annotation leaves it open, from left to right the
        longest first.
    """
    types = Counter(
        (form, span.type)
        for text in texts
        for form, span in zip(_forms(text.words, text.spans), text.spans, strict=True)
    )
    marked: Counter[Words] = Counter()
    for (form, _), count in types.items():
        marked[form] += count
    dictionary = Dictionary.from_counts(types, more_than=0)
    unmarked = Counter(
        form
        for text in texts
        for form in _forms(
            text.words, dictionary.match(text.words, text.is_open, text.complete)
        )
    )
    return marked, unmarked


def count_texts(
    texts: Iterable[Sequence[str]], forms: Iterable[Words]
) -> Counter[Words]:
    """Count the texts that a form occurs in.

    texts (Iterable[Sequence[str]]): The words of the texts.
    forms (Iterable[Words]): The forms.
    RETURNS (Counter[Words]): In how many texts each occurs.
    """
    wanted = set(forms)
    lengths: dict[str, set[int]] = {}
    for form in wanted:
        lengths.setdefault(form[0], set()).add(len(form))
    counts: Counter[Words] = Counter()
    for words in texts:
        strings = {
            tuple(words[start : start + length])
            for start, word in enumerate(words)
            for length in lengths.get(word, ())
        }
        counts.update(strings & wanted)
    return counts


def marked_words(doc: Doc) -> MarkedWords:
    """RETURNS (MarkedWords): The marked and unmarked forms of a document."""
    known = known_from_example(Example(doc, doc), None)
    words = [token.text for token in doc]
    is_open = known.unknown().tolist()
    return MarkedWords(words, known.from_incomplete(), is_open, known.complete)


def _forms(words: Sequence[str], spans: Iterable[LabelledSpan]) -> list[Words]:
    return [tuple(words[span.start : span.end]) for span in spans]
