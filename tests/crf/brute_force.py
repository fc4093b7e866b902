"""Random small chains, and everything about them by listing all paths."""

from itertools import pairwise, product
from math import exp
from typing import NamedTuple

import torch
from hypothesis import strategies as st
from torch import Tensor

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.lattice import log_partition
from spacy_adak.crf.losses import ChainQ, interpolated_q
from spacy_adak.crf.typed_transitions import EXTRA_COLUMNS, are_by_type

INF = float("inf")


class Path(NamedTuple):
    tags: tuple[int, ...]
    score: float


def legal_paths(chain: Chain, sentence: int) -> list[Path]:
    """All paths of one sentence with a finite score, best first."""
    chain = chain.detach()
    transitions = _of_sentence(chain.transitions, 2, sentence)
    if are_by_type(transitions):
        transitions = as_matrix(transitions)
    # Numbers of Python: a tensor takes long to hand out thousands of its own.
    length = int(chain.lengths[sentence])
    emissions = chain.emissions[sentence, :length].tolist()
    moves = transitions.tolist()
    start = _of_sentence(chain.start, 1, sentence).tolist()
    end = _of_sentence(chain.end, 1, sentence).tolist()
    paths = []
    for tags in product(range(chain.emissions.size(2)), repeat=length):
        score = sum(row[tag] for row, tag in zip(emissions, tags, strict=True))
        if tags:
            score += start[tags[0]] + end[tags[-1]]
        score += sum(moves[left][right] for left, right in pairwise(tags))
        if score > -INF:
            paths.append(Path(tags, float(score)))
    return sorted(paths, key=lambda path: -path.score)


def _of_sentence(scores: Tensor, dims: int, sentence: int) -> Tensor:
    """The scores of one sentence, be they its own or shared."""
    return scores if scores.dim() == dims else scores[sentence]


def as_matrix(transitions: Tensor) -> Tensor:
    """The score of each move, from transitions as there are with many types."""
    if transitions.dim() == 3:
        return torch.stack([as_matrix(own) for own in transitions])
    N, P = len(transitions), transitions.size(1) - EXTRA_COLUMNS
    to_outside, from_outside, leave, enter = transitions[:, P:].unbind(1)

    def score(left: int, right: int) -> Tensor:
        if right == 0:
            return to_outside[left]
        if left == 0:
            return from_outside[right]
        if (left - 1) // P == (right - 1) // P:
            return transitions[left, (right - 1) % P]
        return leave[left] + enter[right]

    rows = [torch.stack([score(i, j) for j in range(N)]) for i in range(N)]
    return torch.stack(rows)


def log_sum(scores: list[float]) -> float:
    return float(torch.tensor(scores, dtype=torch.float64).logsumexp(0))


def log_partitions(chain: Chain) -> Tensor:
    return torch.tensor(
        [
            log_sum([path.score for path in legal_paths(chain, b)])
            for b in range(len(chain.lengths))
        ],
        dtype=torch.float64,
    )


def probabilities(chain: Chain, sentence: int) -> dict[tuple[int, ...], float]:
    paths = legal_paths(chain, sentence)
    log_z = log_sum([path.score for path in paths])
    return {path.tags: exp(path.score - log_z) for path in paths}


@st.composite
def chains(
    draw: st.DrawFn,
    dtype: torch.dtype = torch.float64,
    max_tokens: int = 5,
    min_tags: int = 1,
    max_tags: int = 5,
    per_sentence: bool | None = None,
    always_legal: bool = False,
) -> Chain:
    """A ragged batch with forbidden nodes and moves, in all shapes and scales."""
    lengths = draw(st.lists(st.integers(0, max_tokens), min_size=1, max_size=3))
    B, T = len(lengths), max(1, *lengths) if len(lengths) > 1 else max(1, lengths[0])
    N = draw(st.integers(min_tags, max_tags))
    scale = draw(st.sampled_from([0.0, 1.0, 50.0, 3000.0]))
    forbidden = 0.0 if always_legal else draw(st.sampled_from([0.0, 0.2, 0.6]))
    whole_numbers = draw(st.booleans())  # many ties
    if per_sentence is None:
        per_sentence = draw(st.booleans())
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))

    def scores(*shape: int) -> Tensor:
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        values = values.round() if whole_numbers else values
        mask = torch.rand(shape, generator=generator) < forbidden
        return (values * scale).to(dtype).masked_fill(mask, -INF)

    lead = (B,) if per_sentence else ()
    return Chain(
        scores(B, T, N),
        torch.tensor(lengths),
        scores(*lead, N, N),
        scores(*lead, N),
        scores(*lead, N),
    )


@st.composite
def allowed_tags(draw: st.DrawFn, chain: Chain) -> Tensor:
    """A random mask over the tags of a chain; at times nothing is allowed."""
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))
    share = draw(st.sampled_from([0.3, 0.7, 1.0]))
    return torch.rand(chain.emissions.shape, generator=generator) < share


def sentence_of(chain: Chain, b: int) -> Chain:
    """One sentence of a batch as a batch of its own, without padding."""
    length = max(1, int(chain.lengths[b]))
    per_sentence = chain.transitions.dim() == 3
    pick = slice(b, b + 1)
    return Chain(
        chain.emissions[pick, :length],
        chain.lengths[pick],
        chain.transitions[pick] if per_sentence else chain.transitions,
        chain.start[pick] if per_sentence else chain.start,
        chain.end[pick] if per_sentence else chain.end,
    )


def interpolated(
    fold_model: Chain, allowed: torch.Tensor, temperature: float
) -> ChainQ:
    """RETURNS (ChainQ): Interpolated q with its normaliser."""
    q = interpolated_q(fold_model, allowed, temperature)
    return ChainQ(q, log_partition(q))
