"""From scores and what is known to a loss and its gradient."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy
import torch
from torch import Tensor

from ..annotation.known import allowed_tags, entity_starting_tags, tagged_spans
from ..annotation.q_of_text import ChainEstimate, PathEstimate
from ..annotation.samples import Sample
from ..annotation.segments import SegmentBatch, batch_segments
from ..crf.chain import Chain
from ..crf.lattice import log_partition
from ..crf.losses import (
    ChainQ,
    HardQ,
    Q,
    adak,
    missing_q,
    negative_log_likelihood,
    ruled_out_loss,
    uniform_q,
)
from ..crf.ratio import EntityRatio, expected_entity_tokens
from ..crf.spans import TaggedSpan
from ..crf.tags import LabelledSpan, TagSet
from .head import TagScores

LossName = Literal["adak", "weighted", "missing", "ratio", "fuzzy", "crf"]


class LossAndGradient(NamedTuple):
    """The loss of a batch, its gradient, and where it could not be computed.

    impossible (list[int]): Documents with a segment in which annotation and model
        allow no common path.
    """

    loss: float
    gradient: TagScores
    impossible: list[int]


class Objective(NamedTuple):
    """Which loss to compute.

    loss (LossName): See the settings of the component. "ratio" goes by the q of texts
        that have one, as "weighted" does.
    k (int): K, for "adak".
    best_paths_weight (float): λ, for "adak".
    entity_ratio (EntityRatio | None): What "ratio" aims at, and only that.
    annotation_recall (float | None): r, for "missing" and only that.
    """

    loss: LossName
    k: int
    best_paths_weight: float
    entity_ratio: EntityRatio | None = None
    annotation_recall: float | None = None

    def __call__(
        self, scores: TagScores, samples: Sequence[Sample], tagset: TagSet
    ) -> LossAndGradient:
        """Compute the loss of a batch of documents.

        scores (TagScores): Their scores, which require a gradient.
        samples (Sequence[Sample]): What there is to learn from each document.
        tagset (TagSet): The tags.
        RETURNS (LossAndGradient): The mean over all segments; with "ratio" also what
            the expected share of entity tokens among all tokens costs.
        """
        device = scores.emissions.device
        unknown_is_open = self.loss == "ratio"
        tokens = _gather_tokens(
            samples, tagset, scores.transitions.shape, device, unknown_is_open
        )
        total = scores.emissions.new_zeros((), dtype=torch.float64)
        entity_tokens = torch.zeros_like(total)
        n_segments = sum(len(sample.ends) for sample in samples)
        impossible: set[int] = set()
        for batch in batch_segments(
            [sample.ends for sample in samples], device, len(tagset)
        ):
            ruled_out = _ruled_out_in(batch, samples, tagset)
            chain = scores.chain(batch)
            losses = self._segment_losses(chain, batch, tokens, ruled_out, tagset)
            total = total + losses.sum() / n_segments
            if self.entity_ratio is not None:
                entity_tokens = entity_tokens + expected_entity_tokens(chain).sum()
            undefined = batch.tokens[~losses.isfinite(), 0]
            impossible.update(tokens.doc[undefined].tolist())
        if self.entity_ratio is not None:
            total = total + self.entity_ratio.penalty(entity_tokens, len(tokens.doc))
        gradient = torch.autograd.grad(total, scores)
        return LossAndGradient(total.item(), TagScores(*gradient), sorted(impossible))

    def _segment_losses(
        self,
        chain: Chain,
        batch: SegmentBatch,
        tokens: "_Tokens",
        ruled_out: list[TaggedSpan],
        tagset: TagSet,
    ) -> Tensor:
        allowed = tokens.allowed[batch.tokens]
        if self.loss == "fuzzy" or (self.loss == "ratio" and not tokens.has_estimates):
            losses = negative_log_likelihood(chain, uniform_q(allowed))
        elif self.loss == "missing":
            log_weights = self._missing_log_weights(tagset).to(allowed.device)
            q = missing_q(allowed, log_weights)
            losses = negative_log_likelihood(chain, q)
        elif self.loss == "crf":
            losses = negative_log_likelihood(chain, HardQ(tokens.known[batch.tokens]))
        elif self.loss in ("weighted", "ratio"):
            losses = negative_log_likelihood(chain, tokens.q(batch))
        else:
            weight = torch.where(
                tokens.without_q[batch.tokens[:, 0]], 1.0, self.best_paths_weight
            )
            losses = adak(chain, tokens.q(batch), allowed, self.k, weight, ruled_out)
        if ruled_out:
            losses = losses + ruled_out_loss(chain, ruled_out)
        return losses

    def _missing_log_weights(self, tagset: TagSet) -> Tensor:
        """(N,): log(1 - r) for each entity that nobody has annotated."""
        assert self.annotation_recall is not None
        log_weights = torch.zeros(len(tagset))
        starting = entity_starting_tags(tagset)
        log_weights[starting] = torch.tensor(-self.annotation_recall).log1p()
        return log_weights


class _Tokens(NamedTuple):
    """Facts about all tokens of a batch of documents."""

    allowed: Tensor  # (tokens, N) bool, by the annotation
    known: Tensor  # (tokens,) int64: the annotated tag, or O
    path: Tensor  # (tokens,) int64: the tag on the path of q
    doc: Tensor  # (tokens,) int64
    without_q: Tensor  # (tokens,) bool: nothing known or estimated of the document
    is_open: Tensor  # (documents,) bool: all that is allowed counts alike in its chain
    has_estimates: bool
    chain_q: Chain | None  # of all tokens at once, one "sentence" per document

    def q(self, batch: SegmentBatch) -> Q:
        """RETURNS (Q): The estimated distribution for some segments."""
        if self.chain_q is None:
            return HardQ(self.path[batch.tokens])
        doc = self.doc[batch.tokens[:, 0]]
        chain = Chain(
            self.chain_q.emissions[batch.tokens],
            batch.lengths,
            self.chain_q.transitions[doc],
            self.chain_q.start[doc],
            self.chain_q.end[doc],
        )
        # As in `uniform_q`, a constant is left out.
        log_normaliser = log_partition(chain).masked_fill(self.is_open[doc], 0.0)
        return ChainQ(chain, log_normaliser)


def _gather_tokens(
    samples: Sequence[Sample],
    tagset: TagSet,
    shape_of_transitions: Sequence[int],
    device: torch.device,
    unknown_is_open: bool,
) -> _Tokens:
    """Without an estimate, tokens that are not known are O, or anything if open."""
    allowed = [allowed_tags(sample.known, tagset) for sample in samples]
    # A token that can't be O has one allowed tag, that of its entity.
    known = [numpy.where(tags[:, 0], 0, tags.argmax(1)) for tags in allowed]
    paths = [
        numpy.array(tagset.encode(sample.estimate.entities, len(tags)), dtype="int64")
        if isinstance(sample.estimate, PathEstimate)
        else tags
        for sample, tags in zip(samples, known, strict=True)
    ]
    lengths = [len(tags) for tags in known]
    doc = numpy.repeat(numpy.arange(len(samples)), lengths)
    without_q = numpy.array(
        [sample.estimate is None and sample.known.is_empty() for sample in samples]
    )

    def tensor(array: numpy.ndarray) -> Tensor:
        return torch.from_numpy(array).to(device)

    chain_q = None
    has_estimates = any(sample.estimate is not None for sample in samples)
    is_open = [unknown_is_open and sample.estimate is None for sample in samples]
    if any(isinstance(sample.estimate, ChainEstimate) for sample in samples) or (
        has_estimates and any(is_open)
    ):
        estimates = [
            sample.estimate
            if isinstance(sample.estimate, ChainEstimate)
            else _as_chain(
                tags if open_ else path[:, None] == numpy.arange(len(tagset))
            )
            for sample, path, tags, open_ in zip(
                samples, paths, allowed, is_open, strict=True
            )
        ]
        chain_q = Chain(
            tensor(numpy.concatenate([estimate.nodes for estimate in estimates])),
            torch.tensor(lengths, device=device),
            tensor(
                numpy.stack(
                    [
                        numpy.broadcast_to(estimate.transitions, shape_of_transitions)
                        for estimate in estimates
                    ]
                )
            ),
            tensor(numpy.stack([estimate.start for estimate in estimates])),
            tensor(numpy.stack([estimate.end for estimate in estimates])),
        )
    return _Tokens(
        tensor(numpy.concatenate(allowed)),
        tensor(numpy.concatenate(known)),
        tensor(numpy.concatenate(paths)),
        tensor(doc),
        tensor(without_q[doc]),
        torch.tensor(is_open, device=device),
        has_estimates,
        chain_q,
    )


def _as_chain(tags: numpy.ndarray) -> ChainEstimate:
    """All paths through some tags alike, as a chain to stand in a batch beside others.

    tags (ndarray): (L, N) bool.
    RETURNS (ChainEstimate): The chain.
    """
    nodes = numpy.where(tags, 0.0, -numpy.inf).astype("float32")
    zeros = numpy.zeros(tags.shape[1], dtype="float32")
    return ChainEstimate(nodes, numpy.zeros((1, 1), dtype="float32"), zeros, zeros)


def _ruled_out_in(
    batch: SegmentBatch, samples: Sequence[Sample], tagset: TagSet
) -> list[TaggedSpan]:
    """The ruled out spans within segments of a batch. One that is cut needs no
    ruling out, as no path can hold it."""
    if not any(sample.known.ruled_out for sample in samples):
        return []
    found: list[tuple[int, LabelledSpan]] = []
    starts = batch.tokens[:, 0].cpu().numpy()
    ends = starts + batch.lengths.cpu().numpy()
    offset = 0
    for sample in samples:
        for span in sample.known.ruled_out:
            start, end = offset + span.start, offset + span.end
            for segment in numpy.flatnonzero((starts <= start) & (end <= ends)):
                first = start - int(starts[segment])
                local = LabelledSpan(first, first + end - start, span.type)
                found.append((int(segment), local))
        offset += len(sample.known.outside)
    return tagged_spans(found, tagset)
