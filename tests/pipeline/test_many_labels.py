"""With many labels moves between types have no scores of their own."""

import numpy
import pytest
import torch
from spacy.tokens import Doc, Span
from spacy.training import Example
from torch.autograd.profiler import profile

from spacy_adak.annotation.known import Known
from spacy_adak.annotation.q_of_text import ChainEstimate, PathEstimate, set_estimate
from spacy_adak.annotation.training_sample import Sample
from spacy_adak.crf.ratio import EntityRatio
from spacy_adak.crf.tags import LabelledSpan, TagSet
from spacy_adak.crf.typed_transitions import are_by_type
from spacy_adak.pipeline import head
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.model import get_head
from tests.crf.brute_force import as_matrix
from tests.losses import LOSSES, Objective
from tests.made_texts import (
    TEXTS,
    entities,
    get_ner,
    make_examples,
    make_nlp,
    scores,
    train,
    trained_nlp,
)

TAGS = TagSet(["X", "Y"])


@pytest.fixture
def two_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(head, "MOST_TYPES_WITH_ALL_MOVES", 1)


def random_scores(n_tokens: int, seed: int) -> TagScores:
    generator = torch.Generator().manual_seed(seed)
    N = len(TAGS)

    def scores(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    return TagScores(
        scores(n_tokens, N),
        scores(N, 8).masked_fill(~TAGS.legal_transitions_by_type(), -torch.inf),
        scores(N).masked_fill(~TAGS.legal_starts(), -torch.inf),
        scores(N).masked_fill(~TAGS.legal_ends(), -torch.inf),
    )


def chain_estimate(n_tokens: int, matrix: bool) -> ChainEstimate:
    nodes, transitions, start, end = random_scores(n_tokens, seed=1)
    transitions = as_matrix(transitions) if matrix else transitions
    arrays = (nodes, transitions, start, end)
    return ChainEstimate(*(array.float().numpy() for array in arrays))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("with_q", [False, True])
def test_every_loss_and_its_gradient_are_those_of_a_matrix(
    loss: str, with_q: bool
) -> None:
    outside = numpy.zeros(4, dtype=bool)
    annotated = Known([LabelledSpan(1, 3, "X")], outside, [])
    nothing = Known([], outside, [LabelledSpan(0, 1, "Y")])
    objective = Objective(
        loss,
        3,
        0.4,
        EntityRatio(0.1, 0.02, 10.0) if loss == "ratio" else None,
        0.3 if loss == "missing" else None,
    )
    by_type = random_scores(12, seed=0)
    results = []
    for matrix in (False, True):
        q = [None, None, None]
        if with_q:
            q = [None, chain_estimate(4, matrix), PathEstimate([])]
        samples = [
            Sample(known, estimate, [3, 4])
            for known, estimate in zip((annotated, nothing, nothing), q, strict=True)
        ]
        leaves = [score.clone().requires_grad_() for score in by_type]
        model = TagScores(*leaves)
        if matrix:
            model = model._replace(transitions=as_matrix(model.transitions))
        result = objective(model, samples, TAGS)
        gradient = torch.autograd.grad(model, leaves, result.gradient)
        results.append((result.loss, gradient))
    (loss_by_type, gradient), (expected_loss, expected) = results
    assert loss_by_type == pytest.approx(expected_loss, rel=1e-7)
    for actual, wanted in zip(gradient, expected, strict=True):
        torch.testing.assert_close(actual, wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.usefixtures("two_are_many")
def test_component_learns_predicts_and_is_saved() -> None:
    nlp = trained_nlp()
    assert are_by_type(get_head(get_ner(nlp).model).transitions)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    loaded = make_nlp().from_bytes(nlp.to_bytes())
    text = TEXTS[2][0]
    numpy.testing.assert_array_equal(scores(nlp(text)), scores(loaded(text)))
    doc = nlp(text)
    readings = get_ner(nlp).kbest(doc, 3)
    found = [(span.start, span.end, span.label_) for span in readings[0]]
    assert found == TEXTS[2][1]


@pytest.mark.usefixtures("two_are_many")
def test_another_label_changes_no_prediction() -> None:
    nlp = trained_nlp()
    assert get_ner(nlp).add_label("ORG") == 1
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    train(nlp, make_examples(nlp, [*TEXTS, ("Acme fell .", [(0, 1, "ORG")])]), 40)
    assert entities(nlp("Acme fell .")) == [(0, 1, "ORG")]


@pytest.mark.usefixtures("two_are_many")
def test_estimate_with_a_matrix_of_moves_is_refused() -> None:
    nlp = trained_nlp()
    examples = make_examples(nlp)
    n_tags = len(get_ner(nlp).tagset)
    nodes, *border = (
        numpy.zeros(shape, dtype="float32")
        for shape in ((len(examples[0].reference), n_tags), n_tags, n_tags)
    )
    matrix = numpy.zeros((n_tags, n_tags), dtype="float32")
    set_estimate(examples[0].reference, ChainEstimate(nodes, matrix, *border))
    with pytest.raises(ValueError, match=r"A119.*\(9, 9\).*'adak_ner'.*\(9, 8\)"):
        nlp.update(examples)
    all_alike = ChainEstimate(nodes, matrix[:1, :1], *border)
    set_estimate(examples[0].reference, all_alike)
    assert nlp.update(examples)["adak_ner"] > 0


def test_pipeline_saved_with_all_moves_keeps_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nlp = trained_nlp()
    data = nlp.to_bytes()
    monkeypatch.setattr(head, "MOST_TYPES_WITH_ALL_MOVES", 1)
    loaded = make_nlp().from_bytes(data)
    assert not are_by_type(get_head(get_ner(loaded).model).transitions)
    for text, _ in TEXTS:
        numpy.testing.assert_array_equal(scores(nlp(text)), scores(loaded(text)))


def test_a_thousand_labels_need_no_room_for_their_square() -> None:
    labels = [f"T{i}" for i in range(1000)]
    nlp = make_nlp()
    words = [f"w{i}" for i in range(16)]
    doc = Doc(nlp.vocab, words=words)
    doc.set_ents([Span(doc, 2, 4, label="T7")], default="missing")
    example = Example(Doc(nlp.vocab, words=words), doc)
    ner = get_ner(nlp)
    ner.initialize(lambda: [example], nlp=nlp, labels=labels)
    with profile(profile_memory=True) as profiler:
        losses = nlp.update([example], sgd=nlp.create_optimizer())
        nlp(Doc(nlp.vocab, words=words))
    assert losses["adak_ner"] > 0
    events = profiler.kineto_results.events()
    largest = max(event.nbytes() for event in events if event.name() == "[memory]")
    # One byte for each pair of tags would be 16 MB.
    assert largest < 6_000_000
