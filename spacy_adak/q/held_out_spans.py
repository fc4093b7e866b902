"""Spans that a fold model finds in texts it was not trained on, and how probable it
takes them to be annotated."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy
from spacy.language import Language
from spacy.training import Example

from ..annotation.known import tagged_spans
from ..annotation.segments import batch_segments
from ..crf.decode import kbest
from ..crf.spans import span_log_probabilities
from ..crf.tags import LabelledSpan
from ..pipeline.adak_ner import AdaKRecognizer

# Where annotators mark little, the best path of a model that predicts what they mark
# has few spans. The others are on the next ones.
_PATHS = 10
# What is less probable is ranked behind all that matters.
_LEAST_PROBABILITY = 0.01


class FoundSpan(NamedTuple):
    """A span of a text.

    span (LabelledSpan): Where and what.
    probability (float): That of the span, by the model.
    is_annotated (bool): Whether it is annotated.
    touches_annotation (bool): Whether it overlaps with an annotated entity.
    """

    span: LabelledSpan
    probability: float
    is_annotated: bool
    touches_annotation: bool


def held_out_spans(
    nlp: Language, component: AdaKRecognizer, examples: Sequence[Example]
) -> Iterator[list[FoundSpan]]:
    """Find spans, and tell for each whether it is annotated.

    nlp (Language): The pipeline of a fold model.
    component (AdaKRecognizer): Its component.
    examples (Sequence[Example]): Texts it was not trained on.
    YIELDS (list[FoundSpan]): The spans of each text: those on the best paths, and all
        that are annotated.
    """
    later = nlp.pipe_names[nlp.pipe_names.index(component.name) :]
    docs = list(nlp.pipe((eg.predicted for eg in examples), disable=later))
    scores = component.tag_scores(docs)
    samples = [component.read_sample(example) for example in examples]
    starts = numpy.cumsum([0, *map(len, docs)])
    found: list[dict[LabelledSpan, float]] = [{} for _ in docs]
    tagset = component.tagset
    ends = [sample.ends for sample in samples]
    for batch in batch_segments(ends, scores.emissions.device, len(tagset)):
        chain = scores.chain(batch)
        best = kbest(chain, _PATHS)
        first = batch.tokens[:, 0].cpu().numpy()
        texts = numpy.searchsorted(starts, first, side="right") - 1
        offsets = first - starts[texts]
        spans: dict[tuple[int, LabelledSpan], None] = {}
        for rank in range(best.paths.size(1)):
            # A path that does not exist must not be read.
            valid = best.valid[:, rank].nonzero()[:, 0].tolist()
            on_path = tagset.spans_of_legal_paths(best.paths[valid, rank])
            spans.update({(valid[row], span): None for row, span in on_path})
        for segment, (text, offset) in enumerate(zip(texts, offsets, strict=True)):
            end = offset + int(batch.lengths[segment])
            for entity in samples[text].known.entities:
                if offset <= entity.start and entity.end <= end:
                    spans[segment, _shift(entity, -int(offset))] = None
        listed = sorted(spans)
        if not listed:
            continue
        log_probabilities = span_log_probabilities(chain, tagged_spans(listed, tagset))
        for (segment, span), value in zip(
            listed, log_probabilities.exp().tolist(), strict=True
        ):
            text, offset = texts[segment], int(offsets[segment])
            found[text][_shift(span, offset)] = value
    for sample, in_text in zip(samples, found, strict=True):
        annotated = set(sample.known.entities)
        tokens = {i for entity in annotated for i in range(entity.start, entity.end)}
        yield [
            FoundSpan(
                span,
                probability,
                span in annotated,
                not tokens.isdisjoint(range(span.start, span.end)),
            )
            for span, probability in sorted(in_text.items())
            if (span in annotated or probability >= _LEAST_PROBABILITY)
            # Where the type is complete it was not for annotators to leave any out.
            and not sample.known.is_complete_for(span)
        ]


def _shift(span: LabelledSpan, offset: int) -> LabelledSpan:
    return LabelledSpan(span.start + offset, span.end + offset, span.type)
