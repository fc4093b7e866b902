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
from spacy.util import minibatch
from thinc.api import Model

from ..annotation.known import shorten
from ..errors import Errors, Warnings
from .curated import hidden_states, is_curated
from .row_folder import KEY_LENGTH
from .transformer_rows import TransformerRows

# How many texts a tok2vec reads at a time.
_TEXTS_PER_BATCH = 32
# How many tokens a transformer is given at a time, to be put into batches.
_TOKENS_AT_A_TIME = 8192
Layers = Sequence[int] | Literal["middle"]


class TokenEncoder:
    """Gives rows of tokens, rounded to float16 whether they are remembered or not.

    model (Model): A transformer of spacy-transformers or spacy-curated-transformers, or
        a tok2vec.
    layers (Layers | None): The layers of the transformer to average, 0 being its
        embeddings and -1 the last layer, which it is if there are none. "middle" are
        those from a third to two thirds of its depth.
    reduced (bool): Whether the transformer computes with 8 bits on a CPU, and with 16
        on a GPU.

    identity (str): Tells it from encoders of another structure, name or choice of
        layers.
    """

    def __init__(
        self, model: Model, layers: Layers | None, reduced: bool = False
    ) -> None:
        self.model = model
        self.layers = layers
        self.is_transformer = "set_transformer" in model.attrs
        self._is_curated = is_curated(model)
        if any(map(_is_listener, model.walk())):
            raise ValueError(Errors.A121.format(encoder=model.name))
        if layers is not None and not (self.is_transformer or self._is_curated):
            raise ValueError(Errors.A122.format(layers=layers, encoder=model.name))
        if layers is not None and not layers:
            raise ValueError(Errors.A123.format(layers=layers, valid="those it has"))
        if reduced and not self.is_transformer:
            raise ValueError(Errors.A139.format(encoder=model.name))
        self._transformer_rows = TransformerRows(model, reduced)
        self._has_warned = False
        self._attributes = [ORTH, SPACY, *_attributes_read(model)]
        self._transformers = [n for n in model.walk() if "get_spans" in n.attrs]
        self._has_vectors = any(node.name == "static_vectors" for node in model.walk())
        # As in the config: once there are weights, their settings are in the model too.
        self.identity = _identify(model, layers, reduced)

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
        if self.is_transformer:
            self._chosen_layers()

    def _chosen_layers(self) -> Sequence[int] | None:
        """The numbers of the layers; an error if the transformer does not have them."""
        if self.layers is None:
            return None
        depth = cast(Any, self.model).transformer.config.num_hidden_layers
        return choose_layers(self.layers, depth)

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

    def encode(
        self, docs: Sequence[Doc], *, alike: bool = True
    ) -> Iterator[numpy.ndarray]:
        """Run the encoder. Nothing is remembered of it that could be trained.

        docs (Sequence[Doc]): Texts with tokens.
        alike (bool): Whether a text has the same rows whatever the other texts are, to
            the bit. Otherwise they may differ by what is lost in rounding.
        YIELDS (ndarray): (tokens, width) float16 of each text.
        """
        encode = self._run_transformer if self.is_transformer else self._run_model
        return map(_round, encode(docs, alike))

    def _run_transformer(
        self, docs: Sequence[Doc], alike: bool
    ) -> Iterator[numpy.ndarray]:
        # It may have been loaded with weights for which no layers were chosen.
        layers = self._chosen_layers()
        for part in _parts(docs):
            encoded = self._transformer_rows.encode(part, layers, alike)
            for doc, found in zip(part, encoded, strict=True):
                if found.is_truncated:
                    self._warn_of_lost_tokens(doc, found.pieces_per_token)
                yield found.rows

    def _run_model(self, docs: Sequence[Doc], alike: bool) -> Iterator[numpy.ndarray]:
        one_by_one = alike and self.model.ops.device_type == "cpu"
        for batch in minibatch(docs, size=1 if one_by_one else _TEXTS_PER_BATCH):
            output = self._read(batch)
            for doc, rows in zip(batch, output, strict=True):
                if len(rows) != len(doc):
                    raise ValueError(
                        Errors.A124.format(
                            found=len(rows), expected=len(doc), text=shorten(doc)
                        )
                    )
                yield self.model.ops.to_numpy(rows)

    def _read(self, docs: list[Doc]) -> list[Any]:
        if not self._is_curated:
            return self.model.predict(docs)
        states_per_doc = hidden_states(self.model, docs)
        chosen = choose_layers(self.layers or [-1], len(states_per_doc[0]) - 1)
        return [
            numpy.mean([states[number] for number in chosen], axis=0)
            for states in states_per_doc
        ]

    def _warn_of_lost_tokens(self, doc: Doc, pieces_per_token: numpy.ndarray) -> None:
        """Say once that windows have more pieces than the transformer reads.

        doc (Doc): A text with such a window.
        pieces_per_token (ndarray): How many pieces of each token it reads.
        """
        if self._has_warned:
            return
        for token, n_pieces in zip(doc, pieces_per_token, strict=True):
            if not n_pieces and not token.is_space:
                self._has_warned = True
                limit = cast(Any, self.model).tokenizer.model_max_length
                message = Warnings.W122.format(
                    token=token.text, text=shorten(doc), limit=limit
                )
                warnings.warn(message, stacklevel=2)
                return


def _parts(docs: Sequence[Doc]) -> Iterator[list[Doc]]:
    """Some texts at a time, in order."""
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        part.append(doc)
        n_tokens += len(doc)
        if n_tokens >= _TOKENS_AT_A_TIME:
            yield part
            part, n_tokens = [], 0
    if part:
        yield part


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
    if not all(-depth - 1 <= layer <= depth for layer in layers):
        valid = f"{-depth - 1} to {depth}"
        raise ValueError(Errors.A123.format(layers=layers, valid=valid))
    return layers


def _is_listener(node: Model) -> bool:
    # The two packages for transformers write it down in different places.
    return hasattr(node, "upstream_name") or "_upstream_name" in node.attrs


def _identify(model: Model, layers: Layers | None, reduced: bool) -> str:
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
    reduces = ", reduced" if reduced else ""
    return f"'{name}' with layers = {layers}{reduces} ({digest.hexdigest()})"


def _attributes_read(model: Model) -> list[int | str]:
    """What a tok2vec reads, apart from the words themselves."""
    return sorted(
        {
            attribute
            for node in model.walk()
            if node.name == "extract_features"
            for attribute in node.attrs["columns"]
        },
        key=str,
    )
