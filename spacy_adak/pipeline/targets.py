"""What is learnt from a batch of documents, as tensors."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy
import torch
from torch import Tensor

from ..annotation.known import allowed_tags, tagged_spans
from ..annotation.q_of_text import ChainEstimate, PathEstimate
from ..annotation.segments import SegmentBatch
from ..annotation.training_sample import Sample
from ..crf.chain import Chain
from ..crf.lattice import log_partition
from ..crf.losses import ChainQ, HardQ, Q
from ..crf.spans import TaggedSpan
from ..crf.tags import LabelledSpan, TagSet


class Targets(NamedTuple):
    """Facts about all tokens of a batch of documents."""

    allowed: Tensor  # (tokens, N) bool, by the annotation
    known: Tensor  # (tokens,) int64: the annotated tag, or O
    path: Tensor  # (tokens,) int64: the tag on the path of q
    doc: Tensor  # (tokens,) int64
    without_q: Tensor  # (tokens,) bool: nothing known or estimated of the document
    is_open: Tensor  # (documents,) bool: all that is allowed counts alike in its chain
    has_estimates: bool
    chain_q: Chain | None  # of all tokens at once, one "sentence" per document


class Segments(NamedTuple):
    """Some segments: the scores of the model, and what is learnt.

    chain (Chain): The scores of the model.
    batch (SegmentBatch): The tokens of the segments.
    targets (Targets): Facts about all tokens.
    ruled_out (list[TaggedSpan]): Spans in the segments that are no entities.
    tagset (TagSet): The tags.
    """

    chain: Chain
    batch: SegmentBatch
    targets: Targets
    ruled_out: list[TaggedSpan]
    tagset: TagSet

    def allowed(self) -> Tensor:
        """RETURNS (Tensor): (B, T, N) bool, the tags that the annotation allows."""
        return self.targets.allowed[self.batch.tokens]

    def known(self) -> Tensor:
        """RETURNS (Tensor): (B, T) the annotated tags, or O."""
        return self.targets.known[self.batch.tokens]

    def without_q(self) -> Tensor:
        """RETURNS (Tensor): (B,) bool: nothing is known or estimated of the text."""
        return self.targets.without_q[self.batch.tokens[:, 0]]

    def q(self) -> Q:
        """RETURNS (Q): The estimated distribution."""
        targets, tokens = self.targets, self.batch.tokens
        if targets.chain_q is None:
            return HardQ(targets.path[tokens])
        doc = targets.doc[tokens[:, 0]]
        chain = Chain(
            targets.chain_q.emissions[tokens],
            self.batch.lengths,
            targets.chain_q.transitions[doc],
            targets.chain_q.start[doc],
            targets.chain_q.end[doc],
        )
        # As in `uniform_q`, a constant is left out.
        log_normaliser = log_partition(chain).masked_fill(targets.is_open[doc], 0.0)
        return ChainQ(chain, log_normaliser)


def gather_targets(
    samples: Sequence[Sample],
    tagset: TagSet,
    shape_of_transitions: Sequence[int],
    device: torch.device,
    unknown_is_open: bool,
) -> Targets:
    """Collect what is learnt from documents.

    samples (Sequence[Sample]): What there is to learn from each.
    tagset (TagSet): The tags.
    shape_of_transitions (Sequence[int]): That of the scores of the model.
    device (torch.device): Where the tensors go.
    unknown_is_open (bool): What tokens are that are not known, if there is no estimate:
        anything that is allowed, or O.
    RETURNS (Targets): Facts about all tokens.
    """
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
    return Targets(
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
    """A chain that weights all paths through some tags alike, to be batched with
    others.

    tags (ndarray): (L, N) bool.
    RETURNS (ChainEstimate): The chain.
    """
    nodes = numpy.where(tags, 0.0, -numpy.inf).astype("float32")
    zeros = numpy.zeros(tags.shape[1], dtype="float32")
    return ChainEstimate(nodes, numpy.zeros((1, 1), dtype="float32"), zeros, zeros)


def ruled_out_in(
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
