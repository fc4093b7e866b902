"""All readings of a few tokens, one by one."""

import torch

from spacy_adak.annotation.segments import batch_segments
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.pipeline.head import TagScores
from tests.crf.brute_force import legal_paths, log_sum


def random_scores(tagset: TagSet, n_tokens: int, seed: int = 0) -> TagScores:
    generator = torch.Generator().manual_seed(seed)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    N, minus_infinity = len(tagset), -torch.inf
    return TagScores(
        scores(n_tokens, N),
        scores(N, N).masked_fill(~tagset.legal_transitions(), minus_infinity),
        scores(N).masked_fill(~tagset.legal_starts(), minus_infinity),
        scores(N).masked_fill(~tagset.legal_ends(), minus_infinity),
    )


def tokens_of(scores: TagScores, start: int, end: int) -> TagScores:
    return scores._replace(emissions=scores.emissions[start:end])


Reading = tuple[LabelledSpan, ...]


def log_weights(scores: TagScores, tagset: TagSet) -> dict[Reading, float]:
    """The scores of all readings of one segment."""
    (batch,) = batch_segments([[len(scores.emissions)]], torch.device("cpu"))
    paths = legal_paths(scores.chain(batch), 0)
    return {tuple(tagset.decode(path.tags)): path.score for path in paths}


def probabilities(
    scores: TagScores, tagset: TagSet, allowed: set[Reading] | None = None
) -> dict[Reading, float]:
    """The probabilities of all readings of one segment, or of those allowed."""
    weights = log_weights(scores, tagset)
    if allowed is not None:
        weights = {reading: weights[reading] for reading in allowed}
    log_z = log_sum(list(weights.values()))
    return {
        reading: float(torch.tensor(weight - log_z).exp())
        for reading, weight in weights.items()
    }
