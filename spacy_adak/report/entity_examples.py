"""Examples of what was estimated, in the sentences it was found in."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..data.origins import annotated_entities, estimates_of

PER_KIND = 12
# Above it an example is one of what was found, below it one of what is doubtful.
SURE = 0.9
_FORMS_KEPT = 240
_CONTEXT = 140


class Piece(NamedTuple):
    """A piece of a text: plain, or an entity.

    text (str): The piece.
    label (str): The type of the entity, or nothing.
    origin (str): "annotated", "estimated", "example" or nothing.
    """

    text: str
    label: str = ""
    origin: str = ""


class EntityExample(NamedTuple):
    """An estimated entity in its text.

    form (str): The entity.
    label (str): Its type.
    probability (float): How probable it is.
    pieces (list[Piece]): The text around it.
    """

    form: str
    label: str
    probability: float
    pieces: list[Piece]


class Estimates(NamedTuple):
    """What was estimated in some texts.

    sure (int): Estimated entities with a probability of at least `SURE`.
    doubtful (int): All others.
    found_examples (list[EntityExample]): Some of those that are sure.
    doubtful_examples (list[EntityExample]): Those nearest to one half.
    """

    sure: int
    doubtful: int
    found_examples: list[EntityExample]
    doubtful_examples: list[EntityExample]


def choose_examples(docs: Iterable[Doc]) -> Estimates:
    """Choose estimated entities of different forms and types.

    docs (Iterable[Doc]): The completed training data.
    RETURNS (Estimates): The examples, and how many entities they stand for.
    """
    sure, doubtful = _Choice(), _Choice()
    for doc in docs:
        for span, _, score in estimates_of(doc):
            if score is None:
                continue
            if score >= SURE:
                sure.offer(1 - score, span, score)
            else:
                doubtful.offer(abs(score - 0.5), span, score)
    return Estimates(sure.count, doubtful.count, sure.examples(), doubtful.examples())


class _Choice:
    """The best of what is offered, each form once."""

    def __init__(self) -> None:
        self.count = 0
        self._by_form: dict[tuple[str, str], tuple[float, EntityExample]] = {}

    def offer(self, cost: float, span: Span, score: float) -> None:
        self.count += 1
        form = (span.text, span.label_)
        if form in self._by_form and self._by_form[form][0] <= cost:
            return
        if form not in self._by_form and len(self._by_form) >= _FORMS_KEPT:
            worst = max(self._by_form, key=lambda f: self._by_form[f][0])
            if self._by_form[worst][0] <= cost:
                return
            del self._by_form[worst]
        self._by_form[form] = cost, _to_example(span, score)

    def examples(self) -> list[EntityExample]:
        """As many of each type as there are, the best first."""
        ranked = sorted(self._by_form.values(), key=lambda item: item[0])
        seen: Counter[str] = Counter()
        chosen = []
        for cost, example in ranked:
            chosen.append((seen[example.label], cost, example))
            seen[example.label] += 1
        chosen = sorted(chosen, key=lambda item: item[:2])[:PER_KIND]
        return [example for _, _, example in sorted(chosen, key=lambda item: item[1])]


def _to_example(span: Span, score: float) -> EntityExample:
    doc = span.doc
    annotated = {(e.start_char, e.end_char): e for e in annotated_entities(doc)}
    estimated = {(s.start_char, s.end_char): s for s, _, _ in estimates_of(doc)}
    start = max(0, span.start_char - _CONTEXT)
    end = min(len(doc.text), span.end_char + _CONTEXT)
    pieces = [Piece("… ")] if start else []
    done = start
    for place, entity in sorted({**estimated, **annotated}.items()):
        if place[0] < done or place[1] > end:
            continue
        origin = "annotated" if place in annotated else "estimated"
        if place == (span.start_char, span.end_char):
            origin = "example"
        pieces.append(Piece(doc.text[done : place[0]]))
        pieces.append(Piece(entity.text, entity.label_, origin))
        done = place[1]
    pieces.append(Piece(doc.text[done:end] + (" …" if end < len(doc.text) else "")))
    return EntityExample(span.text, span.label_, score, pieces)
