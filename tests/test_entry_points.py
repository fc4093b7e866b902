"""What setup.cfg declares is there, under the name it is declared by."""

import importlib
from configparser import ConfigParser
from pathlib import Path

import pytest
from spacy.util import registry


def declared() -> list[tuple[str, str, str]]:
    """The group, name and target of each entry point."""
    config = ConfigParser(delimiters="=")
    config.read(Path(__file__).parents[1] / "setup.cfg", encoding="utf8")
    return [
        (group, *(part.strip() for part in line.split("=", maxsplit=1)))
        for group, lines in config["options.entry_points"].items()
        for line in lines.strip().splitlines()
    ]


@pytest.mark.parametrize(("group", "name", "target"), declared())
def test_entry_point_is_what_is_registered(group: str, name: str, target: str) -> None:
    module, _, attribute = target.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if group in ("spacy_architectures", "spacy_augmenters"):
        assert getattr(registry, group.removeprefix("spacy_")).get(name) is found
