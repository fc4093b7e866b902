"""The component over transformers, mostly of spacy-transformers, without network."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
import torch
from spacy.language import Language
from spacy.training import Example
from thinc.api import Adam
from thinc.shims import pytorch, pytorch_grad_scaler

from tests.made_texts import TEXTS, entities, get_ner, make_examples, scores, train
from tests.made_transformers import TRAINS_CURATED, curated_nlp

from .gradients import assert_gradient_is_right, randomize_head, torch_parameters

TEXT = "Ann Lee flew to New York ."
FOUND = [(0, 2, "PERSON"), (4, 6, "LOC")]

pytestmark = pytest.mark.usefixtures("no_network")

POOLING = {"@layers": "reduce_mean.v1"}
# Longer than a document of the tests, shorter than the model's limit.
SPANS = {
    "@span_getters": "spacy-transformers.strided_spans.v1",
    "window": 24,
    "stride": 16,
}


def transformer(path: Path, architecture: str, **settings: Any) -> dict[str, Any]:
    return {
        "@architectures": architecture,
        "name": str(path),
        "get_spans": SPANS,
        "tokenizer_config": {"use_fast": True},
        "transformer_config": {},
        "mixed_precision": False,
        "grad_scaler_config": {},
        **settings,
    }


def own_transformer(path: Path, **settings: Any) -> Language:
    """The transformer is part of the component."""
    encoder = transformer(path, "spacy-transformers.Tok2VecTransformer.v3", **settings)
    encoder.update(pooling=POOLING, grad_factor=1.0)
    return crf_over(spacy.blank("en"), encoder)


def shared_transformer(path: Path, **settings: Any) -> Language:
    """The component listens to a transformer."""
    nlp = spacy.blank("en")
    model = transformer(path, "spacy-transformers.TransformerModel.v3", **settings)
    nlp.add_pipe("transformer", config={"model": model})
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": POOLING,
        "grad_factor": 1.0,
    }
    return crf_over(nlp, listener)


def crf_over(nlp: Language, encoder: dict[str, Any]) -> Language:
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": encoder}
    nlp.add_pipe("adak_ner", config={"model": model})
    return nlp


MAKERS = [own_transformer, shared_transformer]


def encoder_of(nlp: Language) -> Any:
    if "transformer" in nlp.pipe_names:
        return nlp.get_pipe("transformer").model
    return get_ner(nlp).model.get_ref("tok2vec")


@pytest.fixture(params=[*MAKERS, pytest.param(curated_nlp, marks=TRAINS_CURATED)])
def nlp(request: pytest.FixtureRequest, tiny_bert: Path) -> Language:
    return request.param(tiny_bert)


def test_gradient_of_a_transformer_is_right(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    randomize_head(get_ner(nlp))
    assert_gradient_is_right(nlp, examples, lambda: torch_parameters(encoder_of(nlp)))


def test_transformer_learns_and_survives_the_disk(
    nlp: Language, tmp_path: Path
) -> None:
    train(nlp, make_examples(nlp), steps=25)
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert entities(loaded(TEXT)) == FOUND
    assert scores(loaded(TEXT)) == pytest.approx(scores(nlp(TEXT)))


def test_averages_of_a_transformer_are_refused(nlp: Language) -> None:
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    with pytest.raises(ValueError, match=r"A108.*Set use_averages = false"):
        nlp.update(examples, sgd=Adam(0.001, use_averages=True))


def test_empty_texts_among_others_are_fine(nlp: Language) -> None:
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    empty = Example(nlp.make_doc(""), nlp.make_doc(""))
    losses: dict[str, float] = {}
    nlp.update([empty, *examples, empty], sgd=optimizer, losses=losses)
    assert losses["adak_ner"] > 0
    assert [len(doc) for doc in nlp.pipe(["", "Ann", "", "York"])] == [0, 1, 0, 1]


def test_replaced_listener_gives_the_same_results(tiny_bert: Path) -> None:
    nlp = shared_transformer(tiny_bert)
    train(nlp, make_examples(nlp), steps=25)
    before = nlp(TEXT)
    nlp.replace_listeners("transformer", "adak_ner", ["model.tok2vec"])
    nlp.remove_pipe("transformer")
    after = nlp(TEXT)
    assert entities(after) == entities(before) == FOUND
    assert scores(after) == pytest.approx(scores(before), abs=1e-5)


def test_annotating_component_over_a_transformer_is_trained(tiny_bert: Path) -> None:
    nlp = shared_transformer(tiny_bert)
    examples = make_examples(nlp)
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.01
    for _ in range(25):
        nlp.update(examples, sgd=optimizer, annotates=["adak_ner"])
    assert entities(nlp(TEXT)) == FOUND


def test_frozen_transformer_stays_as_it_is(tiny_bert: Path) -> None:
    nlp = shared_transformer(tiny_bert)
    examples = make_examples(nlp)
    optimizer = nlp.initialize(lambda: examples)
    before = [weights.copy() for weights in all_weights(nlp)]
    for _ in range(2):
        nlp.update(
            examples,
            sgd=optimizer,
            exclude=["transformer"],
            annotates=["transformer"],
        )
    after = all_weights(nlp)
    assert all((a == b).all() for a, b in zip(after, before, strict=True))


def all_weights(nlp: Language) -> list[Any]:
    return [
        parameter.data.numpy()
        for node in encoder_of(nlp).walk()
        for shim in node.shims
        for parameter in shim._model.parameters()
    ]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("recomputes", [True, False])
def test_layers_are_computed_again_if_asked(
    tiny_bert: Path, make: Callable[..., Language], recomputes: bool
) -> None:
    config = {"gradient_checkpointing": recomputes}
    nlp = make(tiny_bert, transformer_config=config)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    layers = encoder_of(nlp).walk()
    (bert,) = (node.transformer for node in layers if hasattr(node, "transformer"))
    seen: list[int] = []
    bert.encoder.layer[0].register_forward_pre_hook(lambda *_: seen.append(1))
    randomize_head(get_ner(nlp))
    assert_gradient_is_right(nlp, examples, lambda: torch_parameters(encoder_of(nlp)))
    updates = 3
    assert len(seen) == (2 * updates if recomputes else updates)


@pytest.fixture
def mixed_precision_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Thinc does in float16 on a GPU, on the CPU."""
    autocast = torch.autocast

    def on_the_cpu(device_type: str, enabled: bool) -> torch.autocast:
        return autocast("cpu", dtype=torch.float16, enabled=enabled)

    def scale(self: Any, tensor: torch.Tensor, *_: Any) -> torch.Tensor:
        return tensor * self._scale

    monkeypatch.setattr("torch.autocast", on_the_cpu)
    monkeypatch.setattr(pytorch_grad_scaler.PyTorchGradScaler, "_scale_tensor", scale)
    for module in (pytorch_grad_scaler, pytorch):
        monkeypatch.setattr(module, "has_torch_amp", True, raising=False)


@pytest.mark.usefixtures("mixed_precision_on_the_cpu")
def test_transformer_learns_in_mixed_precision(tiny_bert: Path) -> None:
    nlp = shared_transformer(tiny_bert, mixed_precision=True)
    train(nlp, make_examples(nlp), steps=25)
    (hf_shim,) = (s for node in encoder_of(nlp).walk() for s in node.shims)
    assert hf_shim._mixed_precision
    assert hf_shim._grad_scaler._enabled
    for text, expected in TEXTS:
        assert entities(nlp(text)) == expected
