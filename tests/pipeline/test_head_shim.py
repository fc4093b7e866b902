import numpy
import pytest
from spacy.lang.en import English
from spacy.language import Language
from thinc.api import Adam

from spacy_adak.pipeline.model import get_head
from tests.made_texts import get_ner, make_examples, make_nlp

RATE = 0.01


def make_with(factor: float) -> Language:
    nlp = make_nlp()
    config = nlp.config.copy()
    config["components"]["adak_ner"]["model"]["learn_rate_factor"] = factor
    return English.from_config(config)


def first_step(factor: float, grad_clip: float = 1.0) -> dict[str, numpy.ndarray]:
    """What the first step changes, by the name of a parameter."""
    nlp = make_with(factor)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    head = get_head(get_ner(nlp).model)
    embed = get_ner(nlp).model.get_ref("tok2vec")
    before = {k: v.detach().numpy().copy() for k, v in head.named_parameters()}
    rows = embed.predict([examples[0].predicted])[0].copy()
    nlp.update(examples, sgd=Adam(RATE, grad_clip=grad_clip, use_averages=False))
    changed = {k: v.detach().numpy() - before[k] for k, v in head.named_parameters()}
    return {**changed, "rows": embed.predict([examples[0].predicted])[0] - rows}


def test_first_step_is_as_long_as_the_rate_times_the_factor() -> None:
    for factor in (1.0, 20.0):
        longest = numpy.abs(first_step(factor)["transitions"]).max()
        assert longest == pytest.approx(RATE * factor, rel=1e-3)


def test_encoder_learns_at_the_rate_of_the_optimizer() -> None:
    # What it gets back in the first step does not depend on what the CRF then does.
    once, faster = first_step(1.0)["rows"], first_step(20.0)["rows"]
    numpy.testing.assert_array_equal(once, faster)


def test_clipping_does_not_shorten_the_steps_of_the_head() -> None:
    clipped, free = first_step(20.0, grad_clip=1e-3), first_step(20.0, grad_clip=0.0)
    numpy.testing.assert_allclose(
        clipped["transitions"], free["transitions"], rtol=0.05
    )


def test_factor_stays_when_labels_are_added_and_after_a_copy() -> None:
    nlp = make_with(20.0)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    get_ner(nlp).add_label("NEW")
    _, head_layer = get_ner(nlp).model.copy().layers
    assert head_layer.shims[0].learn_rate_factor == 20.0


def test_factor_stays_in_a_pipeline_that_was_saved() -> None:
    nlp = make_with(20.0)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    loaded = English.from_config(nlp.config).from_bytes(nlp.to_bytes())
    _, head_layer = get_ner(loaded).model.layers
    assert head_layer.shims[0].learn_rate_factor == 20.0


@pytest.mark.parametrize("factor", [0.0, -1.0])
def test_factor_that_makes_no_sense(factor: float) -> None:
    with pytest.raises(ValueError, match=r"A104.*learn_rate_factor"):
        make_with(factor)
