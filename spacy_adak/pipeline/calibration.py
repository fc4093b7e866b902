"""Fit the calibration of a pipeline to texts whose annotation is a fact."""

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy
import torch
from scipy.optimize import minimize
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch
from torch import Tensor

from ..annotation.known import allowed_tags
from ..annotation.segments import batch_segments
from ..crf.calibration import IDENTITY, Calibration
from ..crf.chain import Chain
from ..crf.lattice import log_partition
from ..crf.tags import TagSet
from .adak_ner import AdaKRecognizer

_DOCS_AT_A_TIME = 256
# With fewer entities than this it would be fitted to chance.
_FEWEST_ENTITIES = 30
# What a sensible model is not beyond: log T, and c.
_BOUNDS = [(log(0.2), log(10.0)), (-5.0, 5.0)]


class _Segments(NamedTuple):
    """Some segments, and the weights of their tags by what is annotated."""

    chain: Chain
    log_weights: Tensor


def fit_calibration(
    nlp: Language,
    component: str,
    examples: Iterable[Example],
    annotation_recall: float | None = None,
) -> Calibration:
    """Fit temperature and entity cost by maximum likelihood of the annotation: of its
    one path where a text is annotated completely. Where it is not, of all paths that
    agree with it, each by how likely annotators would have left its other entities.

    nlp (Language): The pipeline.
    component (str): The name of its `adak_ner` component.
    examples (Iterable[Example]): Annotated texts that the model was not trained on.
    annotation_recall (float | None): How many of the entities in texts with unknown
        tokens are annotated. Without it these texts are passed over.
    RETURNS (Calibration): The calibration, which changes nothing if there are too few
        entities to fit it to.
    """
    recognizer = nlp.get_pipe(component)
    assert isinstance(recognizer, AdaKRecognizer)
    segments: list[_Segments] = []
    entities = 0
    for batch in minibatch(examples, size=_DOCS_AT_A_TIME):
        found, annotated = _read(nlp, recognizer, batch, annotation_recall)
        segments += found
        entities += annotated
    if entities < _FEWEST_ENTITIES:
        return IDENTITY

    def loss(parameters: numpy.ndarray) -> tuple[float, numpy.ndarray]:
        point = torch.tensor(parameters, dtype=torch.float64, requires_grad=True)
        calibration = Calibration(point[0].exp(), point[1])
        total = -_log_likelihood(segments, calibration, recognizer.tagset)
        (gradient,) = torch.autograd.grad(total, point)
        return total.item(), gradient.numpy()

    fitted = minimize(loss, numpy.zeros(2), jac=True, method="L-BFGS-B", bounds=_BOUNDS)
    log_temperature, entity_cost = fitted.x.tolist()
    return Calibration(float(numpy.exp(log_temperature)), entity_cost)


def _read(
    nlp: Language,
    recognizer: AdaKRecognizer,
    examples: Sequence[Example],
    annotation_recall: float | None,
) -> tuple[list[_Segments], int]:
    """Segments with what is known of them, and how many entities are annotated."""
    tagset = recognizer.tagset
    names = nlp.pipe_names
    later = names[names.index(recognizer.name) :]
    examples = [example for example in examples if len(example.predicted)]
    list(nlp.pipe([example.predicted for example in examples], disable=later))
    kept = []
    for example in examples:
        sample = recognizer.read_sample(example)
        if annotation_recall is not None or not sample.known.unknown().any():
            kept.append((example, sample))
    if not kept:
        return [], 0
    scores = recognizer.tag_scores([example.predicted for example, _ in kept])
    device = scores.emissions.device
    starting = tagset.starting_tags().numpy()
    weights = []
    for _, (known, _, _) in kept:
        allowed = allowed_tags(known, tagset)
        log_weights = numpy.where(allowed, 0.0, -numpy.inf)
        if annotation_recall is not None:
            unmarked = known.unknown()[:, None] & starting & allowed
            log_weights[unmarked] = numpy.log1p(-annotation_recall)
        weights.append(log_weights)
    all_weights = torch.from_numpy(numpy.concatenate(weights)).to(device)
    ends = [sample.ends for _, sample in kept]
    found = [
        _Segments(scores.chain(batch), all_weights[batch.tokens])
        for batch in batch_segments(ends, device)
    ]
    return found, sum(len(sample.known.entities) for _, sample in kept)


def _log_likelihood(
    segments: Sequence[_Segments], calibration: Calibration, tagset: TagSet
) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for chain, log_weights in segments:
        calibrated = calibration(chain, tagset)
        annotated = calibrated.with_node_weights(log_weights)
        # A text whose annotation the model has no path for says nothing.
        each = log_partition(annotated) - log_partition(calibrated)
        total = total + each[each.isfinite()].sum().cpu()
    return total
