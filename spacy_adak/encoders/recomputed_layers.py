"""Gradient checkpointing: less memory for layers that are computed twice."""

from typing import Any, cast

from thinc.api import Model

_SETTING = "gradient_checkpointing"


def recompute_layers_if_asked(model: Any) -> None:
    """Turn on gradient checkpointing in the transformers of spacy-transformers whose
    `transformer_config` asks for it. Newer versions of transformers overlook it there.

    model (Any): What a component has as its model, initialized.
    """
    for node in model.walk() if isinstance(model, Model) else ():
        if getattr(node, "_init_transformer_config", {}).get(_SETTING):
            transformer = cast(Any, node).transformer
            # The older way needs inputs with a gradient, which token ids are not.
            transformer.gradient_checkpointing_enable({"use_reentrant": False})
