"""The exact probability of a labelled span, and all spans that are probable."""

from collections.abc import Sequence
from math import exp, log
from typing import NamedTuple

import torch
from torch import Tensor

from .chain import Chain, add_border
from .lattice import Messages, node_marginals, run_messages
from .tags import LabelledSpan, TagSet

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


def probable_spans(
    chain: Chain, tagset: TagSet, threshold: float
) -> list[tuple[int, LabelledSpan, float]]:
    """Find all spans that are at least so probable, whether on the best path or not.
    No gradient.

    A span grows by one token at a time from each tag that starts one. Its probability
    only falls on the way, so that what is below the threshold is not looked at further.

    chain (Chain): The scores, in which only legal moves are possible.
    tagset (TagSet): The tags.
    threshold (float): A probability above 0.
    RETURNS (list[tuple[int, LabelledSpan, float]]): Sentences, spans and their exact
        probabilities, in order.
    """
    messages = run_messages(add_border(chain.detach()))
    device = chain.emissions.device
    least = log(threshold)
    starting = tagset.starting_tags().to(device)
    T, N = chain.emissions.shape[1:]
    log_nodes = node_marginals(messages)[:T, :, :N].log()
    is_start = (log_nodes >= least) & starting
    position, sentence, tag = is_start.nonzero().unbind(1)
    log_probability = log_nodes[is_start]
    first, first_tag = position, tag
    # What goes on with an entity: a tag that can't be reached from outside of one.
    goes_on = torch.zeros((N, N + 1), dtype=torch.bool, device=device)
    goes_on[:, :N] = tagset.legal_transitions().to(device) & ~tagset.legal_starts().to(
        device
    )
    found = []
    while len(position):
        log_moves = _log_moves(messages, sentence, position + 1, tag)
        continued = goes_on[tag]
        ended = log_probability + log_moves.masked_fill(
            continued, _NEGATIVE_INFINITY
        ).logsumexp(1)
        columns = (sentence, first, position + 1, first_tag, ended)
        rows = [column[ended >= least].tolist() for column in columns]
        found += list(zip(*rows, strict=True))
        longer = log_probability.unsqueeze(1) + log_moves.masked_fill(
            ~continued, _NEGATIVE_INFINITY
        )
        row, target = (longer >= least).nonzero().unbind(1)
        log_probability = longer[row, target]
        sentence, first, first_tag = sentence[row], first[row], first_tag[row]
        position, tag = position[row] + 1, target
    types = [tag.partition("-")[2] for tag in tagset.tags]
    return sorted(
        (sentence, LabelledSpan(start, end, types[tag]), exp(log_probability))
        for sentence, start, end, tag, log_probability in found
    )


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
