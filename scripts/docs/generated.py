"""All generated files of the documentation."""

from pathlib import Path

from scripts.make_configuration import make_page

from .api_reference import make_api_page
from .cli_reference import make_cli_page
from .project_page import make_project_page


def generated_files(root: Path) -> dict[str, str]:
    """RETURNS (dict[str, str]): The content of each file, by its path.

    root (Path): The folder of the project.
    """
    return {
        "docs/configuration.md": make_page(),
        "docs/cli.md": make_cli_page(),
        "docs/api.md": make_api_page(),
        "docs/project.md": make_project_page(root),
    }
