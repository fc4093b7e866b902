"""A trainable pipe that notices when the file of its model has been damaged."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

import srsly
from spacy import util
from spacy.pipeline.trainable_pipe import TrainablePipe

from ..errors import Errors

_CHECKSUM_LENGTH = sha256().digest_size


class CheckedPipe(TrainablePipe):
    """Serializes as every trainable pipe does, with a checksum in front of the model.
    Nothing of a model is read before its checksum is found to be right."""

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the pipe to a bytestring.

        exclude (Iterable[str]): Names of serialization fields to exclude.
        RETURNS (bytes): The serialized pipe.
        """
        self._validate_serialization_attrs()
        serialize = {
            "cfg": lambda: srsly.json_dumps(self.cfg),
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
            "model": self._model_to_bytes,
        }
        return util.to_bytes(serialize, exclude)

    def from_bytes(
        self, bytes_data: bytes, *, exclude: Iterable[str] = ()
    ) -> "CheckedPipe":
        """Load the pipe from a bytestring.

        bytes_data (bytes): The serialized pipe.
        exclude (Iterable[str]): Names of serialization fields to exclude.
        RETURNS (CheckedPipe): The pipe itself.
        """
        self._validate_serialization_attrs()
        deserialize: dict[str, Callable[[bytes], Any]] = {
            "cfg": lambda data: self._read_cfg(lambda: srsly.json_loads(data)),
            "vocab": lambda data: self.vocab.from_bytes(data, exclude=exclude),
            "model": self._model_from_bytes,
        }
        util.from_bytes(bytes_data, deserialize, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Serialize the pipe to disk.

        path (str | Path): A directory.
        exclude (Iterable[str]): Names of serialization fields to exclude.
        """
        self._validate_serialization_attrs()
        serialize = {
            "cfg": lambda p: srsly.write_json(p, self.cfg),
            "vocab": lambda p: self.vocab.to_disk(p, exclude=exclude),
            "model": lambda p: p.write_bytes(self._model_to_bytes()),
        }
        util.to_disk(path, serialize, exclude)

    def from_disk(
        self, path: str | Path, *, exclude: Iterable[str] = ()
    ) -> "CheckedPipe":
        """Load the pipe from disk.

        path (str | Path): A directory.
        exclude (Iterable[str]): Names of serialization fields to exclude.
        RETURNS (CheckedPipe): The pipe itself.
        """
        self._validate_serialization_attrs()
        deserialize = {
            "cfg": lambda p: self._read_cfg(lambda: srsly.read_json(p)),
            "vocab": lambda p: self.vocab.from_disk(p, exclude=exclude),
            "model": lambda p: self._model_from_bytes(p.read_bytes()),
        }
        util.from_disk(path, deserialize, exclude)
        return self

    def _read_cfg(self, read: Callable[[], Any]) -> None:
        try:
            cfg = read()
            if not isinstance(cfg, dict):
                raise ValueError(f"it holds a {type(cfg).__name__}, not an object")
            self.check_cfg(cfg)
        except ValueError as error:
            message = Errors.A117.format(name=self.name, error=error)
            raise ValueError(message) from error
        self.cfg.update(cfg)

    def _model_to_bytes(self) -> bytes:
        model = self.model.to_bytes()
        return sha256(model).digest() + model

    def _model_from_bytes(self, data: bytes) -> None:
        checksum, model = data[:_CHECKSUM_LENGTH], data[_CHECKSUM_LENGTH:]
        found = sha256(model).digest()
        if found != checksum:
            raise ValueError(
                Errors.A109.format(
                    name=self.name, found=found.hex(), expected=checksum.hex()
                )
            )
        self.model.from_bytes(model)
        self.check_model()

    def check_cfg(self, cfg: dict[str, Any]) -> None:
        """Raise a ValueError if what was just loaded as `cfg` makes no sense."""
        raise NotImplementedError

    def check_model(self) -> None:
        """Check a model that was just loaded against the settings of the pipe."""
        raise NotImplementedError
