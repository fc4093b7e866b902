"""What the component computes on a device that is not the CPU."""

import pytest
import torch
from spacy.training import Example

from tests.losses import LOSSES
from tests.made_texts import (
    TEXTS,
    entities,
    get_ner,
    make_doc,
    scores,
    trained_nlp,
)
from tests.other_device import DEVICE, head_on_other_device, other_device


def test_tensors_of_two_devices_do_not_meet() -> None:
    with other_device() as put:
        there = put(torch.ones(2))
        assert there.device == DEVICE
        assert (there + torch.ones(2, device=DEVICE)).sum().item() == 4.0
        with pytest.raises(AssertionError, match="two devices"):
            there + torch.ones(2)
        with pytest.raises(RuntimeError):
            there.numpy()


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_those_on_the_cpu(loss: str) -> None:
    nlp = trained_nlp(loss=loss)
    ner = get_ner(nlp)
    examples = [
        Example(nlp.make_doc(text), make_doc(nlp.vocab, text, found[:1], "missing"))
        for text, found in TEXTS
    ]
    docs = [example.predicted for example in examples]
    expected_loss, expected = ner.get_loss(examples, ner.tag_scores(docs))
    with head_on_other_device(ner):
        found_loss, found = ner.get_loss(examples, ner.tag_scores(docs))
        assert {gradient.device for gradient in found} == {DEVICE}
        here = [gradient.cpu() for gradient in found]
    assert float(found_loss) == pytest.approx(float(expected_loss), rel=1e-5)
    for ours, theirs in zip(here, expected, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("spans_key", ["adak_ner", None])
def test_entities_and_readings_are_those_on_the_cpu(spans_key: str | None) -> None:
    nlp = trained_nlp(spans_key=spans_key)
    ner, texts = get_ner(nlp), [text for text, _ in TEXTS]
    here, docs = list(nlp.pipe(texts)), [nlp.make_doc(text) for text in texts]
    readings = [[str(reading) for reading in ner.kbest(doc, 3)] for doc in docs]
    with head_on_other_device(ner):
        there = list(nlp.pipe(texts))
        found = [[str(reading) for reading in ner.kbest(doc, 3)] for doc in docs]
    assert [entities(doc) for doc in there] == [found for _, found in TEXTS]
    assert found == readings
    for ours, theirs in zip(there, here, strict=True):
        assert entities(ours) == entities(theirs)
        if spans_key is not None:
            assert scores(ours) == pytest.approx(scores(theirs), abs=1e-6)
