"""What is known about the tokens of a document: a tag, nothing, "not this span", or
"not this type".

It is stored in spaCy's own annotation. A token's `ENT_IOB` is 0 for missing, 2 for a
stated O, and 3 or 1 for the beginning and the rest of an entity; 3 without an entity
type is a blocked token. Two span groups have the rest: spans that are ruled out, and
stretches that are annotated completely for a type.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy
from spacy.attrs import ENT_IOB, ENT_TYPE, IS_SPACE, ORTH
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..crf.spans import TaggedSpan
from ..crf.tags import LabelledSpan, TagSet, split_tag
from ..data.complete_types import complete_spans, complete_tokens, has_statement
from ..data.token_stretches import stretches
from ..errors import Errors
from .segments import longest_segment, segment_doc

_INSIDE, _OUTSIDE, _BEGIN = 1, 2, 3


class Known(NamedTuple):
    """What is known about a document.

    entities (list[LabelledSpan]): Entities with their exact bounds.
    outside (ndarray): (L,) bool, tokens that belong to no entity.
    ruled_out (list[LabelledSpan]): What is not an entity, though parts of it may be.
    complete (Sequence[LabelledSpan]): Stretches whose tokens are part of no entity of a
        type but those in `entities`.
    """

    entities: list[LabelledSpan]
    outside: numpy.ndarray
    ruled_out: list[LabelledSpan]
    complete: Sequence[LabelledSpan] = ()

    def is_empty(self) -> bool:
        """RETURNS (bool): Whether nothing at all is known."""
        return not (
            self.entities or self.ruled_out or self.complete or self.outside.any()
        )

    def unknown(self) -> numpy.ndarray:
        """RETURNS (ndarray): (L,) bool, tokens that are neither in an entity nor
        outside of all."""
        return ~(self.outside | _cover(self.entities, len(self.outside)))

    def from_incomplete(self) -> list[LabelledSpan]:
        """RETURNS (list[LabelledSpan]): The entities annotated where others of their
        type may have been left out."""
        return [span for span in self.entities if not self.is_complete_for(span)]

    def is_complete_for(self, span: LabelledSpan) -> bool:
        """RETURNS (bool): Whether a token of a span lies where all entities of its type
        are annotated: it is one if it is annotated, and else none."""
        start, end, label = span
        return any(
            other.type == label and other.start < end and start < other.end
            for other in self.complete
        )

    def without(self, entity: LabelledSpan) -> "Known":
        """RETURNS (Known): What would be known without the annotation of an entity:
        nothing about its tokens, even if the text is complete for its type."""
        complete = []
        for start, end, label in self.complete:
            before = LabelledSpan(start, min(end, entity.start), label)
            after = LabelledSpan(max(start, entity.end), end, label)
            complete += [span for span in (before, after) if span.start < span.end]
        others = [other for other in self.entities if other != entity]
        return self._replace(entities=others, complete=complete)

    def about(self, types: Sequence[str]) -> "Known":
        """Read the same as a model does that has some types only: what would be ruled
        out with another type says nothing, and a token is O for which all types are
        complete.

        types (Sequence[str]): The types.
        RETURNS (Known): What is known about them.
        """
        ruled_out = [span for span in self.ruled_out if span.type in types]
        complete = [span for span in self.complete if span.type in types]
        outside = self.outside
        stated = {span.type for span in complete}
        if stated and len(stated) == len(types):
            open_types = numpy.full(len(outside), len(types))
            for label in stated:
                spans = [span for span in complete if span.type == label]
                open_types -= _cover(spans, len(outside))
            in_entity = _cover(self.entities, len(outside))
            outside = outside | ((open_types == 0) & ~in_entity)
        return Known(self.entities, outside, ruled_out, complete)


def known_from_example(example: Example, incorrect_spans_key: str | None) -> Known:
    """Read what the reference of an example says about the tokens of its prediction.

    Where tokens do not align they are unknown; whitespace is never an entity of its
    own.

    example (Example): The example.
    incorrect_spans_key (str | None): The span group with spans that are ruled out.
    RETURNS (Known): What is known.
    """
    predicted, reference = example.predicted, example.reference
    if _have_equal_tokens(example):
        array = reference.to_array([ENT_IOB, ENT_TYPE, IS_SPACE])
        strings = reference.vocab.strings
        entities = [
            LabelledSpan(start, end, strings[entity_type])
            for start, end, entity_type in _entity_runs(array)
            if entity_type
        ]
        covered = _cover(entities, len(predicted))
        outside = (array[:, 0] == _OUTSIDE) | ((array[:, 2] == 1) & ~covered)
        # Without any annotation spaCy says nothing about whitespace either.
        outside &= array[:, 0].any()
    else:
        spans, tags = example.get_aligned_ents_and_ner()
        entities = [LabelledSpan(s.start, s.end, s.label_) for s in spans]
        outside = numpy.array([tag == "O" for tag in tags])
    ruled_out: list[LabelledSpan] = []
    if incorrect_spans_key is not None and incorrect_spans_key in reference.spans:
        aligned = example.get_aligned_spans_y2x(
            reference.spans[incorrect_spans_key], allow_overlap=True
        )
        ruled_out = [LabelledSpan(s.start, s.end, s.label_) for s in aligned]
        for span in ruled_out:
            if span in entities:
                raise ValueError(
                    Errors.A103.format(
                        span=shorten(predicted[span.start : span.end]),
                        label=span.type,
                        key=incorrect_spans_key,
                        text=shorten(reference),
                    )
                )
    return Known(entities, outside, ruled_out, _complete_stretches(example))


def _complete_stretches(example: Example) -> list[LabelledSpan]:
    """The stretches of the prediction that are complete for a type. A token of it is if
    all its tokens in the reference are, and none of them is part of an entity of the
    type: what does not align is unknown."""
    reference = example.reference
    if not has_statement(reference):
        return []
    if _have_equal_tokens(example):
        return [
            LabelledSpan(span.start, span.end, span.label_)
            for span in complete_spans(reference)
        ]
    aligned = [example.alignment.x2y[i] for i in range(len(example.predicted))]
    found = []
    for label, tokens in complete_tokens(reference).items():
        for ent in reference.ents:
            if ent.label_ == label:
                tokens[ent.start : ent.end] = False
        inside = [i for i, y in enumerate(aligned) if len(y) and tokens[y].all()]
        found += [LabelledSpan(*stretch, label) for stretch in stretches(inside)]
    return found


def _have_equal_tokens(example: Example) -> bool:
    return numpy.array_equal(
        example.predicted.to_array(ORTH), example.reference.to_array(ORTH)
    )


class PresetDoc(NamedTuple):
    """What earlier components have set on a document, and where it can be cut.

    known (Known): Entities with labels of ours are kept as such. Blocked tokens and
        entities with other labels are outside of what we may find.
    ends (list[int]): Where the segments of the document end.
    space (ndarray): (L,) bool, whitespace tokens: no entity starts there.
    """

    known: Known
    ends: list[int]
    space: numpy.ndarray


def preset_from_doc(doc: Doc, tagset: TagSet, max_length: int) -> PresetDoc:
    """Read what is on a document before it is predicted.

    doc (Doc): The document.
    tagset (TagSet): Our tags.
    max_length (int): How long a segment may be in training.
    RETURNS (PresetDoc): What was found.
    """
    array = doc.to_array([ENT_IOB, ENT_TYPE, IS_SPACE]).reshape(len(doc), 3)
    entities: list[LabelledSpan] = []
    outside = numpy.zeros(len(doc), dtype=bool)
    runs = _entity_runs(array)
    for start, end, entity_type in runs:
        label = doc.vocab.strings[entity_type] if entity_type else ""
        if label in tagset.types:
            entities.append(LabelledSpan(start, end, label))
        else:
            outside[start:end] = True
    longest = longest_segment(len(tagset), max_length)
    ends = segment_doc(doc, [(start, end) for start, end, _ in runs], longest)
    return PresetDoc(Known(entities, outside, []), ends, array[:, 2] == 1)


def outside_tokens(doc: Doc) -> numpy.ndarray:
    """RETURNS (ndarray): (L,) bool, tokens that are stated to be in no entity."""
    return doc.to_array(ENT_IOB).reshape(len(doc)) == _OUTSIDE


def allowed_tags(known: Known, tagset: TagSet) -> numpy.ndarray:
    """The tags that each token may have.

    known (Known): What is known.
    tagset (TagSet): The tags.
    RETURNS (ndarray): (L, N) bool.
    """
    length = len(known.outside)
    allowed = numpy.ones((length, len(tagset)), dtype=bool)
    for span in known.complete:
        allowed[span.start : span.end, tagset.tags_of(span.type)] = False
    allowed[known.outside, 1:] = False
    for span in known.entities:
        tags = tagset.span_tags(span.type, span.end - span.start)
        allowed[span.start : span.end] = False
        allowed[numpy.arange(span.start, span.end), tags] = True
        longer = tagset.tag_after_span_that_extends_it(span.type)
        if longer is not None and span.end < length:
            allowed[span.end, longer] = False
    return allowed


def entity_starting_tags(tagset: TagSet) -> list[int]:
    """RETURNS (list[int]): The tags that an entity can start with."""
    return [i for i, tag in enumerate(tagset.tags) if split_tag(tag)[0] in ("B", "U")]


def tagged_spans(
    spans: Iterable[tuple[int, LabelledSpan]], tagset: TagSet
) -> list[TaggedSpan]:
    """Turn entities into the tags that a path has if it holds them.

    spans (Iterable[tuple[int, LabelledSpan]]): Sentences of a batch and entities there.
    tagset (TagSet): The tags.
    RETURNS (list[TaggedSpan]): The runs of tags.
    """
    return [
        TaggedSpan(
            sentence,
            span.start,
            tagset.span_tags(span.type, span.end - span.start),
            tagset.tag_after_span_that_extends_it(span.type),
        )
        for sentence, span in spans
    ]


def shorten(doc: Doc | Span) -> str:
    """RETURNS (str): The beginning of a text, to name it in a message."""
    return doc.text if len(doc.text) <= 60 else doc.text[:57] + "..."


def _entity_runs(array: numpy.ndarray) -> list[tuple[int, int, int]]:
    """(start, end, type) of all entities; blocked tokens have the type 0."""
    iob = array[:, 0]
    runs = []
    for start in numpy.flatnonzero(iob == _BEGIN).tolist():
        end = start + 1
        while end < len(iob) and iob[end] == _INSIDE:
            end += 1
        runs.append((start, end, int(array[start, 1])))
    return runs


def _cover(spans: Iterable[LabelledSpan], length: int) -> numpy.ndarray:
    covered = numpy.zeros(length, dtype=bool)
    for span in spans:
        covered[span.start : span.end] = True
    return covered
