"""How often each suggested form occurs in the data, and what a decision about it is
worth."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from spacy.tokens import Doc

from ..data.form_finder import FormFinder
from ..data.suggestions import Kind

Group = tuple[str, str, Kind]
# How much less a form is worth that the models are sure of; 0 would be not at all.
_CAUTION = 0.25


@dataclass
class FormCounts:
    """What is known of a form with a label, over all data.

    found (int): How often it is suggested.
    expected (float): The sum of the probabilities of these suggestions.
    marked (int): How often it is annotated.
    outside (int): How often it is stated to be no entity.
    unknown (int): How often it comes up where nothing is known.
    """

    found: int = 0
    expected: float = 0.0
    marked: int = 0
    outside: int = 0
    unknown: int = 0

    def value(self, kind: Kind) -> float:
        """What a decision about the form is worth: how many entities are expected in
        its n places, and how unsure that is. With the mean probability p it is
        n p (1 - p)^(1/4), for models are surer than they should be: forms that are
        found almost everywhere are worth a question, too, if they come up often. For a
        doubtful one it is how many annotations are expected to be wrong.

        kind (str): Whether it was missed or is doubtful.
        RETURNS (float): The value.
        """
        if kind == "doubtful":
            return self.found - self.expected
        mean = self.expected / max(self.unknown, self.found)
        return self.expected * (1 - min(mean, 1.0)) ** _CAUTION


class RankedForm(NamedTuple):
    """A form that is suggested, and what a decision about it is worth."""

    form: str
    label: str
    kind: Kind
    counts: FormCounts

    @property
    def value(self) -> float:
        """RETURNS (float): What a decision is worth."""
        return self.counts.value(self.kind)


def group_of(record: dict[str, Any]) -> Group:
    """RETURNS (Group): What is suggested, wherever it is."""
    return record["form"], record["label"], record["kind"]


def count_suggested(
    records: list[dict[str, Any]], forms: dict[Group, FormCounts]
) -> None:
    """Count what is suggested in a text.

    records (list[dict[str, Any]]): The suggestions.
    forms (dict[Group, FormCounts]): The counts.
    """
    for record in records:
        counts = forms[group_of(record)]
        counts.found += 1
        counts.expected += record["score"]


def count_occurrences(
    docs: Iterable[Doc], forms: dict[Group, FormCounts], incorrect_spans_key: str
) -> None:
    """Count how often each suggested form is annotated, stated to be no entity, or
    neither.

    docs (Iterable[Doc]): All documents.
    forms (dict[Group, FormCounts]): The counts, with all forms that are suggested.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    """
    by_form: dict[str, list[tuple[str, FormCounts]]] = defaultdict(list)
    for (form, label, _), counts in forms.items():
        by_form[form].append((label, counts))
    finder = FormFinder(by_form)
    for doc in docs:
        if not len(doc):
            continue
        states = doc.to_array("ENT_IOB").tolist()
        entities = {(ent.start, ent.end, ent.label_) for ent in doc.ents}
        group = doc.spans.get(incorrect_spans_key, ())
        ruled_out = {(span.start, span.end, span.label_) for span in group}
        for span in finder(doc):
            states_within = set(states[span.start : span.end])
            for label, counts in by_form[span.text]:
                place = (span.start, span.end, label)
                counts.marked += place in entities
                counts.outside += states_within == {2} or place in ruled_out
                counts.unknown += states_within == {0} and place not in ruled_out
