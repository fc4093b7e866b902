"""The bridge between Thinc and the PyTorch head, and the registered architecture."""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, cast

import torch
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import ArgsKwargs, Dropout, Model, chain, torch2xp, xp2torch
from thinc.types import Floats2d

from ..crf.tags import TagSet
from .head import CRFHead, TagScores, deserialize_head, serialize_head
from .head_shim import HeadShim
from .rules import ABOVE_ZERO, check_values

_TOKENS_PER_CHUNK = 2048

if hasattr(os, "register_at_fork"):
    # Threads do not survive a fork: in the processes of `nlp.pipe(n_process=2)` PyTorch
    # would wait for those that the pipeline had before, for ever.
    os.register_at_fork(after_in_child=partial(torch.set_num_threads, 1))


@registry.architectures("spacy-adak.CRFTagger.v1")
def build_crf_tagger(
    tok2vec: Model[list[Doc], list[Floats2d]],
    learn_rate_factor: float = 1.0,
) -> Model[list[Doc], TagScores]:
    """A CRF over the token vectors of any encoder.

    tok2vec (Model[List[Doc], List[Floats2d]]): The encoder, or a listener to one.
    learn_rate_factor (float): The CRF learns with this multiple of the learning rate.
        At the low rate of a fine-tuned transformer its transition scores would hardly
        change.
    RETURNS (Model[List[Doc], TagScores]): The model. Its tags are set with `set_tags`
        before it is initialized.
    """
    check_values(
        "spacy-adak.CRFTagger.v1",
        {"learn_rate_factor": learn_rate_factor},
        {"learn_rate_factor": ABOVE_ZERO},
    )
    rows: Model[list[Doc], Floats2d] = chain(tok2vec, _flatten(), Dropout())
    return Model(
        "crf_tagger",
        _forward,
        init=_init,
        layers=[rows, _head_layer(learn_rate_factor)],
        refs={"tok2vec": tok2vec},
    )


def get_head(model: Model) -> CRFHead:
    """RETURNS (CRFHead): The PyTorch part of the model."""
    _, head_layer = model.layers
    return head_layer.shims[0]._model


def is_initialized(model: Model) -> bool:
    """RETURNS (bool): Whether the model has weights, from `initialize` or from disk."""
    return get_head(model).weight.size(1) > 0


def predict_scores(
    model: Model[list[Doc], TagScores], docs: Sequence[Doc]
) -> TagScores:
    """Score documents a few at a time: much faster than all at once, as what the
    encoder works on then stays in the processor's cache.

    model (Model): The model.
    docs (Sequence[Doc]): The documents, at least one of them with a token.
    RETURNS (TagScores): The scores of all.
    """
    parts = [model.predict(chunk) for chunk in _chunks(docs)]
    return parts[0]._replace(emissions=torch.cat([part.emissions for part in parts]))


def _chunks(docs: Sequence[Doc]) -> Iterator[list[Doc]]:
    chunk: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        if not len(doc):
            continue
        if chunk and n_tokens + len(doc) > _TOKENS_PER_CHUNK:
            yield chunk
            chunk, n_tokens = [], 0
        chunk.append(doc)
        n_tokens += len(doc)
    yield chunk


def set_tags(model: Model, tagset: TagSet) -> None:
    """Give the model its tags, or more of them; what it has learnt is kept."""
    _, head_layer = model.layers
    _set_head(head_layer, get_head(model).with_tags(tagset))


def _forward(
    model: Model[list[Doc], TagScores], docs: list[Doc], is_train: bool
) -> tuple[TagScores, Callable[[TagScores], list[Doc]]]:
    rows_layer, head_layer = model.layers
    rows, backprop_rows = rows_layer(docs, is_train)
    scores, backprop_scores = head_layer(rows, is_train)

    def backprop(d_scores: TagScores) -> list[Doc]:
        return backprop_rows(backprop_scores(d_scores))

    return scores, backprop


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    rows_layer, head_layer = model.layers
    rows_layer.initialize(X=X)
    head_layer.initialize(X=rows_layer.predict(X) if X else None)


def _flatten() -> Model[list[Floats2d], Floats2d]:
    """Concatenate the rows of all documents. Encoders give documents without tokens
    arrays of any width, so these are left out."""
    return Model("flatten_tokens", _flatten_forward)


def _flatten_forward(
    model: Model, rows_per_doc: list[Floats2d], is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], list[Floats2d]]]:
    filled = [rows for rows in rows_per_doc if len(rows)]

    def backprop(d_rows: Floats2d) -> list[Floats2d]:
        lengths = model.ops.asarray1i([len(rows) for rows in filled])
        d_filled = iter(model.ops.unflatten(d_rows, lengths))
        return [next(d_filled) if len(rows) else rows for rows in rows_per_doc]

    return model.ops.flatten(filled), backprop


def _head_layer(learn_rate_factor: float) -> Model[Floats2d, TagScores]:
    layer: Model[Floats2d, TagScores] = Model(
        "crf_head",
        _head_forward,
        init=_head_init,
        shims=[_make_shim(CRFHead(0, TagSet([])), learn_rate_factor)],
    )
    return layer


def _make_shim(head: CRFHead, learn_rate_factor: float) -> HeadShim:
    return HeadShim(
        head,
        serialize_model=serialize_head,
        deserialize_model=deserialize_head,
        learn_rate_factor=learn_rate_factor,
    )


def _set_head(layer: Model, head: CRFHead) -> None:
    # A new shim has a new id, so that an optimizer does not apply what it remembers
    # of the old weights to weights of another shape.
    shim = cast(HeadShim, layer.shims[0])
    layer.shims[:] = [_make_shim(head, shim.learn_rate_factor)]


def _head_init(layer: Model, X: Floats2d | None = None, Y: Any = None) -> None:
    head = layer.shims[0]._model
    if X is not None:
        _set_head(layer, CRFHead(X.shape[1], head.tagset))


def _head_forward(
    layer: Model[Floats2d, TagScores], rows: Floats2d, is_train: bool
) -> tuple[TagScores, Callable[[TagScores], Floats2d]]:
    shim = layer.shims[0]
    inputs = ArgsKwargs(args=(xp2torch(rows, requires_grad=is_train),), kwargs={})
    if not is_train:
        return shim.predict(inputs), lambda d_scores: rows
    outputs, torch_backprop = shim.begin_update(inputs)

    def backprop(d_scores: TagScores) -> Floats2d:
        gradients = torch_backprop(
            ArgsKwargs(args=(tuple(outputs),), kwargs={"grad_tensors": tuple(d_scores)})
        )
        return cast(Floats2d, torch2xp(gradients.args[0]))

    return outputs, backprop
