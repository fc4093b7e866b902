"""From scores and what is known to a loss and its gradient."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy
import torch
from torch import Tensor

from ..crf.chain import Chain
from ..crf.lattice import TaggedSpan
from ..crf.losses import (
    HardQ,
    adak,
    negative_log_likelihood,
    ruled_out_loss,
    uniform_q,
)
from ..crf.tags import LabelledSpan, TagSet
from .head import TagScores
from .segments import SegmentBatch, batch_segments
from .targets import Known, allowed_tags, tagged_spans

LossName = Literal["adak", "fuzzy", "crf"]


class LossAndGradient(NamedTuple):
    """The mean loss of all segments, its gradient, and where it could not be computed.

    impossible (list[int]): Documents with a segment in which annotation and model
        allow no common path.
    """

    loss: float
    gradient: TagScores
    impossible: list[int]


class Objective(NamedTuple):
    """Which loss to compute.

    loss (LossName): See the settings of the component.
    k (int): K, for "adak".
    best_paths_weight (float): λ, for "adak".
    """

    loss: LossName
    k: int
    best_paths_weight: float

    def __call__(
        self,
        scores: TagScores,
        knowns: Sequence[Known],
        ends: Sequence[Sequence[int]],
        tagset: TagSet,
    ) -> LossAndGradient:
        """Compute the loss of a batch of documents.

        scores (TagScores): Their scores, which require a gradient.
        knowns (Sequence[Known]): What is known of each document.
        ends (Sequence[Sequence[int]]): Where the segments of each document end.
        tagset (TagSet): The tags.
        RETURNS (LossAndGradient): The mean over all segments.
        """
        device = scores.emissions.device
        allowed = numpy.concatenate([allowed_tags(known, tagset) for known in knowns])
        # A token that can't be O has one allowed tag, that of its entity.
        path = numpy.where(allowed[:, 0], 0, allowed.argmax(1))
        doc_of_token = numpy.repeat(
            numpy.arange(len(knowns)), [len(known.outside) for known in knowns]
        )
        nothing_known = numpy.array([known.is_empty() for known in knowns])
        tokens = _Tokens(
            torch.from_numpy(allowed).to(device),
            torch.from_numpy(path).to(device),
            torch.from_numpy(doc_of_token).to(device),
            torch.from_numpy(nothing_known[doc_of_token]).to(device),
        )
        total = scores.emissions.new_zeros((), dtype=torch.float64)
        n_segments = sum(len(doc_ends) for doc_ends in ends)
        impossible: set[int] = set()
        for batch in batch_segments(ends, device):
            ruled_out = _ruled_out_in(batch, knowns, tagset)
            losses = self._segment_losses(scores.chain(batch), batch, tokens, ruled_out)
            total = total + losses.sum() / n_segments
            undefined = batch.tokens[~losses.isfinite(), 0]
            impossible.update(tokens.doc[undefined].tolist())
        gradient = torch.autograd.grad(total, scores)
        return LossAndGradient(total.item(), TagScores(*gradient), sorted(impossible))

    def _segment_losses(
        self,
        chain: Chain,
        batch: SegmentBatch,
        tokens: "_Tokens",
        ruled_out: list[TaggedSpan],
    ) -> Tensor:
        allowed = tokens.allowed[batch.tokens]
        if self.loss == "fuzzy":
            losses = negative_log_likelihood(chain, uniform_q(allowed, batch.lengths))
        else:
            q = HardQ(tokens.path[batch.tokens])
            if self.loss == "crf":
                losses = negative_log_likelihood(chain, q)
            else:
                # Where nothing is known, q knows nothing either.
                first_tokens = batch.tokens[:, 0]
                weight = torch.where(
                    tokens.nothing_known[first_tokens], 1.0, self.best_paths_weight
                )
                losses = adak(chain, q, allowed, self.k, weight, ruled_out)
        if ruled_out:
            losses = losses + ruled_out_loss(chain, ruled_out)
        return losses


class _Tokens(NamedTuple):
    """Facts about all tokens of a batch of documents."""

    allowed: Tensor  # (tokens, N) bool
    path: Tensor  # (tokens,) int64: the known tag, or O
    doc: Tensor  # (tokens,) int64
    nothing_known: Tensor  # (tokens,) bool: of the whole document


def _ruled_out_in(
    batch: SegmentBatch, knowns: Sequence[Known], tagset: TagSet
) -> list[TaggedSpan]:
    """The ruled out spans within segments of a batch. One that is cut needs no
    ruling out, as no path can hold it."""
    found: list[tuple[int, LabelledSpan]] = []
    starts = batch.tokens[:, 0].cpu().numpy()
    ends = starts + batch.lengths.cpu().numpy()
    offset = 0
    for known in knowns:
        for span in known.ruled_out:
            start, end = offset + span.start, offset + span.end
            for segment in numpy.flatnonzero((starts <= start) & (end <= ends)):
                first = start - int(starts[segment])
                local = LabelledSpan(first, first + end - start, span.type)
                found.append((int(segment), local))
        offset += len(known.outside)
    return tagged_spans(found, tagset)
