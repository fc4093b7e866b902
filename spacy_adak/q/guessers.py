"""Guessers: other models that are asked for entities, from blocks of the config."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.util import load_model, registry
from spacy.vocab import Vocab

from ..annotation.known import shorten
from ..data.guesses import Guess, to_guesses
from ..data.origins import SCORES
from ..errors import Errors

# What takes a document without any annotation, and gives spans of it: in a span group
# with `attrs["scores"]` if they have scores.
Guesser = Callable[[Doc], Iterable[Span]]


class PipelineGuesser:
    """A spaCy pipeline that guesses. It is loaded when it is first asked.

    pipeline (str): The name of a package, or the path of a folder.
    spans_key (str | None): The span group with its guesses, if they are not its
        entities.
    labels (Mapping[str, str]): The labels of the training data by its own, where they
        differ.
    """

    def __init__(
        self, pipeline: str, spans_key: str | None, labels: Mapping[str, str]
    ) -> None:
        self.pipeline = pipeline
        self.spans_key = spans_key
        self.labels = labels

    @cached_property
    def nlp(self) -> Language:
        """RETURNS (Language): The pipeline."""
        return load_model(self.pipeline)

    def known_labels(self) -> set[str]:
        """RETURNS (set[str]): What it may call entities, as in the training data."""
        where = "doc.ents" if self.spans_key is None else "doc.spans"
        return {
            self.labels.get(label, label)
            for name, labels in self.nlp.pipe_labels.items()
            if where in self.nlp.get_pipe_meta(name).assigns
            for label in labels
        }

    def __call__(self, doc: Doc) -> SpanGroup:
        """RETURNS (SpanGroup): What it guesses of a document."""
        (guesses,) = self.pipe([doc])
        return guesses

    def pipe(self, docs: Iterable[Doc]) -> Iterator[SpanGroup]:
        """YIELDS (SpanGroup): What it guesses of each document."""
        for doc in self.nlp.pipe(bare_doc(doc, self.nlp.vocab) for doc in docs):
            found: Iterable[Span] = doc.ents
            scores = None
            if self.spans_key is not None:
                found = doc.spans.get(self.spans_key, ())
                scores = getattr(found, "attrs", {}).get(SCORES)
            spans = [
                Span(doc, s.start, s.end, self.labels.get(s.label_, s.label_))
                for s in found
            ]
            # A pipeline may have scores of its own kind, such as arrays.
            attrs = {SCORES: [float(s) for s in scores]} if scores is not None else {}
            yield SpanGroup(doc, spans=spans, attrs=attrs)


@registry.misc("spacy-adak.PipelineGuesser.v1")
def make_pipeline_guesser(
    pipeline: str,
    spans_key: str | None = None,
    labels: dict[str, str] | None = None,
) -> Guesser:
    """Any spaCy pipeline as a guesser, with `ner`, `entity_ruler`, `span_ruler` or
    another component that finds spans.

    pipeline (str): The name of a package, or the path of a folder.
    spans_key (Optional[str]): The span group with its guesses, for instance "ruler" for
        a `span_ruler`. With null the guesses are its entities.
    labels (Optional[dict[str, str]]): Maps labels of the pipeline to labels of the
        training data, where they differ: {"ORG": "FIRM"}.
    """
    return PipelineGuesser(pipeline, spans_key, labels or {})


def make_guesser(block: Mapping[str, Any]) -> Guesser:
    """RETURNS (Guesser): The guesser that a block of a config describes."""
    guesser: Guesser = registry.resolve({"guesser": dict(block)})["guesser"]
    return guesser


def bare_doc(doc: Doc, vocab: Vocab) -> Doc:
    """RETURNS (Doc): The tokens of a document, without annotation."""
    words = [token.text for token in doc]
    return Doc(vocab, words=words, spaces=[bool(token.whitespace_) for token in doc])


def ask(name: str, guesser: Guesser, docs: Sequence[Doc]) -> Iterator[list[Guess]]:
    """Ask a guesser about some documents.

    name (str): Its name, for messages.
    guesser (Guesser): The guesser.
    docs (Sequence[Doc]): The documents, of which it sees the tokens alone.
    YIELDS (list[Guess]): What it guesses of each.
    """
    bare = [bare_doc(doc, Vocab()) for doc in docs]
    pipe = getattr(guesser, "pipe", None)
    answers = pipe(bare) if pipe is not None else map(guesser, bare)
    for doc, answer in zip(bare, answers, strict=True):
        scores = getattr(answer, "attrs", {}).get(SCORES) or ()
        yield to_guesses(_in_tokens_of(doc, name, answer), scores)


def _in_tokens_of(doc: Doc, name: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans a guesser gives; they may be those of another document with the same
    text, of which what is part of a token is expanded to it."""
    words = [token.text for token in doc]
    for span in spans:
        if [token.text for token in span.doc] == words:
            yield Span(doc, span.start, span.end, label=span.label_)
            continue
        aligned = None
        if span.doc.text == doc.text:
            aligned = doc.char_span(
                span.start_char, span.end_char, span.label_, alignment_mode="expand"
            )
        if aligned is None:
            raise ValueError(Errors.A244.format(name=name, text=shorten(doc)))
        yield aligned
