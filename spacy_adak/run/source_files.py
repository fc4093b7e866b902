"""Whether the source files of a run have changed.

A run continues with the data it began with. If the data was corrected since, the user
must be told when the run is resumed.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import srsly
from thinc.api import Config

from ..shards.checkpoint import damage_named, write_json
from ..shards.references import reader_block

_CHUNK = 2**20


def write_digests(config: Config, path: Path) -> None:
    """Write down what the files of a config hold.

    config (Config): The config, interpolated.
    path (Path): The file to write.
    """
    write_json(path, {str(file): _digest(file) for file in _source_files(config)})


def changed_files(path: Path) -> list[str]:
    """Find the files whose content differs from what was recorded. Files that no longer
    exist, or are not on this machine, do not count.

    path (Path): What was written down.
    RETURNS (list[str]): Their paths.
    """
    if not path.exists():  # older versions have written nothing
        return []
    with damage_named(path):
        digests = dict(srsly.read_json(path))
    return [
        file
        for file, digest in digests.items()
        if Path(file).is_file() and _digest(Path(file)) != digest
    ]


def _source_files(config: Config) -> Iterator[Path]:
    for corpus in ("train", "dev"):
        path = reader_block(config, corpus).get("path")
        if isinstance(path, str | Path):
            given = Path(path).absolute()
            files = given.rglob("*.spacy") if given.is_dir() else [given]
            yield from (file for file in sorted(files) if file.is_file())


def _digest(path: Path) -> str:
    digest = hashlib.blake2b()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
