import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.crf import decode
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
    found = path_scores(chain, best.paths).masked_fill(~best.valid, -INF)
    torch.testing.assert_close(found, best.scores, rtol=1e-12, atol=1e-9)


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


def kbest_by_rule(chain: Chain, k: int) -> list[list[int]]:
    """The k best paths of a batch of one, equal ones in the order that is promised:
    by the rank of the suffix and then the smaller tag."""
    emissions, transitions = chain.emissions[0], chain.transitions
    T, N = emissions.shape
    prefixes = [chain.start + emissions[0]]
    for t in range(1, T):
        best = (prefixes[-1].unsqueeze(1) + transitions).amax(0)
        prefixes.append(best + emissions[t])
    suffixes: list[tuple[list[int], float]] = [([], 0.0)]
    for t in reversed(range(T)):
        candidates = []
        for suffix, score in suffixes:
            for tag in range(N):
                move = transitions[tag, suffix[0]] if suffix else chain.end[tag]
                longer = score + float(move)
                completed = longer + float(prefixes[t][tag])
                candidates.append(
                    ([tag, *suffix], longer + float(emissions[t, tag]), completed)
                )
        candidates.sort(key=lambda candidate: -candidate[2])
        suffixes = [(path, score) for path, score, _ in candidates[:k]]
    return [path for path, _ in suffixes]


@given(st.integers(0, 2**16), st.integers(1, 6), st.integers(1, 12))
def test_equal_paths_come_in_the_order_that_is_promised(
    seed: int, n_tags: int, k: int
) -> None:
    generator = torch.Generator().manual_seed(seed)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randint(-1, 2, shape, generator=generator).double()

    chain = Chain(
        scores(1, 4, n_tags),
        torch.tensor([4]),
        scores(n_tags, n_tags),
        scores(n_tags),
        scores(n_tags),
    )
    best = kbest(chain, k)
    assert best.paths[0][best.valid[0]].tolist() == kbest_by_rule(chain, k)


@pytest.mark.parametrize("per_sentence", [True, False])
def test_size_of_what_is_compared_at_once_changes_nothing(
    per_sentence: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = torch.Generator().manual_seed(0)
    lead = (7,) if per_sentence else ()
    chain = Chain(
        torch.randn(7, 5, 4, generator=generator),
        torch.tensor([5, 1, 3, 5, 2, 4, 5]),
        torch.randn(*lead, 4, 4, generator=generator),
        torch.randn(*lead, 4, generator=generator),
        torch.randn(*lead, 4, generator=generator),
    )
    expected = viterbi(chain), kbest(chain, 3)
    for name, moves in (("_MOVES_AT_ONCE", 51), ("_FEW_MOVES", 0)):
        monkeypatch.setattr(decode, name, moves)
        for found, wanted in zip(
            (viterbi(chain), kbest(chain, 3)), expected, strict=True
        ):
            assert torch.equal(found.paths, wanted.paths)
            assert torch.equal(found.scores, wanted.scores)


@pytest.mark.parametrize(("sentences", "tokens"), [(0, 3), (2, 0), (2, 3)])
def test_sentences_without_tokens_have_one_empty_path(
    sentences: int, tokens: int
) -> None:
    zeros = torch.zeros(2)
    chain = Chain(
        torch.zeros(sentences, tokens, 2),
        torch.zeros(sentences, dtype=torch.long),
        torch.zeros(2, 2),
        zeros,
        zeros,
    )
    best = kbest(chain, 3)
    assert best.paths.shape == (sentences, 3, tokens)
    assert best.valid.tolist() == [[True, False, False]] * sentences
    assert best.scores[:, 0].tolist() == [0.0] * sentences
    assert viterbi(chain).paths.shape == (sentences, 1, tokens)
    assert viterbi(chain).valid.all()


def test_decoding_has_no_gradient() -> None:
    emissions = torch.randn(1, 3, 2, requires_grad=True)
    chain = Chain(
        emissions, torch.tensor([3]), torch.zeros(2, 2), torch.zeros(2), torch.zeros(2)
    )
    assert not kbest(chain, 2).scores.requires_grad
