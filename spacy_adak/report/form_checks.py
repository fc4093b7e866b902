"""Whether annotations of one form contradict each other."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from spacy.tokens import Doc, Span

from ..data.complete_types import has_statement, is_complete_for
from ..data.form_finder import FormFinder
from .finding import EXAMPLES, Finding

_UNKNOWN, _OUTSIDE = 0, 2


@dataclass
class Forms:
    """How often each form is annotated, stated to be outside, or neither."""

    marked: dict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    unknown: Counter[str] = field(default_factory=Counter)
    outside: Counter[str] = field(default_factory=Counter)


def states_of_forms(docs: Iterable[Doc]) -> Forms:
    """Count all occurrences of the forms that are annotated somewhere.

    docs (Iterable[Doc]): The documents.
    RETURNS (Forms): The counts.
    """
    docs = list(docs)
    forms = Forms()
    for doc in docs:
        for ent in doc.ents:
            forms.marked[ent.text][ent.label_] += 1
    find = FormFinder(forms.marked)
    for doc in docs:
        if not len(doc):
            continue
        states = doc.to_array("ENT_IOB").tolist()
        for span in find(doc):
            within = set(states[span.start : span.end])
            is_known = within == {_OUTSIDE} or (
                within == {_UNKNOWN} and _has_no_entity(span, forms.marked[span.text])
            )
            forms.unknown[span.text] += within == {_UNKNOWN} and not is_known
            forms.outside[span.text] += is_known
    return forms


def _has_no_entity(span: Span, types: Iterable[str]) -> bool:
    """Whether a text is complete for all of these types where a span is."""
    doc = span.doc
    return has_statement(doc) and all(
        is_complete_for(Span(doc, span.start, span.end, label=t)) for t in types
    )


def check_contradictions(forms: Forms) -> Iterable[Finding]:
    """Whether annotations of a form contradict each other.

    forms (Forms): Those of the training data.
    YIELDS (Finding): What was found.
    """
    several = {form: n for form, n in forms.marked.items() if len(n) > 1}
    if several:
        order = sorted(several, key=lambda form: -several[form].total())
        listed = ", ".join(
            f"'{form}' ({', '.join(f'{k} {n:,}' for k, n in several[form].items())})"
            for form in order[:EXAMPLES]
        )
        yield Finding(
            "several_types",
            "info",
            f"{len(several):,} forms are annotated with more than one type, such as "
            f"{listed}. Check that both are meant.",
            {"forms": {form: dict(several[form]) for form in order}},
        )
    both = Counter(
        {form: forms.outside[form] for form in forms.marked if forms.outside[form]}
    )
    if both:
        listed = ", ".join(
            f"'{form}' ({forms.marked[form].total():,} marked, {n:,} outside)"
            for form, n in both.most_common(EXAMPLES)
        )
        yield Finding(
            "marked_and_outside",
            "warning",
            f"{len(both):,} forms are annotated in some places and stated to be "
            f"outside of entities in others, such as {listed}. If the latter were only "
            "skipped, they have to be missing: `python -m spacy adak convert "
            "--unlabelled missing`.",
            {"forms": dict(both.most_common())},
        )
