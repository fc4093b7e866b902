"""Calibrated chains, beside all paths."""

from math import exp

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_adak.crf.calibration import IDENTITY, Calibration
from spacy_adak.crf.chain import Chain
from spacy_adak.crf.decode import viterbi
from spacy_adak.crf.tags import TagSet

from .brute_force import chains, probabilities


@settings(max_examples=40)
@given(
    st.data(),
    st.sampled_from(["BIO", "BILUO"]),
    st.floats(0.3, 4.0),
    st.floats(-2.0, 2.0),
)
def test_each_path_is_tempered_and_pays_for_its_entities(
    data: st.DataObject, scheme: str, temperature: float, cost: float
) -> None:
    tagset = TagSet(["A"], scheme)
    N = len(tagset)
    chain = data.draw(chains(min_tags=N, max_tags=N, max_tokens=3))
    chain = chain._replace(
        transitions=chain.transitions.masked_fill(
            ~tagset.legal_transitions(), -torch.inf
        ),
        start=chain.start.masked_fill(~tagset.legal_starts(), -torch.inf),
        end=chain.end.masked_fill(~tagset.legal_ends(), -torch.inf),
    )
    calibrated = Calibration(temperature, cost)(chain, tagset)
    for b in range(len(chain.lengths)):
        before = {
            path: p ** (1 / temperature) * exp(-cost * len(tagset.decode(path)))
            for path, p in probabilities(chain, b).items()
        }
        total = sum(before.values())
        after = probabilities(calibrated, b)
        for path, weight in before.items():
            assert after.get(path, 0.0) == pytest.approx(weight / total, abs=1e-7)


@given(chains(max_tags=3))
def test_identity_changes_nothing(chain: Chain) -> None:
    tagset = TagSet(["A"], "BIO")
    if chain.emissions.size(2) == len(tagset):
        assert torch.equal(viterbi(IDENTITY(chain, tagset)).paths, viterbi(chain).paths)
        assert torch.equal(IDENTITY(chain, tagset).emissions, chain.emissions)


def test_gradient_is_finite_where_moves_are_forbidden() -> None:
    tagset = TagSet(["A"], "BILUO")
    N = len(tagset)
    point = torch.tensor([1.5, 0.2], dtype=torch.float64, requires_grad=True)
    chain = Chain(
        torch.zeros(1, 2, N, dtype=torch.float64),
        torch.tensor([2]),
        torch.zeros(N, N).masked_fill(~tagset.legal_transitions(), -torch.inf),
        torch.zeros(N).masked_fill(~tagset.legal_starts(), -torch.inf),
        torch.zeros(N).masked_fill(~tagset.legal_ends(), -torch.inf),
    )
    calibrated = Calibration(point[0], point[1])(chain, tagset)
    scores = [calibrated.emissions, calibrated.transitions, calibrated.start]
    total = sum(s[s.isfinite()].sum() for s in scores)
    (gradient,) = torch.autograd.grad(total, point)
    assert gradient.isfinite().all()
