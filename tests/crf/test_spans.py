import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.chain import Chain
from spacy_adak.crf.spans import TaggedSpan, span_log_probabilities

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
