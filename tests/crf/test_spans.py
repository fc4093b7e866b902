from collections import Counter
from itertools import product

import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.spans import (
    TaggedSpan,
    probable_spans,
    span_log_probabilities,
)
from spacy_adak.crf.tags import LabelledSpan, TagSet

from .brute_force import chains, probabilities


@given(st.data())
def test_span_probability_is_a_sum_of_path_probabilities(data: st.DataObject) -> None:
    chain = data.draw(chains().filter(lambda chain: bool(chain.lengths.any())))
    N = chain.emissions.size(2)
    spans, expected = [], []
    for _ in range(4):
        b = data.draw(st.sampled_from(chain.lengths.nonzero()[:, 0].tolist()))
        start = data.draw(st.integers(0, int(chain.lengths[b]) - 1))
        end = data.draw(st.integers(start + 1, int(chain.lengths[b])))
        tag = st.integers(0, N - 1)
        tags = data.draw(st.lists(tag, min_size=end - start, max_size=end - start))
        not_before = data.draw(st.none() | tag)
        spans.append(TaggedSpan(b, start, tags, not_before))
        expected.append(
            sum(
                probability
                for path, probability in probabilities(chain, b).items()
                if list(path[start:end]) == tags
                and (not_before is None or path[end : end + 1] != (not_before,))
            )
        )
    actual = span_log_probabilities(chain, spans).exp()
    torch.testing.assert_close(
        actual, torch.tensor(expected, dtype=torch.float64), rtol=1e-9, atol=1e-9
    )


@given(chains())
def test_no_span_has_no_probability(chain: Chain) -> None:
    assert span_log_probabilities(chain, []).shape == (0,)


def test_every_span_of_a_sentence_has_the_probability_of_its_paths() -> None:
    generator = torch.Generator().manual_seed(0)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    lengths = torch.tensor([2, 4])
    chain = Chain(scores(2, 4, 3), lengths, scores(3, 3), scores(3), scores(3))
    spans = [
        TaggedSpan(1, start, list(tags), not_before)
        for start in range(4)
        for size in range(1, 5 - start)
        for tags in product(range(3), repeat=size)
        for not_before in (None, 1, 2)
    ]
    paths = probabilities(chain, 1)
    expected = [
        sum(
            probability
            for path, probability in paths.items()
            if list(path[span.start : span.start + len(span.tags)]) == span.tags
            and path[span.start + len(span.tags) :][:1] != (span.not_before,)
        )
        for span in spans
    ]
    actual = span_log_probabilities(chain, spans).exp()
    torch.testing.assert_close(actual, torch.tensor(expected, dtype=torch.float64))


@given(st.data(), st.sampled_from(["BIO", "BILUO"]), st.floats(1e-6, 0.9))
def test_all_spans_above_the_threshold_are_found(
    data: st.DataObject, scheme: str, threshold: float
) -> None:
    tagset = TagSet(["A", "B"] if scheme == "BIO" else ["A"], scheme)
    N = len(tagset)
    chain = data.draw(chains(min_tags=N, max_tags=N))
    illegal = float("-inf")
    chain = chain._replace(
        transitions=chain.transitions.masked_fill(~tagset.legal_transitions(), illegal),
        start=chain.start.masked_fill(~tagset.legal_starts(), illegal),
        end=chain.end.masked_fill(~tagset.legal_ends(), illegal),
    )
    expected: Counter[tuple[int, LabelledSpan]] = Counter()
    for b in range(len(chain.lengths)):
        for path, probability in probabilities(chain, b).items():
            for span in tagset.decode(path):
                expected[b, span] += probability
    found = {
        (b, span): probability
        for b, span, probability in probable_spans(chain, tagset, threshold)
    }
    for key, probability in expected.items():
        assert abs(found.get(key, 0.0) - probability) < 1e-9 or (
            key not in found and probability < threshold * (1 + 1e-9)
        )
    assert found.keys() <= expected.keys()
    assert all(probability >= threshold * (1 - 1e-9) for probability in found.values())
