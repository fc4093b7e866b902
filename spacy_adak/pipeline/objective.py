"""From scores and what is known to a loss and its gradient."""

from collections.abc import Sequence
from typing import NamedTuple

import torch

from ..annotation.segments import batch_segments
from ..annotation.training_sample import Sample
from ..crf.losses import ruled_out_loss
from ..crf.ratio import expected_entity_tokens
from ..crf.tags import TagSet
from .head import TagScores
from .losses import Loss, Progress
from .targets import Segments, gather_targets, ruled_out_in


class LossAndGradient(NamedTuple):
    """The loss of a batch, its gradient, and where it could not be computed.

    impossible (list[int]): Documents with a segment in which annotation and model
        allow no common path.
    """

    loss: float
    gradient: TagScores
    impossible: list[int]


def compute_loss(
    loss: Loss,
    progress: Progress,
    scores: TagScores,
    samples: Sequence[Sample],
    tagset: TagSet,
) -> LossAndGradient:
    """Compute the loss of a batch of documents.

    loss (Loss): What is learnt from.
    progress (Progress): How far the training is.
    scores (TagScores): The scores of the documents, which require a gradient.
    samples (Sequence[Sample]): What there is to learn from each document.
    tagset (TagSet): The tags.
    RETURNS (LossAndGradient): The mean over all segments, and what the expected share
        of entity tokens among all tokens costs, if the loss holds it to a target.
    """
    device = scores.emissions.device
    targets = gather_targets(
        samples, tagset, scores.transitions.shape, device, loss.unknown_is_open
    )
    entity_ratio = loss.entity_ratio(progress)
    total = scores.emissions.new_zeros((), dtype=torch.float64)
    entity_tokens = torch.zeros_like(total)
    n_segments = sum(len(sample.ends) for sample in samples)
    impossible: set[int] = set()
    for batch in batch_segments(
        [sample.ends for sample in samples], device, len(tagset)
    ):
        chain = scores.chain(batch)
        ruled_out = ruled_out_in(batch, samples, tagset)
        segments = Segments(chain, batch, targets, ruled_out, tagset)
        losses = loss.of_segments(segments, progress)
        if ruled_out:
            losses = losses + ruled_out_loss(chain, ruled_out)
        total = total + losses.sum() / n_segments
        if entity_ratio is not None:
            entity_tokens = entity_tokens + expected_entity_tokens(chain).sum()
        undefined = batch.tokens[~losses.isfinite(), 0]
        impossible.update(targets.doc[undefined].tolist())
    if entity_ratio is not None:
        total = total + entity_ratio.penalty(entity_tokens, len(targets.doc))
    gradient = torch.autograd.grad(total, scores)
    return LossAndGradient(total.item(), TagScores(*gradient), sorted(impossible))
