"""One row per token from any encoder: a transformer, or a tok2vec."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Literal, cast

import numpy
import srsly
from spacy.attrs import ORTH, SPACY
from spacy.tokens import Doc
from thinc.api import Model
from thinc.types import Floats2d

from ..annotation.known import shorten
from ..errors import Errors, Warnings
from .row_folder import KEY_LENGTH

# How many texts go through the encoder at a time on a GPU. On a CPU it is one: what
# else is in a batch changes the last bits of a row, and texts must be encoded alike
# whenever and wherever that happens.
_TEXTS_PER_BATCH = 32
Layers = Sequence[int] | Literal["middle"]


class TokenEncoder:
    """Gives rows of tokens, rounded to float16 whether they are remembered or not.

    model (Model): A `TransformerModel` of spacy-transformers or a tok2vec.
    layers (Layers | None): The layers of the transformer to average, 0 being its
        embeddings and -1 the last layer, which it is if there are none. "middle" are
        those from a third to two thirds of its depth.

    identity (str): Tells it from encoders of another structure, name or choice of
        layers.
    """

    def __init__(self, model: Model, layers: Layers | None) -> None:
        self.model = model
        self.layers = layers
        self.is_transformer = "set_transformer" in model.attrs
        if any(hasattr(node, "upstream_name") for node in model.walk()):
            raise ValueError(Errors.A121.format(encoder=model.name))
        if layers is not None and not self.is_transformer:
            raise ValueError(Errors.A122.format(layers=layers, encoder=model.name))
        if layers is not None and not layers:
            raise ValueError(Errors.A123.format(layers=layers, valid="those it has"))
        self._has_warned = False
        self._attributes = [ORTH, SPACY, *_attributes_read(model)]
        self._transformers = [n for n in model.walk() if "get_spans" in n.attrs]
        self._has_vectors = any(node.name == "static_vectors" for node in model.walk())
        # As in the config: once there are weights, their settings are in the model too.
        self.identity = _identify(model, layers)

    def initialize(self, docs: list[Doc] | None) -> None:
        """Get the weights of the model.

        docs (list[Doc] | None): A sample of the texts.
        """
        try:
            self.model.initialize(X=docs)
        except (OSError, ValueError) as error:
            if not self.is_transformer:
                raise
            name = self.model.attrs["name"]
            raise ValueError(Errors.A134.format(name=name, error=error)) from error
        self._ask_for_layers()

    def _ask_for_layers(self) -> None:
        """Have the transformer give what it says in between."""
        if self.layers is None:
            return
        config = cast(Any, self.model).transformer.config
        depth = config.num_hidden_layers
        chosen = choose_layers(self.layers, depth)
        if not all(-depth - 1 <= layer <= depth for layer in chosen):
            valid = f"{-depth - 1} to {depth}"
            raise ValueError(Errors.A123.format(layers=self.layers, valid=valid))
        config.output_hidden_states = True

    def key(self, doc: Doc) -> bytes:
        """RETURNS (bytes): Tells the text from all that may have other rows."""
        digest = blake2b(digest_size=KEY_LENGTH)
        attributes = list(self._attributes)
        if self._has_vectors:
            attributes.append(getattr(doc.vocab.vectors, "attr", ORTH))
        digest.update(doc.to_array(attributes).tobytes())
        for transformer in self._transformers:
            (spans,) = transformer.attrs["get_spans"]([doc])
            digest.update(repr([(span.start, span.end) for span in spans]).encode())
        return digest.digest()

    def encode(self, docs: Sequence[Doc]) -> Iterator[numpy.ndarray]:
        """Run the encoder. Nothing is remembered of it that could be trained.

        docs (Sequence[Doc]): Texts with tokens.
        YIELDS (ndarray): (tokens, width) float16 of each text.
        """
        # It may have been loaded with weights for which no layers were chosen.
        self._ask_for_layers()
        size = 1 if self.model.ops.device_type == "cpu" else _TEXTS_PER_BATCH
        for start in range(0, len(docs), size):
            batch = list(docs[start : start + size])
            output = self.model.predict(batch)
            if self.is_transformer:
                for doc, data in zip(batch, output.doc_data, strict=True):
                    self._warn_of_lost_tokens(doc, data)
                output = [self._pool(data) for data in output.doc_data]
            for doc, rows in zip(batch, output, strict=True):
                if len(rows) != len(doc):
                    raise ValueError(
                        Errors.A124.format(
                            found=len(rows), expected=len(doc), text=shorten(doc)
                        )
                    )
                yield _round(self.model.ops.to_numpy(rows))

    def _warn_of_lost_tokens(self, doc: Doc, data: Any) -> None:
        """Say once that windows have more pieces than the transformer reads.

        doc (Doc): A text.
        data (TransformerData): What the transformer says about it.
        """
        limit = cast(Any, self.model).tokenizer.model_max_length
        if self._has_warned or data.wordpieces.input_ids.shape[1] < limit:
            return
        for token, n_pieces in zip(doc, data.align.lengths, strict=False):
            if not n_pieces and not token.is_space:
                self._has_warned = True
                message = Warnings.W122.format(
                    token=token.text, text=shorten(doc), limit=limit
                )
                warnings.warn(message, stacklevel=2)
                return

    def _pool(self, data: Any) -> Floats2d:
        """The mean of the layers and of a token's pieces. The tokens of a long text
        have pieces in several windows; tokens without any get zeros.

        data (TransformerData): What the transformer says about a text.
        RETURNS (Floats2d): (tokens, width).
        """
        output = data.model_output
        if self.layers is None:
            states = output.last_hidden_state
        else:
            chosen = choose_layers(self.layers, depth=len(output.hidden_states) - 1)
            states = sum(output.hidden_states[layer] for layer in chosen)
            states = states / len(chosen)
        ops = self.model.ops
        if not data.align.lengths.any():
            # `reduce_mean` fails without any piece, as of whitespace.
            return ops.alloc2f(len(data.align.lengths), states.shape[-1])
        pieces = states.reshape(-1, states.shape[-1])[data.align.dataXd]
        return ops.reduce_mean(ops.asarray2f(pieces), ops.asarray1i(data.align.lengths))


def _round(rows: numpy.ndarray) -> numpy.ndarray:
    """To float16, whose range is small. What is not finite stays so, to be noticed."""
    limit = numpy.finfo("float16").max
    clipped = numpy.where(numpy.isfinite(rows), rows.clip(-limit, limit), rows)
    return clipped.astype("float16")


def choose_layers(layers: Layers, depth: int) -> Sequence[int]:
    """Spell out which layers are chosen.

    layers (Layers): The choice.
    depth (int): The number of layers, without the embeddings.
    RETURNS (Sequence[int]): The numbers of the layers.
    """
    if layers == "middle":
        # Rounded up, for fewer layers than three too: 2 to 4 of six, 4 to 8 of twelve.
        return range(-(-depth // 3), -(-2 * depth // 3) + 1)
    return layers


def _identify(model: Model, layers: Layers | None) -> str:
    """What tells an encoder without weights from others, for people and programs."""
    digest = blake2b(digest_size=8)
    for node in model.walk():
        sizes = [(dim, node.maybe_get_dim(dim)) for dim in node.dim_names]
        digest.update(repr((node.name, sorted(sizes))).encode("utf8"))
        for name, value in sorted(node.attrs.items()):
            # Functions can't be told apart; `key` has the windows one of them cuts.
            with suppress(TypeError):
                digest.update(name.encode("utf8") + srsly.msgpack_dumps(value))
        for settings in ("_init_tokenizer_config", "_init_transformer_config"):
            # Set to true for every transformer when it is loaded.
            plain = {**getattr(node, settings, {}), "return_dict": True}
            digest.update(srsly.json_dumps(plain, sort_keys=True).encode("utf8"))
    name = model.attrs.get("name", model.name)
    return f"'{name}' with layers = {layers} ({digest.hexdigest()})"


def _attributes_read(model: Model) -> list[int | str]:
    """What a tok2vec looks at, beside the words themselves."""
    return sorted(
        {
            attribute
            for node in model.walk()
            if node.name == "extract_features"
            for attribute in node.attrs["columns"]
        },
        key=str,
    )
