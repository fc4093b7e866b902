"""Fit the calibration of a pipeline to texts whose annotation is a fact."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy
from scipy.optimize import minimize
from scipy.special import expit
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from ..annotation.known import Known, preset_from_doc
from ..crf.calibration import IDENTITY, LEAST_FITTED, Calibration, log_odds
from ..crf.spans import probable_spans
from ..crf.tags import LabelledSpan
from ..data.origins import DECIDED_KEY
from .adak_ner import AdaKRecognizer
from .recognition import segment_chains, shift

_DOCS_AT_A_TIME = 256
# With fewer entities than this it would be fitted to chance. One that annotators mark
# with probability r counts r.
_FEWEST_ENTITIES = 30
# What a sensible model is not beyond: both slopes, and the bias.
_BOUNDS = [(0.05, 5.0), (0.05, 5.0), (-5.0, 5.0)]


class _Candidate(NamedTuple):
    """A span that the model finds possible.

    log_odds (float): How probable it is to the model.
    is_annotated (bool): Whether it is an annotated entity.
    recall (float): How probable it is that it was annotated, if it is an entity.
    """

    log_odds: float
    is_annotated: bool
    recall: float


def fit_calibration(
    nlp: Language,
    component: str,
    examples: Iterable[Example],
    annotation_recall: float | None = None,
    recall_per_type: Mapping[str, float] | None = None,
) -> Calibration:
    """Fit slopes and bias by maximum likelihood of the annotation. A span with the
    calibrated probability p is annotated with probability r · p, where r is 1 if its
    text is annotated completely, and the recall of the annotators if it is not.

    nlp (Language): The pipeline.
    component (str): The name of its `adak_ner` component.
    examples (Iterable[Example]): Annotated texts that the model was not trained on.
    annotation_recall (float | None): How many of the entities in texts with unknown
        tokens are annotated. Without it these texts are passed over.
    recall_per_type (Mapping[str, float] | None): The same for types that differ.
    RETURNS (Calibration): The calibration, which changes nothing if there are too few
        entities to fit it to.
    """
    recognizer = nlp.get_pipe(component)
    assert isinstance(recognizer, AdaKRecognizer)
    candidates = [
        candidate
        for batch in minibatch(examples, size=_DOCS_AT_A_TIME)
        for candidate in _read(
            nlp, recognizer, batch, annotation_recall, recall_per_type or {}
        )
    ]
    if sum(c.recall for c in candidates if c.is_annotated) < _FEWEST_ENTITIES:
        return IDENTITY
    odds, annotated, recall = map(numpy.array, zip(*candidates, strict=True))
    terms = numpy.stack(
        [numpy.minimum(odds, 0), numpy.maximum(odds, 0), numpy.ones_like(odds)]
    )
    with numpy.errstate(divide="ignore"):
        log_missed = numpy.log1p(-recall)

    def loss(parameters: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        value = parameters @ terms
        # log p and log(1 - r p) but for what does not depend on the parameters.
        found = -numpy.logaddexp(0, -value)
        left = numpy.logaddexp(0, value + log_missed) - numpy.logaddexp(0, value)
        change = numpy.where(annotated, 1.0, expit(value + log_missed)) - expit(value)
        return -numpy.where(annotated, found, left).sum(), -(terms @ change)

    start = numpy.array(IDENTITY)
    fitted = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=_BOUNDS)
    return Calibration(*fitted.x.tolist())


def _read(
    nlp: Language,
    recognizer: AdaKRecognizer,
    examples: Sequence[Example],
    annotation_recall: float | None,
    recall_per_type: Mapping[str, float],
) -> Iterator[_Candidate]:
    """All spans that are probable enough, and what is known of them."""
    tagset = recognizer.tagset
    names = nlp.pipe_names
    later = names[names.index(recognizer.name) :]
    examples = [example for example in examples if len(example.predicted)]
    list(nlp.pipe([example.predicted for example in examples], disable=later))
    docs, all_known, is_complete, annotated = [], [], [], []
    for example in examples:
        known = recognizer.read_sample(example).known
        has_unknown = bool(known.unknown().any())
        if has_unknown and annotation_recall is None:
            continue
        entities = set(known.entities)
        if has_unknown:
            decided = _decided(example)
            entities -= {e for e in decided if not known.is_complete_for(e)}
        docs.append(example.predicted)
        all_known.append(known)
        is_complete.append(not has_unknown)
        annotated.append(entities)
    if not docs:
        return
    presets = [
        preset_from_doc(doc, tagset, recognizer.max_segment_length) for doc in docs
    ]
    set_before = [set(preset.known.entities) for preset in presets]
    scores = recognizer.tag_scores(docs)
    for chain, places in segment_chains(scores, presets, tagset):
        for row, local, probability in probable_spans(chain, tagset, LEAST_FITTED):
            number, offset = places[row]
            span = shift(local, offset)
            if span in set_before[number]:
                continue
            recall = 1.0
            if not (is_complete[number] or _is_ruled_out(span, all_known[number])):
                assert annotation_recall is not None
                recall = recall_per_type.get(span.type, annotation_recall)
            yield _Candidate(log_odds(probability), span in annotated[number], recall)


def _decided(example: Example) -> set[LabelledSpan]:
    """What was accepted as a suggestion: annotators had left it out."""
    group = example.reference.spans.get(DECIDED_KEY, ())
    aligned = example.get_aligned_spans_y2x(group, allow_overlap=True)
    return {LabelledSpan(span.start, span.end, span.label_) for span in aligned}


def _is_ruled_out(span: LabelledSpan, known: Known) -> bool:
    """Whether it is stated that a span is no entity. That it overlaps another one is
    no such statement: of entities that nobody annotated it can't be seen."""
    is_outside = bool(known.outside[span.start : span.end].any())
    return is_outside or span in known.ruled_out or known.is_complete_for(span)
