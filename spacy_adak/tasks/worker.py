"""What a process has that does tasks: a device, code of the user, and models."""

from collections.abc import Sequence
from pathlib import Path

from spacy.cli._util import import_code
from spacy.language import Language
from spacy.util import load_model
from thinc.api import require_gpu


def prepare_worker(use_gpu: int, code_path: Path | None) -> None:
    """Prepare this process for a task.

    use_gpu (int): The id of a GPU, or -1.
    code_path (Path | None): Python code to import.
    """
    if use_gpu >= 0:
        require_gpu(use_gpu)
    import_code(code_path)


# Models by their path, and which version they are.
_ModelKey = tuple[Path, int, int]
_loaded: dict[_ModelKey, Language] = {}


def load_models(paths: Sequence[Path]) -> list[Language]:
    """Load the models for a task. Most tasks need those of the task before, which are
    kept for them.

    paths (Sequence[Path]): Their folders.
    RETURNS (list[Language]): The models.
    """
    keys = [_key(path) for path in paths]
    for key in _loaded.keys() - set(keys):
        del _loaded[key]
    for key in keys:
        if key not in _loaded:
            _loaded[key] = load_model(key[0])
    return [_loaded[key] for key in keys]


def _key(path: Path) -> _ModelKey:
    # A new run in the same folder has other models under the same paths.
    meta = (path / "meta.json").stat()
    return path, meta.st_ino, meta.st_mtime_ns
