"""Where the trainings of a run share frozen encoders, and how configs say so."""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import srsly
from thinc.api import Config

from ..atomic import remove
from ..pipeline.shared_encoder import ROWS

FOLDER = "frozen"
_ARCHITECTURE = "spacy-adak.FrozenEncoder.v1"


def has_frozen_encoder(config: Config) -> bool:
    """RETURNS (bool): Whether there is an encoder to share."""
    return any(frozen_blocks(config["components"]))


def share_frozen_encoders(config: Config, folder: Path) -> None:
    """Have frozen encoders store themselves and their rows once for the whole run, or
    for all runs whose configs name the same folder.

    config (Config): The config of a training, which is changed.
    folder (Path): Where to, unless the config says it. Encoders that differ do not meet
        there.
    """
    blocks = list(frozen_blocks(config["components"]))
    interpolated = config.interpolate()["components"]
    for block, values in zip(blocks, frozen_blocks(interpolated), strict=True):
        place = Path(values.pop("shared", None) or folder).resolve()
        digest = blake2b(srsly.json_dumps(values, sort_keys=True).encode("utf8"))
        block["shared"] = str(place / digest.hexdigest()[:16])


def forget_shared_folders(config: Config) -> None:
    """Undo what `share_frozen_encoders` has done.

    config (Config): The config, which is changed.
    """
    for block in frozen_blocks(config["components"]):
        block["shared"] = None


def remove_rows(folder: Path) -> None:
    """Remove the rows when a run is done. They may be many, and are soon made again."""
    for rows in folder.glob(f"*/{ROWS}"):
        remove(rows)


def frozen_blocks(block: Any) -> Iterator[dict[str, Any]]:
    """YIELDS (dict[str, Any]): The frozen encoders in a block of a config."""
    if not isinstance(block, dict):
        return
    if block.get("@architectures") == _ARCHITECTURE:
        yield block
    for inner in block.values():
        yield from frozen_blocks(inner)
