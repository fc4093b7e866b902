"""Take the decisions of a person back into the data.

An accepted span becomes an entity, a rejected one is ruled out, and everything else
stays as it was. A decision about a form reaches all of its occurrences on token bounds,
one about a place all texts that are equal to its own; the latter wins. What contradicts
the annotation is listed, and the annotation stays. Decisions of either kind apply in
the same way in whatever order texts come.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, cast, get_args

from spacy.tokens import Doc, Span
from tqdm import tqdm

from ..atomic import write_file
from ..data.convert import make_tokenizer, read_annotations
from ..data.decisions import FormDecision, PlaceDecision, read_decisions
from ..data.formats import Target, format_of_suffix
from ..data.forms import FormFinder
from ..data.origins import (
    CANDIDATES_KEY,
    DECIDED_KEY,
    ESTIMATED_KEY,
    INCORRECT_SPANS_KEY,
    SCORES,
    set_scored_spans,
    without_estimates,
)
from ..data.suggestions import Kind
from ..data.summary import Summary
from ..data.writers import Writing, write_docs
from ..errors import Errors

Decision = FormDecision | PlaceDecision
Rejected = Literal["ruled-out", "outside"]
_Place = tuple[int, int, str]
_MISSING, _OUTSIDE = 0, 2


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
    entities: Counter[str] = field(default_factory=Counter)
    ruled_out: Counter[str] = field(default_factory=Counter)
    outside: int = 0
    withdrawn: Counter[str] = field(default_factory=Counter)
    unchanged: int = 0
    conflicts: list[Conflict] = field(default_factory=list)
    unused: list[Decision] = field(default_factory=list)


def merge(
    data_path: Path,
    decisions_path: Path,
    output_path: Path,
    *,
    rejected: str = "ruled-out",
    to: str | None = None,
    converter: str | None = None,
    unlabelled: str | None = None,
    lang: str = "en",
    text_key: str = "text",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    silent: bool = True,
) -> Merged:
    """Take the decisions of a person back into the data.

    data_path (Path): The annotated texts, in any format of `convert`.
    decisions_path (Path): The decisions, a JSONL file.
    output_path (Path): The file to write.
    rejected (str): What a rejected span becomes: "ruled-out" says that it is not an
        entity of its label, "outside" that none of its tokens is in an entity.
    to (str | None): The format of the output; None goes by its suffix.
    converter (str | None): The format of the data; None finds out.
    unlabelled (str | None): What an unlabelled token is, for data that does not say it.
    lang (str): The language, for the tokenizer.
    text_key (str): The key of the text in JSON and JSONL records.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    silent (bool): Show no progress.
    RETURNS (Merged): What has changed, and what could not be applied.
    """
    output_path = Path(output_path)
    if rejected not in get_args(Rejected):
        choices = ", ".join(get_args(Rejected))
        raise ValueError(
            Errors.A310.format(name="--rejected", value=rejected, choices=choices)
        )
    format_ = to or format_of_suffix(output_path, "--to", Target)
    if format_ not in get_args(Target):
        choices = ", ".join(get_args(Target))
        raise ValueError(Errors.A310.format(name="--to", value=to, choices=choices))
    if output_path.resolve() in (
        Path(data_path).resolve(),
        Path(decisions_path).resolve(),
    ):
        raise ValueError(Errors.A315.format(path=output_path))
    result = Merged(problems=Summary())
    decisions = Decisions(read_decisions(Path(decisions_path), result.problems))
    result.decisions = len(decisions)
    if not len(decisions):
        problems = result.problems.problems
        problem = f" The first problem: {problems[0]}" if problems else ""
        raise ValueError(Errors.A453.format(path=decisions_path, problem=problem))
    docs = read_annotations(
        Path(data_path),
        make_tokenizer(lang),
        result.problems,
        converter=converter,
        unlabelled=unlabelled,
        text_key=text_key,
        incorrect_spans_key=incorrect_spans_key,
    )
    shown = tqdm(docs, desc="texts", unit=" texts", disable=silent or None)
    to_outside = rejected == "outside"
    merged = (
        decisions.apply(doc, result, to_outside, incorrect_spans_key) for doc in shown
    )

    def write(beside: Path) -> None:
        writing = Writing("BIO", text_key, incorrect_spans_key)
        write_docs(merged, beside, cast(Target, format_), writing)
        if not result.documents:
            raise ValueError(Errors.A451.format(path=data_path))

    output_path.parent.mkdir(parents=True, exist_ok=True)
    write_file(output_path, write)
    result.unused = decisions.unused()
    return result


class Decisions:
    """Decisions, each the last about its place or form.

    decisions (Iterable[Decision]): All decisions, in the order they were made.
    """

    def __init__(self, decisions: Iterable[Decision]) -> None:
        # By text and what was suggested there, and by form and what was suggested.
        self._places: dict[str, dict[tuple[_Place, Kind], PlaceDecision]]
        self._places = defaultdict(dict)
        self._forms: dict[str, dict[tuple[str, Kind], FormDecision]]
        self._forms = defaultdict(dict)
        for decision in decisions:
            if isinstance(decision, PlaceDecision):
                suggested = decision.suggested or decision
                place = (suggested.start, suggested.end, suggested.label)
                self._places[decision.text][place, decision.kind] = decision
            else:
                label = (decision.suggested or decision).label
                self._forms[decision.form][label, decision.kind] = decision
        self._find = FormFinder(self._forms)
        self._used: set[int] = set()

    def _all(self) -> list[Decision]:
        decisions: list[Decision] = []
        for places in self._places.values():
            decisions += places.values()
        for forms in self._forms.values():
            decisions += forms.values()
        return [decision for decision in decisions if decision.answer != "ignore"]

    def __len__(self) -> int:
        """RETURNS (int): How many there are that say something."""
        return len(self._all())

    def unused(self) -> list[Decision]:
        """RETURNS (list[Decision]): Those that have met no place so far."""
        return [d for d in self._all() if id(d) not in self._used]

    def apply(
        self, doc: Doc, result: Merged, to_outside: bool, incorrect_spans_key: str
    ) -> Doc:
        """Apply the decisions to a document.

        doc (Doc): The document, which may be changed.
        result (Merged): Where it is counted what was done.
        to_outside (bool): Whether the tokens of rejected spans are outside of all.
        incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
        RETURNS (Doc): The document with new facts.
        """
        line, result.documents = result.documents, result.documents + 1
        places = self._places.get(doc.text, {})
        proposals = [
            *self._about_places(doc, places),
            *self._about_forms(doc, set(places)),
        ]
        if not proposals:
            return doc
        document = _Document(without_estimates(doc), line, result, incorrect_spans_key)
        # Places first, then what is longer.
        proposals.sort(key=lambda p: (not p.is_place, p.span.start - p.span.end))
        for proposal in proposals:
            if proposal.kind == "doubtful":
                document.reconsider(proposal)
        for proposal in proposals:
            if proposal.kind == "missed" and proposal.answer == "accept":
                document.accept(proposal)
        for proposal in proposals:
            if proposal.kind == "missed" and proposal.answer == "reject":
                document.reject(proposal)
        return document.written(to_outside)

    def _about_places(
        self, doc: Doc, places: dict[tuple[_Place, Kind], PlaceDecision]
    ) -> Iterable["_Proposal"]:
        for (suggested, kind), decision in places.items():
            start, end, label = suggested
            span = doc.char_span(decision.start, decision.end, label=decision.label)
            before = doc.char_span(start, end, label=label)
            if span is None or before is None:
                continue
            self._used.add(id(decision))
            if decision.answer != "ignore":
                yield _Proposal(span, before, kind, decision.answer, is_place=True)

    def _about_forms(
        self, doc: Doc, decided: set[tuple[_Place, Kind]]
    ) -> Iterable["_Proposal"]:
        for span in self._find(doc):
            for (label, kind), decision in self._forms[span.text].items():
                self._used.add(id(decision))
                place = (span.start_char, span.end_char, label)
                if decision.answer == "ignore" or (place, kind) in decided:
                    continue
                after = Span(doc, span.start, span.end, label=decision.label)
                before = Span(doc, span.start, span.end, label=label)
                yield _Proposal(after, before, kind, decision.answer, is_place=False)


class _Proposal(NamedTuple):
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


class _Document:
    """A document with what is known of it, while decisions are applied."""

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
        self.new: dict[_Place, Span] = {}
        self.withdrawn: set[_Place] = set()
        self.rejected: list[Span] = []
        self.is_changed = False

    def reconsider(self, proposal: _Proposal) -> None:
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

    def accept(self, proposal: _Proposal) -> None:
        """Make a span an entity, unless something else is known."""
        span = proposal.span
        key = _key(span)
        if key in self.entities or key in self.new:
            self.result.unchanged += key in self.entities
            return
        why = self._contradiction(span)
        if why is not None:
            self._report(proposal, why)
            return
        if any(_overlap(span, other) for other in self.new.values()):
            # A form within a longer one that was accepted as well is a part of it.
            if proposal.is_place:
                self._report(proposal, "it overlaps another entity that was accepted")
            return
        self.new[key] = span
        self.result.entities[span.label_] += 1
        self.is_changed = True

    def reject(self, proposal: _Proposal) -> None:
        """Rule a span out, unless it is an entity."""
        span = proposal.suggested
        if _key(span) in self.entities:
            self._report(proposal, "it is annotated")
        elif _key(span) in self.ruled_out:
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

    def _report(self, proposal: _Proposal, why: str) -> None:
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
            group = self.doc.spans.get(key)
            if group is None:
                continue
            kept = [
                (span, score)
                for span, score in zip(group, group.attrs[SCORES], strict=True)
                if set(states[span.start : span.end]) == {_MISSING}
                and _key(span) not in ruled_out
            ]
            set_scored_spans(
                self.doc, key, [span for span, _ in kept], [score for _, score in kept]
            )


def _key(span: Span) -> _Place:
    return span.start, span.end, span.label_


def _overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end
