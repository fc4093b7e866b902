"""Several files that all exist, or none of them."""

from contextlib import suppress
from pathlib import Path
from types import TracebackType

from ..atomic import (
    follow_links,
    full_disk_behind,
    place_beside,
    put_in_place,
    remove,
    sync,
)


class Staging:
    """Files that are written under temporary names, and renamed when all are
    complete."""

    def __init__(self) -> None:
        self._places: dict[Path, Path] = {}
        self._made: list[Path] = []

    def __enter__(self) -> "Staging":
        return self

    def place(self, path: Path) -> Path:
        """Choose where to write a file.

        path (Path): The file, or a link to it; missing parent folders are made.
        RETURNS (Path): Its place until all are whole.
        """
        path = follow_links(path)
        missing = [p for p in path.parents if not p.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        self._made += reversed(missing)
        self._places[path] = place_beside(path)
        return self._places[path]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        folders = {path.parent for path in self._places}
        found = (full_disk_behind(error, folder) for folder in folders)
        full = next((full for full in found if full is not None), None)
        try:
            if error is None:
                for beside in self._places.values():
                    sync(beside)
                for path, beside in self._places.items():
                    put_in_place(beside, path)
                for folder in folders:
                    sync(folder)
        finally:
            for beside in self._places.values():
                remove(beside)
            for folder in reversed(self._made):
                with suppress(OSError):  # there is something in it
                    folder.rmdir()
        if full is not None:
            raise full from error
