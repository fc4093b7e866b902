from collections.abc import Callable

import pytest
from click.testing import Result
from spacy.cli._util import app
from typer.testing import CliRunner

import spacy_adak.cli  # noqa: F401


@pytest.fixture
def adak() -> Callable[..., Result]:
    """Run `python -m spacy adak` with some arguments."""

    def run(*args: object, **kwargs: object) -> Result:
        return CliRunner().invoke(app, ["adak", *map(str, args)], **kwargs)

    return run
