"""The page about the spaCy project, from `project.yml`."""

import shutil
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from weasel.cli.document import project_document


def make_project_page(root: Path) -> str:
    """Describe the project as `spacy project document` does.

    root (Path): The folder with `project.yml`.
    RETURNS (str): The page.
    """
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()) as output:
        # Files that exist become links, which only what is in the repository may be.
        shutil.copy(root / "project.yml", folder)
        project_document(Path(folder), Path("-"), no_emoji=True)
    lines = output.getvalue().strip().splitlines()
    marked = [line for line in lines if not line.startswith("<!--")]
    page = "\n".join(marked).replace("](project.yml)", "](../project.yml)")
    return f"{page.strip()}\n"
