"""A component that puts suggestions for a text on it, in place of entities."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.util import minibatch

from ..annotation.known import PresetDoc, outside_tokens, preset_from_doc
from ..crf.tags import LabelledSpan
from ..data.complete_types import complete_spans
from ..data.origins import CANDIDATES_KEY, has_candidates, scored_spans
from ..data.suggestions import Kind
from ..pipeline.adak_ner import AdaKRecognizer
from .missed_and_doubtful import (
    Candidate,
    OtherReading,
    find_doubtful,
    find_missed,
    with_alternatives,
)

SUGGESTER = "adak_suggester"
_KEY = "adak_suggestions"


class Settings(NamedTuple):
    """What is worth a question.

    threshold (float): The lowest probability of an entity that nobody annotated.
    doubt (float): The highest probability of an annotated entity that is doubtful.
    k (int): How many of the best readings of a sentence give alternatives.
    incorrect_spans_key (str): The key of `Doc.spans` for ruled-out spans.
    """

    threshold: float
    doubt: float
    k: int
    incorrect_spans_key: str


@Language.factory(
    SUGGESTER,
    assigns=[],
    default_config={
        "component": "adak_ner",
        "threshold": 0.1,
        "doubt": 0.05,
        "k": 5,
        "incorrect_spans_key": "incorrect_spans",
    },
)
def make_suggester(
    nlp: Language,
    name: str,
    component: str,
    threshold: float,
    doubt: float,
    k: int,
    incorrect_spans_key: str,
) -> "Suggester":
    """Create the component that `adak suggest` puts in the place of another one.

    component (str): The name of the `adak_ner` component whose model is asked.

    The other settings are explained in `Settings`.
    """
    settings = Settings(threshold, doubt, k, incorrect_spans_key)
    return Suggester(cast(AdaKRecognizer, nlp.get_pipe(component)), name, settings)


class Suggester(Pipe):
    """Finds what annotators have missed, and what the model doubts.

    recognizer (AdaKRecognizer): The component whose model is asked.
    name (str): The name of this component.
    settings (Settings): What is worth a question.
    """

    def __init__(
        self, recognizer: AdaKRecognizer, name: str, settings: Settings
    ) -> None:
        self.recognizer = recognizer
        self.name = name
        self.settings = settings

    def __call__(self, doc: Doc) -> Doc:
        """RETURNS (Doc): The same document, with suggestions."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Put suggestions on a stream of documents.

        stream (Iterable[Doc]): The documents. Their entities and ruled-out spans are
            facts, missing tokens are unknown.
        batch_size (int): How many go through the model at a time.
        YIELDS (Doc): The documents.
        """
        for docs in minibatch(stream, size=batch_size):
            self._annotate(docs)
            yield from docs

    def _annotate(self, docs: Sequence[Doc]) -> None:
        missed: list[list[Candidate]] = [[] for _ in docs]
        doubtful: list[list[Candidate]] = [[] for _ in docs]
        if any(len(doc) for doc in docs):
            scores = self.recognizer.tag_scores(docs)
            presets = [self._preset(doc) for doc in docs]
            ruled_out = [self._ruled_out(doc) for doc in docs]
            tagset = self.recognizer.tagset
            calibration = self.recognizer.calibration
            threshold, doubt, k, _ = self.settings
            missed = find_missed(
                scores,
                presets,
                ruled_out,
                tagset,
                calibration=calibration,
                threshold=threshold,
            )
            # What fold models thought of a text when they had not seen it counts for
            # more than what a model thinks that has learnt their guesses.
            for i, doc in enumerate(docs):
                if has_candidates(doc):
                    missed[i] = self._candidates_on(doc, presets[i], ruled_out[i])
            missed = with_alternatives(scores, presets, tagset, missed, k=k)
            doubtful = find_doubtful(
                scores, presets, tagset, calibration=calibration, highest=doubt, k=k
            )
        for doc, *found in zip(docs, missed, doubtful, strict=True):
            doc.user_data[_KEY] = [
                [kind, candidate]
                for kind, candidates in zip(("missed", "doubtful"), found, strict=True)
                for candidate in candidates
            ]

    def _preset(self, doc: Doc) -> PresetDoc:
        component = self.recognizer
        preset = preset_from_doc(doc, component.tagset, component.max_segment_length)
        known = preset.known._replace(
            outside=preset.known.outside | outside_tokens(doc),
            complete=[
                LabelledSpan(s.start, s.end, s.label_) for s in complete_spans(doc)
            ],
        )
        return preset._replace(known=known.about(component.labels))

    def _ruled_out(self, doc: Doc) -> set[LabelledSpan]:
        spans = doc.spans.get(self.settings.incorrect_spans_key, ())
        return {LabelledSpan(s.start, s.end, s.label_) for s in spans}

    def _candidates_on(
        self, doc: Doc, preset: PresetDoc, ruled_out: set[LabelledSpan]
    ) -> list[Candidate]:
        """What fold models found, of which nothing has become known since."""
        unknown = preset.known.unknown()
        candidates = [
            Candidate(LabelledSpan(span.start, span.end, span.label_), score or 0.0, [])
            for span, score in scored_spans(doc, CANDIDATES_KEY)
        ]
        return [
            candidate
            for candidate in candidates
            if candidate.probability >= self.settings.threshold
            and unknown[candidate.span.start : candidate.span.end].all()
            and candidate.span not in ruled_out
            and not preset.known.is_complete_for(candidate.span)
            and candidate.span.type in self.recognizer.labels
        ]


def suggestions_on(doc: Doc) -> list[tuple[Kind, Candidate]]:
    """Take the suggestions from a document.

    doc (Doc): The document, which has been through a `Suggester`.
    RETURNS (list[tuple[Kind, Candidate]]): What it suggests.
    """
    return [(kind, _read(values)) for kind, values in doc.user_data.pop(_KEY, [])]


def _read(values: Any) -> Candidate:
    """A candidate, which has become a list of lists on its way between processes."""
    span, probability, alternatives = values
    return Candidate(
        LabelledSpan(*span),
        probability,
        [
            OtherReading(float(p), [LabelledSpan(*s) for s in spans])
            for p, spans in alternatives
        ],
    )
