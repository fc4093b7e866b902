"""The page with all settings has all of them, and is what the code says."""

import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from scripts.make_configuration import FUNCTIONS, LOSSES, main, make_page
from spacy_adak.pipeline.old_settings import OLD_SETTINGS
from spacy_adak.q.adak_block import BLOCKS, AdakSettings

ROOT = Path(__file__).parents[2]
# Set by `adak train` itself, in the configs of its trainings.
INTERNAL = {"spacy-adak.EstimatedCorpus.v1", "spacy-adak.ProgressLogger.v1"}


def rows_of(section: str) -> dict[str, list[str]]:
    """The rows of the table in a section, by the setting."""
    (text,) = (
        part
        for part in make_page().split("\n#")
        if f"`{section}`" in part.split("\n")[0]
    )
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip("| `"): row for row in rows}


def test_page_is_what_the_code_says() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf8")
    assert page == make_page(), "python scripts/make_configuration.py writes it"


def test_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_configuration.py"])
    main()
    page = (tmp_path / "docs" / "configuration.md").read_text(encoding="utf8")
    assert page == make_page()


def test_page_has_all_registered_names() -> None:
    registered = {
        entry_point.name
        for entry_point in distribution("spacy-adak").entry_points
        if entry_point.name.startswith("spacy-adak.")
    }
    described = {f"spacy-adak.{loss.__name__}.v1" for loss in LOSSES} | set(FUNCTIONS)
    assert described | INTERNAL == registered
    for name in described:
        rows_of(name)


@pytest.mark.parametrize(
    ("section", "settings"),
    [
        ("[adak]", AdakSettings.model_fields),
        *((f"[adak.{name}]", block.model_fields) for name, block in BLOCKS.items()),
    ],
)
def test_every_setting_is_described(section: str, settings: dict[str, object]) -> None:
    rows = rows_of(section)
    assert rows.keys() == settings.keys()
    for _, kind, default, text in rows.values():
        assert kind
        assert default.startswith("`")
        assert len(text.split()) > 3


def test_settings_that_have_moved_are_listed() -> None:
    page = make_page()
    for kind, keys in OLD_SETTINGS.items():
        for key in keys:
            assert f"| `[{kind}] {key}` |" in page
