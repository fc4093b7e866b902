"""A document that decisions are applied to: what is known of it, what contradicts a
decision, and what becomes known.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from spacy.tokens import Doc, Span

from ..data.complete_types import is_complete_for
from ..data.decisions import FormDecision, PlaceDecision
from ..data.origins import (
    CANDIDATES_KEY,
    DECIDED_KEY,
    ESTIMATED_KEY,
    scored_spans,
    set_scored_spans,
)
from ..data.suggestions import Kind
from ..data.summary import Summary

Decision = FormDecision | PlaceDecision
# Where a span is, and its label.
Place = tuple[int, int, str]
_MISSING = 0


class Conflict(NamedTuple):
    """A decision that was not applied somewhere, for the data says otherwise.

    line (int): Index of the text in the data.
    text (str): The text.
    span (str): The string that was decided on.
    label (str): Its label.
    answer (str): The decision.
    why (str): What the data says.
    """

    line: int
    text: str
    span: str
    label: str
    answer: str
    why: str


@dataclass
class Merged:
    """What decisions have changed.

    problems (Summary): What in data and decisions could not be read as it stands.
    documents (int): How many texts were read.
    changed (int): How many of them were changed.
    decisions (int): How many decisions there are, without those replaced or ignored.
    ignored (int): How many things were looked at and left undecided.
    entities (Counter[str]): New entities by their label.
    ruled_out (Counter[str]): New ruled-out spans by their label.
    outside (int): Tokens that are now stated to be in no entity.
    withdrawn (Counter[str]): Annotations that were found wrong, by their label.
    unchanged (int): Places of decisions where the data said the same before.
    conflicts (list[Conflict]): Places where decisions were not applied.
    unused (list[Decision]): Decisions about places that are not in the data.
    """

    problems: Summary
    documents: int = 0
    changed: int = 0
    decisions: int = 0
    ignored: int = 0
    entities: Counter[str] = field(default_factory=Counter)
    ruled_out: Counter[str] = field(default_factory=Counter)
    outside: int = 0
    withdrawn: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    unused: list[Decision] = field(default_factory=list)


class Proposal(NamedTuple):
    """What a decision says about a place.

    span (Span): What was decided on.
    suggested (Span): What was suggested, which may have another type or other bounds.
    kind (str): Whether it was missed or is doubtful.
    answer (str): "accept" or "reject".
    is_place (bool): Whether the decision is about this place alone.
    """

    span: Span
    suggested: Span
    kind: Kind
    answer: str
    is_place: bool


class DecidedDocument:
    """A document with what is known of it, while decisions are applied.

    doc (Doc): The document, which is changed at the end.
    line (int): Its index in the data.
    result (Merged): Where it is counted what was done.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    """

    def __init__(
        self, doc: Doc, line: int, result: Merged, incorrect_spans_key: str
    ) -> None:
        self.doc = doc
        self.line = line
        self.result = result
        self.incorrect_spans_key = incorrect_spans_key
        self.states = doc.to_array("ENT_IOB").reshape(len(doc)).tolist()
        self.entities = {_key(ent): ent for ent in doc.ents if ent.label_}
        group = doc.spans.get(incorrect_spans_key, ())
        self.ruled_out = {_key(span): span for span in group}
        self.decided = {_key(span): span for span in doc.spans.get(DECIDED_KEY, ())}
        self.new: dict[Place, Span] = {}
        # Those of them that were decided on for this place alone.
        self.exceptions: set[Place] = set()
        self.withdrawn: set[Place] = set()
        self.rejected: list[Span] = []
        self.is_changed = False

    def reconsider(self, proposal: Proposal) -> None:
        """Keep or withdraw an annotation that was doubted."""
        key = _key(proposal.suggested)
        if key not in self.entities or key in self.withdrawn:
            return
        if proposal.answer == "accept" and proposal.span == proposal.suggested:
            self.result.unchanged += 1
            return
        self.withdrawn.add(key)
        self.result.withdrawn[proposal.suggested.label_] += 1
        ent = self.entities.pop(key)
        for token in ent:
            self.states[token.i] = _MISSING
        self.is_changed = True
        if proposal.answer == "accept":
            self.accept(proposal)
        else:
            self._rule_out(proposal.suggested)

    def accept(self, proposal: Proposal) -> None:
        """Make a span an entity, unless something else is known."""
        span = proposal.span
        key = _key(span)
        if key in self.entities or key in self.new:
            self.result.unchanged += key in self.entities
            return
        why = self._contradiction(span)
        if why is None and proposal.kind == "missed" and is_complete_for(span):
            why = f"the text is stated to be complete for {span.label_}"
        if why is not None:
            self._report(proposal, why)
            return
        rival = next((s for s in self.new.values() if _overlap(span, s)), None)
        if rival is not None:
            if proposal.is_place:
                self._report(proposal, "it overlaps another entity that was accepted")
            elif key[:2] == _key(rival)[:2] and _key(rival) not in self.exceptions:
                self._report(proposal, f"it was accepted as {rival.label_} as well")
            # Else a form lies within a longer one, or a place is an exception to it.
            return
        self.new[key] = span
        if proposal.is_place:
            self.exceptions.add(key)
        self.result.entities[span.label_] += 1
        self.is_changed = True

    def reject(self, proposal: Proposal) -> None:
        """Rule a span out, unless it is an entity."""
        span = proposal.suggested
        if _key(span) in self.entities:
            self._report(proposal, "it is annotated")
        elif _key(span) in self.ruled_out or is_complete_for(span):
            self.result.unchanged += 1
        elif not any(_overlap(span, other) for other in self.new.values()):
            self._rule_out(span)

    def _rule_out(self, span: Span) -> None:
        if any(self.states[i] != _MISSING for i in range(span.start, span.end)):
            # What is known of its tokens says so already.
            self.result.unchanged += 1
            return
        self.rejected.append(span)
        self.is_changed = True

    def _contradiction(self, span: Span) -> str | None:
        """What the data says that a span can't be an entity beside."""
        for ent in self.entities.values():
            if _overlap(span, ent):
                return f"'{ent.text}' is annotated as {ent.label_}"
        if any(self.states[i] != _MISSING for i in range(span.start, span.end)):
            return "a token of it is stated to be in no entity"
        if _key(span) in self.ruled_out:
            return "it was ruled out before"
        return None

    def _report(self, proposal: Proposal, why: str) -> None:
        span, answer = proposal.span, proposal.answer
        conflict = Conflict(
            self.line, self.doc.text, span.text, span.label_, answer, why
        )
        self.result.conflicts.append(conflict)

    def written(self, to_outside: bool) -> Doc:
        """RETURNS (Doc): The document with what has become known."""
        doc, result = self.doc, self.result
        if not self.is_changed:
            return doc
        result.changed += 1
        taken = {i for s in self.new.values() for i in range(s.start, s.end)}
        outside = {
            i
            for span in self.rejected
            for i in range(span.start, span.end)
            if to_outside and i not in taken
        }
        ruled_out = {} if to_outside else {_key(span): span for span in self.rejected}
        for span in ruled_out.values():
            result.ruled_out[span.label_] += 1
        result.outside += len(outside)
        withdrawn = [doc[start:end] for start, end, _ in self.withdrawn]
        doc.set_ents(
            list(self.entities.values()), missing=withdrawn, default="unmodified"
        )
        new = [Span(doc, s.start, s.end, label=s.label) for s in self.new.values()]
        doc.set_ents(
            [*self.entities.values(), *new],
            outside=[doc[i : i + 1] for i in sorted(outside)],
            default="unmodified",
        )
        all_ruled_out = [
            Span(doc, start, end, label=label)
            for start, end, label in sorted({**self.ruled_out, **ruled_out})
        ]
        if all_ruled_out:
            doc.spans[self.incorrect_spans_key] = all_ruled_out
        decided = [s for key, s in self.decided.items() if key not in self.withdrawn]
        doc.spans[DECIDED_KEY] = [*decided, *new]
        self._drop_estimates()
        return doc

    def _drop_estimates(self) -> None:
        """What was estimated for tokens about which something is known by now is no
        longer an estimate."""
        states = self.doc.to_array("ENT_IOB").reshape(len(self.doc)).tolist()
        ruled_out = set(map(_key, self.doc.spans.get(self.incorrect_spans_key, ())))
        for key in (ESTIMATED_KEY, CANDIDATES_KEY):
            if key not in self.doc.spans:
                continue
            kept = [
                (span, score)
                for span, score in scored_spans(self.doc, key)
                if set(states[span.start : span.end]) == {_MISSING}
                and _key(span) not in ruled_out
            ]
            set_scored_spans(
                self.doc, key, [span for span, _ in kept], [score for _, score in kept]
            )


def _key(span: Span) -> Place:
    return span.start, span.end, span.label_


def _overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end
