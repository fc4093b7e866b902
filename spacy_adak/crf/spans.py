"""The exact probability of a labelled span."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .chain import Chain, add_border
from .lattice import Messages, node_marginals, run_messages

_NEGATIVE_INFINITY = float("-inf")


class TaggedSpan(NamedTuple):
    """A run of tokens with given tags, and possibly a tag that must not come next.

    sentence (int): Which sentence of the batch.
    start (int): The first token.
    tags (Sequence[int]): One tag per token.
    not_before (int | None): A tag, other than O, that the token after the span must
        not have.
    """

    sentence: int
    start: int
    tags: Sequence[int]
    not_before: int | None = None


def span_log_probabilities(chain: Chain, spans: Sequence[TaggedSpan]) -> Tensor:
    """The exact log-probability that a path holds a span. No gradient.

    Given the tags up to a token, a CRF is a Markov chain: the probability of a span is
    that of its first tag times those of the moves through it.

    chain (Chain): The scores.
    spans (Sequence[TaggedSpan]): The spans.
    RETURNS (Tensor): (len(spans),) float64; -inf in a sentence without a legal path.
    """
    if not spans:
        return chain.emissions.new_zeros(0, dtype=torch.float64)
    messages = run_messages(add_border(chain.detach()))
    # One row per move: the span it belongs to, its sentence, the position it goes to,
    # the tag it leaves, the tag it reaches, and whether it must reach or avoid it.
    moves = [
        (i, span.sentence, span.start + k + 1, tag, target, avoided)
        for i, span in enumerate(spans)
        for k, (tag, (target, avoided)) in enumerate(
            zip(span.tags, _targets(span), strict=False)
        )
    ]
    device = chain.emissions.device
    starts = [(span.start, span.sentence, span.tags[0]) for span in spans]
    first = torch.tensor(starts, dtype=torch.long).view(-1, 3)
    start, sentence, tag = first.to(device).unbind(1)
    log_probability = node_marginals(messages)[start, sentence, tag].log()
    index = torch.tensor(moves, dtype=torch.long).view(-1, 6).to(device)
    owner, sentence, position, tag, target, avoided = index.unbind(1)
    log_moves = _log_moves(messages, sentence, position, tag)
    reached = torch.arange(log_moves.size(1), device=device) == target.unsqueeze(1)
    possible = reached != avoided.bool().unsqueeze(1)
    log_moves.masked_fill_(~possible, _NEGATIVE_INFINITY)
    return log_probability.index_add(0, owner, torch.logsumexp(log_moves, 1))


def _targets(span: TaggedSpan) -> list[tuple[int, bool]]:
    """Where the moves through a span must go, or with True, must not go."""
    targets = [(tag, False) for tag in span.tags[1:]]
    return targets if span.not_before is None else [*targets, (span.not_before, True)]


def _log_moves(
    messages: Messages, sentence: Tensor, position: Tensor, tag: Tensor
) -> Tensor:
    """(M, N + 1): log-probabilities of the tag at a position, given the one before."""
    log_weights = messages.weights.log_away_from(sentence, tag)
    log_moves = log_weights + messages.backward_after[position, sentence].log()
    for u, unsafe_sentence in enumerate(messages.unsafe.tolist()):
        rows = (sentence == unsafe_sentence).nonzero()[:, 0]
        tags = tag[rows]
        scores = messages.log_moves.away_from(torch.full_like(tags, u), tags)
        log_moves[rows] = scores + messages.log_backward[position[rows], u]
    return log_moves.log_softmax(1).nan_to_num_(nan=_NEGATIVE_INFINITY)
