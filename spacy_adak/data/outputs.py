"""Which files a command may write to."""

from pathlib import Path

from ..atomic import follow_links
from ..errors import Errors


def refuse_to_overwrite_inputs(output: Path, *inputs: Path | None) -> None:
    """Raise an error if an output is one of the inputs, or is not a file.

    output (Path): The file to write.
    inputs (Path | None): The files to read, or directories of `.spacy` files.
    """
    target = follow_links(Path(output)).resolve()
    for path in inputs:
        if path is None:
            continue
        source = Path(path).resolve()
        is_within = target.suffix == ".spacy" and target.is_relative_to(source)
        if target == source or (is_within and target.exists()):
            raise ValueError(Errors.A315.format(path=output))
