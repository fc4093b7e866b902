"""An encoder that is never trained, and runs once per text."""

import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, cast

import numpy
import srsly
import torch
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab
from thinc.api import Model, Shim
from thinc.types import Floats2d

from ..errors import Errors, Warnings
from .before_fork import pack_before_fork
from .curated import Loader, set_loaders
from .remembered_rows import RecentRows, RememberedRows
from .row_folder import RowFolder
from .shared_encoder import SharedEncoder, find_shared
from .sizes import check_sizes
from .token_rows import TokenEncoder

_NAME = "frozen_encoder"
_MEGABYTE = 2**20
# For rows that are remembered in prediction, which may never end.
_RECENT = 64 * _MEGABYTE


@registry.architectures("spacy-adak.FrozenEncoder.v1")
def build_frozen_encoder(
    encoder: Model[list[Doc], Any],
    layers: list[int] | Literal["middle"] | None = None,
    memory_limit_mb: int = 1024,
    shared: str | None = None,
    reduced: bool = False,
    encoder_loader: Loader | None = None,
    piecer_loader: Loader | None = None,
) -> Model[list[Doc], list[Floats2d]]:
    """An encoder that is never trained. While a pipeline is trained it runs once per
    text, and its vectors are remembered as float16.

    A tok2vec keeps the weights it is initialized with. They are random, unless it has
    static vectors or pretrained weights.

    Remembered vectors are looked up by the words of a text and the spaces between them,
    the attributes that spaCy's `FeatureExtractor` reads, the keys of word vectors, and
    the windows of a transformer. The encoder must not read anything else, such as the
    tags of tokens, because it would not run again when these change.

    A transformer reads windows of similar length together. While a pipeline is trained,
    the vectors of a text do not depend on what else is in the batch. In prediction,
    batches are smaller if there are few texts, and vectors may differ by rounding.

    encoder (Model): `spacy-transformers.TransformerModel.v3` or a transformer of
        spacy-curated-transformers, whose pieces are averaged per token, or a tok2vec:
        Model[List[Doc], List[Floats2d]].
    layers (Union[List[int], Literal["middle"], None]): Layers of a transformer to
        average, for instance [-3, -2, -1]. "middle" are those from a third to two
        thirds of the depth, which recognise entities better than the last ones. With
        null it is the last layer.
    memory_limit_mb (int): How much to remember in memory, before a file on disk is
        used.
    shared (Optional[str]): A folder for the encoder and its vectors, shared by several
        runs of `adak train`. With null each run has its own. In other trainings the
        folder belongs to one encoder: remove it if the files of the encoder have
        changed.
    reduced (bool): Whether a transformer computes with 8 bits on a CPU and with 16 bits
        on a GPU. This is faster, and vectors differ slightly. Not with
        spacy-curated-transformers.
    encoder_loader (Optional[Callable]): Where a transformer of
        spacy-curated-transformers gets its weights from: a block with `@model_loaders`.
        Its component has it in `[initialize]`.
    piecer_loader (Optional[Callable]): Likewise, its word pieces.
    RETURNS (Model[List[Doc], List[Floats2d]]): The model.
    """
    check_sizes("FrozenEncoder", 0, memory_limit_mb=memory_limit_mb)
    set_loaders(encoder, encoder_loader=encoder_loader, piecer_loader=piecer_loader)
    token_encoder = TokenEncoder(encoder, layers, reduced)
    frozen = FrozenShim(
        token_encoder,
        memory_limit_mb * _MEGABYTE,
        SharedEncoder(Path(shared), token_encoder.identity) if shared else None,
    )
    return Model(
        _NAME,
        _forward,
        init=_init,
        shims=[frozen],
        dims={"nO": encoder.maybe_get_dim("nO")},
    )


def frozen_encoders(nlp: Language) -> Iterator["FrozenShim"]:
    """YIELDS (FrozenShim): The frozen encoders of a pipeline."""
    for _, component in nlp.pipeline:
        model = getattr(component, "model", None)
        if isinstance(model, Model):
            for node in model.walk():
                if node.name == _NAME:
                    yield _shim(node)


def share_all_rows(nlp: Language) -> None:
    """Encode texts once for all pipelines that were trained over the same frozen
    encoder with the same `--paths.rows`.

    nlp (Language): One of the pipelines.
    """
    rows = nlp.config.get("paths", {}).get("rows")
    for encoder in frozen_encoders(nlp):
        encoder.share_all_rows(Path(rows) if rows else None)


def _shim(model: Model) -> "FrozenShim":
    return cast(FrozenShim, model.shims[0])


def _init(model: Model, X: list[Doc] | None = None, Y: Any = None) -> None:
    shim = _shim(model)
    shim.initialize(X)
    model.set_dim("nO", shim.width, force=True)


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
    shared (SharedEncoder | None): Where the encoder and its rows are, if not here.
    """

    def __init__(
        self, encoder: TokenEncoder, memory_limit: int, shared: SharedEncoder | None
    ) -> None:
        super().__init__(None)
        self.encoder = encoder
        self._memory_limit = memory_limit
        self._shared = shared
        self._serializes_shared = True
        self._shares_all = False
        self._is_loaded = False
        # Of the weights, if they were shared when the pipeline was trained.
        self._checksum: str | None = None
        self._remembered: RememberedRows | None = None
        self._recent = self._no_recent_rows()
        self._failed: list[RowFolder | RememberedRows] = []

    def initialize(self, docs: list[Doc] | None) -> None:
        """Get the weights, unless there are some: nothing is learnt that a new training
        would have to forget. They are the same in all trainings whatever their seed,
        even where chance has a part in them: in layers that a checkpoint leaves out.

        docs (list[Doc] | None): A sample of the texts.
        """
        is_stored = self._shared is not None and self._shared.is_stored()
        if not self._is_loaded and not is_stored:
            with _random_numbers_kept():
                _seed_everything(0)
                self.encoder.initialize(docs)
            self._is_loaded = True
            if self._shared is not None:
                try:
                    self._shared.store(self.encoder.model)
                except OSError as error:
                    warnings.warn(Warnings.W121.format(error=error), stacklevel=2)
                    self._shared = None
        self.remember()

    @property
    def width(self) -> int:
        """RETURNS (int): The width of the rows, once initialized."""
        if self._shared is not None:
            return self._shared.width
        return self.encoder.model.get_dim("nO")

    def remember(self) -> None:
        """Remember all rows from now on. A pipeline that was loaded and only predicts
        would grow with every text: it remembers those of the last texts."""
        if self._remembered is None:
            self._remembered = RememberedRows(self._memory_limit)

    def _no_recent_rows(self) -> RecentRows:
        return RecentRows(min(self._memory_limit, _RECENT))

    def rows(self, docs: Sequence[Doc]) -> list[numpy.ndarray]:
        """Look up the rows of texts, and encode those that are not known.

        docs (Sequence[Doc]): Texts with tokens.
        RETURNS (list[ndarray]): (tokens, width) float16 of each text.
        """
        stores: list[RowFolder | RememberedRows | RecentRows] = []
        if self._shared is not None:
            stores.append(self._shared.rows)
        if self._remembered is not None:
            stores.append(self._remembered)
        # What is learnt from must not depend on what was predicted before.
        is_for_training = bool(stores)
        if not is_for_training:
            stores.append(self._recent)
        keys = [self.encoder.key(doc) for doc in docs]
        known: dict[bytes, numpy.ndarray] = {}
        unknown: dict[bytes, Doc] = {}
        for key, doc in zip(keys, docs, strict=True):
            found = (store.get(key) for store in stores)
            rows = next((rows for rows in found if rows is not None), None)
            if rows is None:
                unknown[key] = doc
            else:
                known[key] = rows
        encoded = self._encode(list(unknown.values()), alike=is_for_training)
        for key, rows in zip(unknown, encoded, strict=True):
            known[key] = rows
            if self._shares_all and self._shared is not None:
                self._add(self._shared.rows, key, rows)
            elif self._remembered is not None:
                self._add(self._remembered, key, rows)
            elif not is_for_training:
                self._recent.add(key, rows)
        return [known[key] for key in keys]

    def share_all_rows(self, folder: Path | None) -> None:
        """Share the rows of all texts that are read from now on, with pipelines that
        were trained over the same encoder.

        folder (Path | None): What `--paths.rows` named in these trainings.
        """
        if self._shared is None and folder is not None and self._checksum is not None:
            self._shared = find_shared(folder, self.encoder.identity, self._checksum)
        self._shares_all = True

    def share_rows(self, docs: Sequence[Doc]) -> None:
        """Put the rows of texts where other processes find them.

        docs (Sequence[Doc]): Texts.
        """
        if self._shared is None or self._shared.rows in self._failed:
            return
        keys = {self.encoder.key(doc): doc for doc in docs if len(doc)}
        unknown = {
            k: doc for k, doc in keys.items() if self._shared.rows.get(k) is None
        }
        encoded = self._encode(list(unknown.values()))
        for key, rows in zip(unknown, encoded, strict=True):
            self._add(self._shared.rows, key, rows)

    def _add(
        self, store: RowFolder | RememberedRows, key: bytes, rows: numpy.ndarray
    ) -> None:
        """Rows can be computed anew, so a full disk is no reason to stop."""
        if store in self._failed:
            return
        try:
            store.add(key, rows)
        except OSError as error:
            warnings.warn(Warnings.W120.format(error=error), stacklevel=2)
            self._failed.append(store)

    def leave_out_shared(self) -> None:
        """Serialize a shared encoder by the name of its folder from now on."""
        self._serializes_shared = False

    def _encode(
        self, docs: Sequence[Doc], *, alike: bool = True
    ) -> list[numpy.ndarray]:
        if not docs:
            return []
        with _random_numbers_kept():
            if not self._is_loaded and self._shared is not None:
                self.encoder.model.from_bytes(self._shared.read())
                self._is_loaded = True
            return list(self.encoder.encode(docs, alike=alike))

    def pack(self) -> None:
        """Pack the weights that prediction uses, by using them."""
        on_cpu = self.encoder.model.ops.device_type == "cpu"
        if self._remembered is None and on_cpu:
            self._encode([Doc(Vocab(), words=["a"])], alike=False)

    def finish_update(self, optimizer: Any) -> None:
        """Nothing to update."""

    def to_device(self, device_type: str, device_id: int) -> None:
        """Move the encoder to a GPU or back."""
        if device_type == "cpu":
            self.encoder.model.to_cpu()
        else:
            self.encoder.model.to_gpu(device_id)

    def to_bytes(self) -> bytes:
        """RETURNS (bytes): The encoder, unless it is shared and to be left out."""
        message: dict[str, Any] = {"encoder": None, "has_weights": True}
        if self._shared is None:
            message["checksum"] = self._checksum
            message["encoder"] = self.encoder.model.to_bytes()
            message["has_weights"] = self._is_loaded
        elif self._serializes_shared:
            # What was loaded from there would be other bytes, serialized again.
            message["encoder"] = self._shared.read()
            message["checksum"] = self._shared.checksum
        return srsly.msgpack_dumps(message)

    def from_bytes(self, data: bytes) -> "FrozenShim":
        """Load the encoder.

        data (bytes): What `to_bytes` returned.
        RETURNS (FrozenShim): The shim itself.
        """
        message = srsly.msgpack_loads(data)
        self._remembered = None
        self._recent = self._no_recent_rows()
        self._is_loaded = False
        if message["encoder"] is not None:
            self.encoder.model.from_bytes(message["encoder"])
            self._is_loaded = message["has_weights"]
            self._checksum = message.get("checksum")
            self._shared = None
            if self._is_loaded and self.encoder.is_transformer:
                pack_before_fork(self)
        elif self._shared is None or not self._shared.is_stored():
            folder = self._shared.folder if self._shared is not None else None
            raise ValueError(Errors.A125.format(folder=folder))
        return self

    def __getstate__(self) -> dict[str, Any]:
        forgotten = {"_remembered": None, "_recent": self._no_recent_rows()}
        return {**self.__dict__, **forgotten, "_failed": []}


@contextmanager
def _random_numbers_kept() -> Iterator[None]:
    """Leave the random numbers that come next as they are. Encoders draw some, and a
    training must not depend on what had to be encoded."""
    states = random.getstate(), numpy.random.get_state(), torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        numpy.random.set_state(states[1])
        torch.set_rng_state(states[2])


def _seed_everything(seed: int) -> None:
    random.seed(seed)
    numpy.random.seed(seed)
    torch.default_generator.manual_seed(seed)
