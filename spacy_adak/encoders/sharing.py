"""Where the trainings of a run share frozen encoders, and how configs say so."""

from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any

import srsly
from spacy.util import get_package_path, is_package
from thinc.api import Config

from ..atomic import remove
from .shared_encoder import ROWS

FOLDER = "frozen"
_ARCHITECTURE = "spacy-adak.FrozenEncoder.v1"
# Settings that only say where rows are kept.
_KEEPS_ROWS = ("memory_limit_mb", "shared")
_MEGABYTE = 2**20


def has_frozen_encoder(config: Config) -> bool:
    """RETURNS (bool): Whether there is an encoder to share."""
    return any(frozen_blocks(config.interpolate()["components"]))


def share_frozen_encoders(config: Config, folder: Path) -> None:
    """Let frozen encoders store themselves and their rows once for the whole run, or
    for all runs whose configs name the same folder.

    config (Config): The config of a training, which is changed.
    folder (Path): Where to, unless the config says it. Encoders that differ do not meet
        there.
    """
    filled = config.interpolate()
    for block, values in _spelt_out(config["components"], filled["components"]):
        named = values.get("shared")
        gives_rows = {key: values[key] for key in values if key not in _KEEPS_ROWS}
        digest = blake2b(srsly.json_dumps(gives_rows, sort_keys=True).encode("utf8"))
        if named:
            # Other runs may have found other files under the same names.
            for file in _files_read(values, filled):
                status = file.stat()
                content = _checksum(file, status.st_size, status.st_mtime_ns)
                digest.update(f"{file.name} {content}".encode())
        place = Path(named or folder).resolve()
        block["shared"] = str(place / digest.hexdigest()[:16])


def _spelt_out(
    block: dict[str, Any], filled: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Frozen encoders in a block, and the same with the values of variables. A variable
    that stands for a block with one is replaced by that block."""
    if filled.get("@architectures") == _ARCHITECTURE:
        yield block, filled
    for key, value in filled.items():
        if any(frozen_blocks(value)):
            if not isinstance(block[key], dict):
                block[key] = deepcopy(value)
            yield from _spelt_out(block[key], value)


def _files_read(values: dict[str, Any], config: Config) -> Iterator[Path]:
    """The files of a transformer in a folder, or those of the word vectors, which
    everything but a transformer may look at."""
    architecture = values["encoder"].get("@architectures", "")
    paths: list[Path] = []
    if architecture.startswith("spacy-transformers."):
        paths = _in_folder(values["encoder"]["name"])
    elif architecture.startswith("spacy-curated-transformers."):
        for setting in ("encoder_loader", "piecer_loader"):
            loader = values.get(setting) or {}
            paths += _in_folder(loader.get("name") or loader.get("path") or "")
    else:
        vectors = config.get("initialize", {}).get("vectors")
        if vectors is not None:
            folder = get_package_path(vectors) if is_package(vectors) else Path(vectors)
            paths = list(folder.rglob("vocab/*"))
    yield from sorted(path for path in paths if path.is_file())


def _in_folder(path: str) -> list[Path]:
    """The files in a folder, or the file that it is; none of a name on the hub."""
    return list(Path(path).iterdir()) if Path(path).is_dir() else [Path(path)]


@lru_cache
def _checksum(file: Path, size: int, changed: int) -> str:
    digest = sha256()
    with file.open("rb") as content:
        while part := content.read(_MEGABYTE):
            digest.update(part)
    return digest.hexdigest()


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
