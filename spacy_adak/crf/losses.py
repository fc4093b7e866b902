"""The losses of the paper and of its baselines, as one family.

Each is a negative log-likelihood of a distribution q over tag paths (Eq. 4); they
differ in q alone:

    crf       q is one path, in which unknown tokens are O
    fuzzy     q is uniform over the paths that the annotation allows
    missing   q is proportional to (1 - r)^n over the same paths, n the entities of a
              path that are not annotated: the likelihood of the annotation, if each
              entity is annotated with probability r. r = 0 is fuzzy, r = 1 is crf
    weighted  q is estimated: one path (hard), a product of marginals (soft), or a fold
              model's distribution at a temperature (interpolated, Eq. 6)
    adak      any q, and also the K best paths (Eq. 5 and 7)

All values are per sentence. A sentence that has no path with a positive probability
under both q and the model has the loss +inf. Check for it before you average.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .chain import Chain, path_scores
from .decode import kbest
from .lattice import log_partition, marginals
from .spans import TaggedSpan

_NEGATIVE_INFINITY = float("-inf")


class HardQ(NamedTuple):
    """All mass on one path.

    path (Tensor): (B, T) int64.
    """

    path: Tensor

    def log_overlap(self, chain: Chain) -> Tensor:
        """RETURNS (Tensor): (B,) log of the sum over y of q(y) exp(score(y))."""
        return path_scores(chain, self.path.unsqueeze(1)).squeeze(1)


class ChainQ(NamedTuple):
    """A distribution that is itself a chain, up to a constant.

    Its product with the model's chain is a chain again, so the sum over all paths is
    one exact log-partition.

    chain (Chain): log q(y) + log_normaliser is the score of y; -inf outside of the
        paths that annotation and mask allow.
    log_normaliser (Tensor): (B,).
    """

    chain: Chain
    log_normaliser: Tensor

    def log_overlap(self, chain: Chain) -> Tensor:
        """RETURNS (Tensor): (B,) log of the sum over y of q(y) exp(score(y))."""
        product = Chain(
            chain.emissions + self.chain.emissions,
            chain.lengths,
            chain.transitions + self.chain.transitions,
            chain.start + self.chain.start,
            chain.end + self.chain.end,
        )
        return log_partition(product) - self.log_normaliser


class NodeQ(NamedTuple):
    """A distribution that weights each tag of each token separately, up to a constant
    that does not change the gradient.

    log_weights (Tensor): (B, T, N); -inf outside of the paths that annotation and mask
        allow.
    """

    log_weights: Tensor

    def log_overlap(self, chain: Chain) -> Tensor:
        """RETURNS (Tensor): (B,) log of the sum over y of q(y) exp(score(y))."""
        return log_partition(chain.with_node_weights(self.log_weights))


Q = HardQ | ChainQ | NodeQ


def uniform_q(allowed: Tensor) -> NodeQ:
    """The q of the fuzzy CRF: each allowed path counts the same.

    allowed (Tensor): (B, T, N) bool, the tags each token may have.
    RETURNS (NodeQ): q.
    """
    no_weights = torch.zeros(allowed.size(2), device=allowed.device)
    return missing_q(allowed, no_weights)


def missing_q(allowed: Tensor, log_weights: Tensor) -> NodeQ:
    """The q of annotations that miss entities: an allowed path counts the less, the
    more it says that nobody has annotated.

    allowed (Tensor): (B, T, N) bool, the tags each token may have.
    log_weights (Tensor): (N,), what each tag weighs where the annotation leaves the
        tag open: log(1 - r) if it begins an entity, else 0. -inf is fine.
    RETURNS (NodeQ): q.
    """
    is_open = allowed.sum(2, keepdim=True) > 1
    nodes = torch.where(is_open, log_weights, torch.zeros_like(log_weights))
    return NodeQ(nodes.masked_fill(~allowed, _NEGATIVE_INFINITY))


def soft_q(fold_model: Chain, allowed: Tensor) -> NodeQ:
    """q as the product of a fold model's marginals over the allowed paths.

    fold_model (Chain): The scores of a fold model, or the mean of several.
    allowed (Tensor): (B, T, N) bool, the tags each token may have.
    RETURNS (NodeQ): q; it sums to one over all sequences of tags, legal or not.
    """
    return NodeQ(marginals(fold_model.allowing(allowed)).log_())


def interpolated_q(fold_model: Chain, allowed: Tensor, temperature: float) -> Chain:
    """q(y) proportional to p(y)^(1/T) over the allowed paths (Eq. 6), up to a constant.

    T = 1 is the fold model's own distribution, T towards 0 its best path.

    fold_model (Chain): The scores of a fold model, or the mean of several.
    allowed (Tensor): (B, T, N) bool, the tags each token may have.
    temperature (float): T > 0.
    RETURNS (Chain): The log of q as scores; its normaliser is their log-partition.
    """
    chain = fold_model.detach().allowing(allowed)
    # In float64: a low temperature blows up the rounding errors of the scores.
    return chain._replace(
        emissions=chain.emissions.double() / temperature,
        transitions=chain.transitions.double() / temperature,
        start=chain.start.double() / temperature,
        end=chain.end.double() / temperature,
    )


def negative_log_likelihood(chain: Chain, q: Q) -> Tensor:
    """-log of the sum over y of q(y) p(y) (Eq. 4; Eq. 2 if q is one path).

    chain (Chain): The model's scores.
    q (Q): The distribution to learn.
    RETURNS (Tensor): (B,) float64.
    """
    return log_partition(chain) - q.log_overlap(chain)


def adak(
    chain: Chain,
    q: Q,
    allowed: Tensor,
    k: int,
    weight: float | Tensor,
    ruled_out: Sequence[TaggedSpan] = (),
) -> Tensor:
    """The adaptive K-best loss (Eq. 5; Eq. 7 if q respects the candidate mask).

    chain (Chain): The model's scores.
    q (Q): The distribution to learn.
    allowed (Tensor): (B, T, N) bool, the tags that agree with the annotation. The K
        best paths are searched among these.
    k (int): K.
    weight (float | Tensor): λ, for the batch or (B,) per sentence. With λ = 1 q is not
        looked at, with λ = 0 the K best paths are not.
    ruled_out (Sequence[TaggedSpan]): Spans that none of the K best paths may hold. A
        sentence all of whose K best paths hold one has no K-best part.
    RETURNS (Tensor): (B,) float64.
    """
    log_z = log_partition(chain)
    best = kbest(chain.allowing(allowed), k)
    usable = best.valid
    for span in ruled_out:
        usable[span.sentence] &= ~_holds(best.paths[span.sentence], span)
    # Decoding has no gradient; the scores of the paths it found have one.
    best_scores = path_scores(chain, best.paths).masked_fill(
        ~usable, _NEGATIVE_INFINITY
    )
    weight = torch.as_tensor(weight, dtype=log_z.dtype, device=log_z.device)
    # A part without weight may be infinite: it is left out, not multiplied by zero.
    no_best = (weight == 0) | (best.scores.isfinite().any(1) & ~usable.any(1))
    q_part = (log_z - q.log_overlap(chain)).masked_fill(weight == 1, 0.0)
    best_part = (log_z - torch.logsumexp(best_scores, 1)).masked_fill(no_best, 0.0)
    return (1 - weight) * q_part + weight * best_part


def ruled_out_loss(chain: Chain, spans: Sequence[TaggedSpan]) -> Tensor:
    """The negative log-probability of *not* seeing some spans: -log(1 - p(span)).

    chain (Chain): The model's scores.
    spans (Sequence[TaggedSpan]): What is known not to be there.
    RETURNS (Tensor): (B,) float64; each sentence's spans are added up.
    """
    device = chain.emissions.device
    # A path without a span leaves it at some token. Summing over these ways, and not
    # taking p from 1, keeps the gradient of a span that is all but certain.
    ways = [
        (i, span, token)
        for i, span in enumerate(spans)
        for token in range(span.start, _end_of_ways(span, chain))
    ]
    picked = chain.pick(torch.tensor([span.sentence for _, span, _ in ways]).to(device))
    allowed = torch.ones_like(picked.emissions, dtype=torch.bool)
    for row, (_, span, token) in zip(allowed, ways, strict=True):
        _leave(row, span, token)
    weights = log_partition(picked.allowing(allowed))
    owner = torch.tensor([i for i, _, _ in ways], device=device)
    is_own = owner == torch.arange(len(spans), device=device).unsqueeze(1)
    log_without = torch.logsumexp(weights.where(is_own, _NEGATIVE_INFINITY), 1)
    sentences = torch.tensor([span.sentence for span in spans], device=device)
    losses = log_partition(chain.pick(sentences)) - log_without
    return losses.new_zeros(len(chain.lengths)).index_add(0, sentences, losses)


def _end_of_ways(span: TaggedSpan, chain: Chain) -> int:
    """Behind the last token at which a path can leave a span."""
    end = span.start + len(span.tags)
    is_followed = end < int(chain.lengths[span.sentence])
    return end + (span.not_before is not None and is_followed)


def _leave(allowed: Tensor, span: TaggedSpan, token: int) -> None:
    """Restrict a sentence (T, N) to paths that hold a span up to a token, but not
    there."""
    for i, tag in enumerate(span.tags[: token - span.start], span.start):
        allowed[i] = False
        allowed[i, tag] = True
    if token < span.start + len(span.tags):
        allowed[token, span.tags[token - span.start]] = False
    else:
        allowed[token] = False
        allowed[token, span.not_before] = True


def _holds(paths: Tensor, span: TaggedSpan) -> Tensor:
    """(K,) bool: which of a sentence's (K, T) paths hold a span."""
    end = span.start + len(span.tags)
    tags = torch.tensor(list(span.tags), device=paths.device)
    held = (paths[:, span.start : end] == tags).all(1)
    if span.not_before is not None and end < paths.size(1):
        held &= paths[:, end] != span.not_before
    return held


def annealed_weight(step: int, total_steps: int, gamma: float) -> float:
    """λ(b) = exp[γ(b/B - 1)], which rises from exp(-γ) to 1.

    step (int): b, the training step. Beyond the last planned step λ stays 1.
    total_steps (int): B, the planned number of steps.
    gamma (float): γ, how late λ rises.
    RETURNS (float): λ.
    """
    return math.exp(gamma * (min(step / total_steps, 1.0) - 1.0))
