"""An encoder that is never trained, and runs once per text."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import numpy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Model, Shim, fix_random_seed
from thinc.types import Floats2d

from .remembered_rows import RememberedRows
from .token_rows import TokenEncoder

_NAME = "frozen_encoder"
_MEGABYTE = 2**20


@registry.architectures("spacy-adak.FrozenEncoder.v1")
def build_frozen_encoder(
    encoder: Model[list[Doc], Any],
    layers: list[int] | None = None,
    memory_limit_mb: int = 1024,
) -> Model[list[Doc], list[Floats2d]]:
    """An encoder that stays as it is. While a pipeline is trained it runs once per
    text, and its rows are remembered as float16.

    encoder (Model): `spacy-transformers.TransformerModel.v3`, whose pieces are averaged
        per token, or a tok2vec: Model[List[Doc], List[Floats2d]].
    layers (Optional[List[int]]): Layers of a transformer to average, for instance
        [-3, -2, -1]. Its last one if not given.
    memory_limit_mb (int): How much to remember in memory, before a file on disk is
        used.
    RETURNS (Model[List[Doc], List[Floats2d]]): The model.
    """
    frozen = FrozenShim(TokenEncoder(encoder, layers), memory_limit_mb * _MEGABYTE)
    return Model(
        _NAME,
        _forward,
        init=_init,
        shims=[frozen],
        dims={"nO": encoder.maybe_get_dim("nO")},
    )


def share_rows(nlp: Language, folder: Path) -> bool:
    """Have all frozen encoders of a pipeline share what they remember with other
    processes.

    nlp (Language): The pipeline, initialized.
    folder (Path): The folder to share. Encoders that differ do not meet in it.
    RETURNS (bool): Whether there are any.
    """
    encoders = list(frozen_encoders(nlp))
    for encoder in encoders:
        _shim(encoder).share(folder)
    return bool(encoders)


def frozen_encoders(nlp: Language) -> Iterator[Model[list[Doc], list[Floats2d]]]:
    """YIELDS (Model): The frozen encoders of a pipeline."""
    for _, component in nlp.pipeline:
        model = getattr(component, "model", None)
        if isinstance(model, Model):
            yield from (node for node in model.walk() if node.name == _NAME)


def _shim(model: Model) -> "FrozenShim":
    return cast(FrozenShim, model.shims[0])


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    shim = _shim(model)
    shim.initialize(X)
    model.set_dim("nO", shim.encoder.model.get_dim("nO"), force=True)


def _forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    shim = _shim(model)
    if is_train:
        shim.remember()
    filled = iter(shim.rows([doc for doc in docs if len(doc)]))
    empty = numpy.zeros((0, model.get_dim("nO")))
    asarray: Callable[..., Any] = model.ops.asarray
    return [
        asarray(next(filled) if len(doc) else empty, dtype="float32") for doc in docs
    ], _no_gradient


def _no_gradient(d_rows: list[Floats2d]) -> list[Doc]:
    return []


class FrozenShim(Shim):
    """Holds an encoder where Thinc finds no weights to update, and is serialized with
    it. What it remembers is not.

    encoder (TokenEncoder): The encoder.
    memory_limit (int): In bytes.
    """

    def __init__(self, encoder: TokenEncoder, memory_limit: int) -> None:
        super().__init__(None)
        self.encoder = encoder
        self._memory_limit = memory_limit
        self._has_weights = False
        self._fingerprint: str | None = None
        self._remembered: RememberedRows | None = None

    def initialize(self, docs: list[Doc] | None) -> None:
        """Get the weights, unless there are some: nothing is learnt that a new training
        would have to forget. They are the same in all trainings whatever their seed,
        even where chance has a part in them: in layers that a checkpoint leaves out.

        docs (list[Doc] | None): A sample of the texts.
        """
        if not self._has_weights:
            with _seed_of_its_own():
                self.encoder.initialize(docs)
            self._has_weights = True
        self.remember()

    def remember(self) -> None:
        """Remember rows from now on. A pipeline that only predicts never does: it would
        grow with every text."""
        if self._remembered is None:
            self._remembered = RememberedRows(self._memory_limit)

    def share(self, folder: Path) -> None:
        """Remember rows in a folder, together with other processes that have the very
        same encoder.

        folder (Path): The folder.
        """
        if self._fingerprint is None:
            self._fingerprint = self._digest(self.encoder.model.to_bytes())
        self._remembered = RememberedRows(0, folder / self._fingerprint)

    def _digest(self, encoder: bytes) -> str:
        """Tells the encoder from all that may give other rows. It stays with the
        encoder: what is serialized a second time need not be the same bytes."""
        digest = blake2b(encoder, digest_size=16)
        digest.update(repr(self.encoder.layers).encode())
        return digest.hexdigest()

    def rows(self, docs: Sequence[Doc]) -> list[numpy.ndarray]:
        """Look up the rows of texts, and encode those that are not known.

        docs (Sequence[Doc]): Texts with tokens.
        RETURNS (list[ndarray]): (tokens, width) float16 of each text.
        """
        if self._remembered is None:
            return list(self.encoder.encode(docs))
        keys = [self.encoder.key(doc) for doc in docs]
        known: dict[bytes, numpy.ndarray] = {}
        unknown: dict[bytes, Doc] = {}
        for key, doc in zip(keys, docs, strict=True):
            rows = self._remembered.get(key)
            if rows is None:
                unknown[key] = doc
            else:
                known[key] = rows
        encoded = self.encoder.encode(list(unknown.values()))
        for key, rows in zip(unknown, encoded, strict=True):
            self._remembered.add(key, rows)
            known[key] = rows
        return [known[key] for key in keys]

    def finish_update(self, optimizer: Any) -> None:
        """Nothing to update."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the encoder to a GPU or back."""
        if device_type == "cpu":
            self.encoder.model.to_cpu()
        else:
            self.encoder.model.to_gpu(device_id)

    def to_bytes(self) -> bytes:
        """RETURNS (bytes): The encoder."""
        encoder = self.encoder.model.to_bytes()
        if self._has_weights and self._fingerprint is None:
            self._fingerprint = self._digest(encoder)
        return srsly.msgpack_dumps(
            {"encoder": encoder, "fingerprint": self._fingerprint}
        )

    def from_bytes(self, data: bytes) -> "FrozenShim":
        """Load the encoder.

        data (bytes): What `to_bytes` returned.
        RETURNS (FrozenShim): The shim itself.
        """
        message = srsly.msgpack_loads(data)
        self.encoder.model.from_bytes(message["encoder"])
        self._fingerprint = message["fingerprint"]
        self._has_weights = self._fingerprint is not None
        self._remembered = None
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_remembered": None}


@contextmanager
def _seed_of_its_own() -> Iterator[None]:
    """Draw the same random numbers every time, and leave those of others alone."""
    states = random.getstate(), numpy.random.get_state()
    with torch.random.fork_rng():
        fix_random_seed(0)
        try:
            yield
        finally:
            random.setstate(states[0])
            numpy.random.set_state(states[1])
