"""Surface forms: where given strings occur in a document, on token bounds."""

from collections.abc import Iterable, Iterator

from spacy.tokens import Doc, Span


class FormFinder:
    """Finds all occurrences of some strings, those within each other included.

    forms (Iterable[str]): The strings, as they stand in a text.
    """

    def __init__(self, forms: Iterable[str]) -> None:
        self.forms = frozenset(forms)
        # A string that no form begins with need not be made longer.
        longest: dict[str, int] = {}
        for form in self.forms:
            longest[form[:1]] = max(longest.get(form[:1], 0), len(form))
        self._longest = longest

    def __call__(self, doc: Doc) -> Iterator[Span]:
        """Find the forms in a document.

        doc (Doc): The document.
        YIELDS (Span): Each occurrence, from left to right, the shorter ones first.
        """
        text = doc.text
        starts = [token.idx for token in doc]
        ends = [token.idx + len(token) for token in doc]
        for first, start in enumerate(starts):
            limit = start + self._longest.get(text[start : start + 1], 0)
            for last in range(first, len(ends)):
                if ends[last] > limit:
                    break
                if text[start : ends[last]] in self.forms:
                    yield doc[first : last + 1]
