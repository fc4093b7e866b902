"""A frozen encoder in a folder, with the rows of all texts it was run on.

    encoder       its weights
    about.json    what is known about it without them; written last
    rows/         the rows

The trainings of a run look at the same texts. They find the rows here and never load
the encoder itself, nor is it written again with each model that they save.
"""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import srsly
from thinc.api import Model

from ..atomic import write_bytes, write_file
from ..errors import Errors
from .row_folder import RowFolder

ROWS = "rows"
_ABOUT = "about.json"


class SharedEncoder:
    """A folder that many processes look into.

    folder (Path): The folder, made when there is something to put into it.
    identity (str): Tells the encoder from others, which must not be there.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self.folder = folder
        self._identity = identity
        self.rows = RowFolder(folder / ROWS)

    def is_stored(self) -> bool:
        """RETURNS (bool): Whether the encoder is stored; an error if another one is."""
        if not self._about.exists():
            return False
        found = srsly.read_json(self._about).get("encoder", self._identity)
        if found != self._identity:
            raise ValueError(
                Errors.A133.format(
                    folder=self.folder, found=found, expected=self._identity
                )
            )
        return True

    @property
    def width(self) -> int:
        """RETURNS (int): The width of its rows."""
        return srsly.read_json(self._about)["width"]

    @property
    def checksum(self) -> str | None:
        """RETURNS (str | None): Tells the weights from others."""
        return srsly.read_json(self._about).get("checksum")

    def store(self, model: Model) -> None:
        """Put the encoder into the folder. If several processes do, it is the same one.

        model (Model): The encoder, initialized.
        """
        data = model.to_bytes()
        write_bytes(self._encoder, data)
        about = {
            "width": model.get_dim("nO"),
            "encoder": self._identity,
            "checksum": blake2b(data, digest_size=16).hexdigest(),
        }
        write_file(self._about, lambda beside: srsly.write_json(beside, about))

    def read(self) -> bytes:
        """RETURNS (bytes): The encoder, for `Model.from_bytes`."""
        return self._encoder.read_bytes()

    @property
    def _encoder(self) -> Path:
        return self.folder / "encoder"

    @property
    def _about(self) -> Path:
        return self.folder / _ABOUT

    def __reduce__(self) -> tuple[Any, ...]:
        # Open files stay with the process that opened them.
        return SharedEncoder, (self.folder, self._identity)


def find_shared(folder: Path, identity: str, checksum: str) -> SharedEncoder | None:
    """Find an encoder among those of several runs.

    folder (Path): What `--paths.rows` named.
    identity (str): Tells its structure and settings from others.
    checksum (str): Tells its weights from others.
    RETURNS (SharedEncoder | None): The encoder, if it is there.
    """
    for path in sorted(folder.glob(f"*/{_ABOUT}")):
        about = srsly.read_json(path)
        if (about.get("encoder"), about.get("checksum")) == (identity, checksum):
            return SharedEncoder(path.parent, identity)
    return None
