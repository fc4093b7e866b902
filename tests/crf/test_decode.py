import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf.chain import Chain, path_scores
from spacy_adak.crf.decode import kbest, viterbi

from .brute_force import INF, allowed_tags, chains, legal_paths, sentence_of


@given(chains(), st.sampled_from([1, 2, 3, 5, 9, 40]))
def test_kbest_finds_the_best_paths_in_order(chain: Chain, k: int) -> None:
    best = kbest(chain, k)
    for b, length in enumerate(chain.lengths.tolist()):
        legal = {path.tags: path.score for path in legal_paths(chain, b)}
        expected = sorted(legal.values(), reverse=True)[:k]
        assert best.valid[b].sum() == len(expected)
        found = [
            tuple(path[:length]) for path in best.paths[b, : len(expected)].tolist()
        ]
        assert len(set(found)) == len(found)
        assert [legal[path] for path in found] == pytest.approx(expected, rel=1e-12)


@given(st.data())
def test_constrained_kbest_keeps_to_the_allowed_tags(data: st.DataObject) -> None:
    chain = data.draw(chains())
    allowed = data.draw(allowed_tags(chain))
    best = kbest(chain.allowing(allowed), 5)
    for b, length in enumerate(chain.lengths.tolist()):
        for path in best.paths[b][best.valid[b]].tolist():
            assert all(allowed[b, t, path[t]] for t in range(length))


@given(chains(), st.integers(2, 9))
def test_scores_are_the_path_scores(chain: Chain, k: int) -> None:
    best = kbest(chain, k)
    expected = path_scores(chain, best.paths).masked_fill(~best.valid, -INF)
    torch.testing.assert_close(best.scores, expected, rtol=1e-12, atol=1e-9)


@given(chains())
def test_viterbi_is_the_first_of_kbest(chain: Chain) -> None:
    best, first = viterbi(chain), kbest(chain, 3)
    assert torch.equal(best.valid[:, 0], first.valid[:, 0])
    torch.testing.assert_close(best.scores[:, 0], first.scores[:, 0])


@given(chains(), st.integers(1, 6))
def test_batch_equals_single_to_the_last_tie(chain: Chain, k: int) -> None:
    best = kbest(chain, k)
    for b, length in enumerate(chain.lengths.tolist()):
        single = kbest(sentence_of(chain, b), k)
        assert torch.equal(single.paths[0, :, :length], best.paths[b, :, :length])
        assert torch.equal(single.valid[0], best.valid[b])


@given(chains(), st.integers(2, 6))
def test_what_is_no_path_is_zero_and_minus_infinity(chain: Chain, k: int) -> None:
    best = kbest(chain, k)
    assert not best.paths[~best.valid].any()
    assert (best.scores[~best.valid] == -INF).all()
    assert not best.paths.masked_fill(chain.token_mask().unsqueeze(1), 0).any()


def test_ties_go_to_the_smaller_tag_at_the_last_token() -> None:
    zeros = torch.zeros(2)
    chain = Chain(
        torch.zeros(1, 2, 2), torch.tensor([2]), torch.zeros(2, 2), zeros, zeros
    )
    assert kbest(chain, 4).paths.tolist() == [[[0, 0], [1, 0], [0, 1], [1, 1]]]
    assert viterbi(chain).paths.tolist() == [[[0, 0]]]


def test_ties_do_not_depend_on_the_rest_of_the_batch() -> None:
    """Sentences with ties are decoded apart: the others must stay where they were."""
    generator = torch.Generator().manual_seed(0)
    emissions = torch.randn(5, 4, 3, generator=generator)
    emissions[[1, 3]] = 0.0
    zeros = torch.zeros(3)
    chain = Chain(
        emissions, torch.tensor([4, 3, 2, 4, 1]), torch.zeros(3, 3), zeros, zeros
    )
    best = kbest(chain, 4)
    for b in range(5):
        single = kbest(sentence_of(chain, b), 4)
        length = int(chain.lengths[b])
        assert torch.equal(single.paths[0], best.paths[b, :, :length])


def test_decoding_has_no_gradient() -> None:
    emissions = torch.randn(1, 3, 2, requires_grad=True)
    chain = Chain(
        emissions, torch.tensor([3]), torch.zeros(2, 2), torch.zeros(2), torch.zeros(2)
    )
    assert not kbest(chain, 2).scores.requires_grad
