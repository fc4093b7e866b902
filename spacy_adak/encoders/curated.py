"""One row per token from a transformer of spacy-curated-transformers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy
from spacy.tokens import Doc
from thinc.api import Model, NumpyOps

from ..errors import Errors

Loader = Callable[..., Model]
_OPS = NumpyOps()
# The parts of such a model that are loaded, by the setting that says from where.
_LOADED = {"encoder_loader": "transformer", "piecer_loader": "piece_encoder"}


def is_curated(model: Model) -> bool:
    """RETURNS (bool): Whether a model is such a transformer."""
    return all(model.has_ref(part) for part in _LOADED.values())


def set_loaders(model: Model, **loaders: Loader | None) -> None:
    """Have a model loaded from elsewhere when it is initialized. As its component takes
    them from `[initialize]`, they are not part of the model's own block.

    model (Model): The model.
    loaders (Optional[Callable]): What loads its parts, "encoder_loader" and
        "piecer_loader".
    """
    for setting, loader in loaders.items():
        if loader is None:
            continue
        if not is_curated(model):
            message = Errors.A136.format(setting=setting, encoder=model.name)
            raise ValueError(message)
        model.get_ref(_LOADED[setting]).init = loader


def hidden_states(model: Model, docs: Sequence[Doc]) -> list[list[numpy.ndarray]]:
    """Run the transformer on texts, and average the pieces of each token.

    model (Model): The model.
    docs (Sequence[Doc]): Texts with tokens.
    RETURNS (list[list[ndarray]]): (tokens, width) of each layer of each text, the
        embeddings first.
    """
    # Its component sets this before each use, too.
    model.get_ref("transformer").attrs["_all_layer_outputs"] = True
    output = model.predict(docs)
    return [[_token_rows(layer) for layer in layers] for layers in output.all_outputs]


def _token_rows(layer: Any) -> numpy.ndarray:
    pieces = _OPS.asarray2f(_to_numpy(layer.dataXd))
    lengths = _OPS.asarray1i(_to_numpy(layer.lengths))
    if not len(pieces):
        # `reduce_mean` fails without any piece, as of whitespace.
        return _OPS.alloc2f(len(lengths), pieces.shape[-1])
    return _OPS.reduce_mean(pieces, lengths)


def _to_numpy(array: Any) -> numpy.ndarray:
    return array.get() if hasattr(array, "get") else array
