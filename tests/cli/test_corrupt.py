from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result

from spacy_adak.data.docbin import write_docbin

Run = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    doc = spacy.blank("en")("Ann met Bob")
    doc.set_ents(
        [doc.char_span(0, 3, label="PER"), doc.char_span(8, 11, label="PER")],
        default="outside",
    )
    write_docbin(tmp_path / "a.spacy", [doc])
    return tmp_path / "a.spacy"


def test_help_explains_both_schemes(adak: Run) -> None:
    result = adak("corrupt", "--help")
    assert result.exit_code == 0
    assert "[random|entity]" in result.stdout


def test_table_says_what_is_kept(adak: Run, path: Path) -> None:
    result = adak("corrupt", path, path.with_name("b.spacy"), "--keep-ratio", 0.5)
    assert result.exit_code == 0
    assert ["PER", "1", "2", "50.0"] in [
        row.split() for row in result.stdout.splitlines()
    ]
    assert path.with_name("b.spacy").exists()


def test_impossible_ratio_fails_with_a_message(adak: Run, path: Path) -> None:
    result = adak("corrupt", path, path.with_name("b.spacy"), "-r", 1.5)
    assert result.exit_code == 1
    assert "[A313]" in result.stdout
    assert not path.with_name("b.spacy").exists()
