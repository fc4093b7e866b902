"""Merge the decisions of a person into the data.

An accepted span becomes an entity, a rejected one is ruled out, and everything else
stays as it was. A decision about a form reaches all of its occurrences on token bounds,
one about a place all texts that are equal to its own; the latter wins. What contradicts
the annotation is listed, and the annotation stays. The order of the texts makes no
difference.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, cast, get_args

from spacy.tokens import Doc, Span
from tqdm import tqdm

from ..atomic import write_file
from ..data.convert import make_tokenizer, read_annotations
from ..data.decisions import FormDecision, PlaceDecision, read_decisions
from ..data.form_finder import FormFinder
from ..data.formats import Target, format_of_suffix
from ..data.origins import INCORRECT_SPANS_KEY, without_estimates
from ..data.outputs import refuse_to_overwrite_inputs
from ..data.sentences import TagScheme
from ..data.suggestions import Kind
from ..data.summary import Summary
from ..data.writers import Writing, write_docs
from ..errors import Errors
from .decided_document import DecidedDocument, Decision, Merged, Place, Proposal

Rejected = Literal["ruled-out", "outside"]


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
    n_sents: int = 1,
    token_column: int = 0,
    tag_column: int = -1,
    document_column: int | None = None,
    tag_scheme: str | None = None,
    labels: str | None = None,
    text_key: str = "text",
    alignment_mode: str = "strict",
    annotators: str = "union",
    incorrect_spans_key: str = INCORRECT_SPANS_KEY,
    silent: bool = True,
) -> Merged:
    """Merge the decisions of a person into the data.

    data_path (Path): The annotated texts, in any format of `convert`.
    decisions_path (Path): The decisions, a JSONL file.
    output_path (Path): The file to write.
    rejected (str): What a rejected span becomes: "ruled-out" says that it is not an
        entity of its label, "outside" that none of its tokens is in an entity.
    to (str | None): The format of the output. None detects it from the suffix.
    converter (str | None): The format of the data. None detects it.
    unlabelled (str | None): What an unlabelled token is, for data that does not state
        it.
    lang (str): The language, for the tokenizer.
    text_key (str): The key of the text in JSON and JSONL records.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    silent (bool): Show no progress.

    The other settings say how the data is read, as in `convert`.

    RETURNS (Merged): The changes, and what could not be applied.
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
    refuse_to_overwrite_inputs(output_path, data_path, decisions_path)
    result = Merged(problems=Summary())
    decisions = Decisions(read_decisions(Path(decisions_path), result.problems))
    result.decisions, result.ignored = len(decisions), decisions.count_ignored()
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
        n_sents=n_sents,
        token_column=token_column,
        tag_column=tag_column,
        document_column=document_column,
        tag_scheme=tag_scheme,
        labels=labels,
        text_key=text_key,
        alignment_mode=alignment_mode,
        annotators=annotators,
        incorrect_spans_key=incorrect_spans_key,
    )
    shown = tqdm(docs, desc="texts", unit=" texts", disable=silent or None)
    to_outside = rejected == "outside"
    merged = (
        decisions.apply(doc, result, to_outside, incorrect_spans_key) for doc in shown
    )

    def write(beside: Path) -> None:
        scheme = cast(TagScheme, tag_scheme or "BIO")
        writing = Writing(scheme, text_key, incorrect_spans_key)
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
        self._places: dict[str, dict[tuple[Place, Kind], PlaceDecision]]
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

    def _last(self) -> Iterator[Decision]:
        for places in self._places.values():
            yield from places.values()
        for forms in self._forms.values():
            yield from forms.values()

    def _all(self) -> list[Decision]:
        return [decision for decision in self._last() if decision.answer != "ignore"]

    def count_ignored(self) -> int:
        """RETURNS (int): How many say nothing."""
        return sum(decision.answer == "ignore" for decision in self._last())

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
        document = DecidedDocument(
            without_estimates(doc), line, result, incorrect_spans_key
        )
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
        self, doc: Doc, places: dict[tuple[Place, Kind], PlaceDecision]
    ) -> Iterable[Proposal]:
        for (suggested, kind), decision in places.items():
            start, end, label = suggested
            span = doc.char_span(decision.start, decision.end, label=decision.label)
            before = doc.char_span(start, end, label=label)
            if span is None or before is None:
                continue
            self._used.add(id(decision))
            if decision.answer != "ignore":
                yield Proposal(span, before, kind, decision.answer, is_place=True)

    def _about_forms(
        self, doc: Doc, decided: set[tuple[Place, Kind]]
    ) -> Iterable[Proposal]:
        for span in self._find(doc):
            for (label, kind), decision in self._forms[span.text].items():
                self._used.add(id(decision))
                place = (span.start_char, span.end_char, label)
                if decision.answer == "ignore" or (place, kind) in decided:
                    continue
                after = Span(doc, span.start, span.end, label=decision.label)
                before = Span(doc, span.start, span.end, label=label)
                yield Proposal(after, before, kind, decision.answer, is_place=False)
