import os
import shutil
from functools import partial
from pathlib import Path

import pytest
from spacy.vocab import Vocab

from scripts.experiments.cells import Cell
from scripts.experiments.corpora import prepare_corpus, training_data
from spacy_adak.data.docbin import read_docbin

ROOT = Path(__file__).parents[2]
CELL = Cell("sample", "cpu", "random", 0.4, "crf", 0)
prepare = partial(prepare_corpus, "sample", 6, local_data=None)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a small sample."""
    (tmp_path / "assets").mkdir()
    for path in (ROOT / "assets").glob("*.jsonl"):
        lines = path.read_text(encoding="utf8").splitlines(keepends=True)
        asset = tmp_path / "assets" / path.name
        asset.write_text("".join(lines[:8]), encoding="utf8")
        os.utime(asset, (0, 0))
    return tmp_path


def texts(path: Path) -> list[str]:
    return [doc.text for doc in read_docbin(path, Vocab())]


def shift(folder: Path, seconds: float) -> None:
    """Make everything in a folder as old as if it had been made at another time."""
    for path in folder.rglob("*.spacy"):
        time = path.stat().st_mtime + seconds
        os.utime(path, (time, time))


def test_what_is_made_is_kept(root: Path) -> None:
    path = training_data(prepare(root=root), CELL)
    made = path.stat().st_mtime_ns
    assert training_data(prepare(root=root), CELL) == path
    assert path.stat().st_mtime_ns == made


def test_what_is_made_is_kept_without_its_source(root: Path) -> None:
    path = training_data(prepare(root=root), CELL)
    shutil.rmtree(root / "assets")
    assert training_data(prepare(root=root), CELL) == path


def test_what_is_older_than_its_source_is_made_anew(root: Path) -> None:
    path = training_data(prepare(root=root), CELL)
    before = texts(path)
    shift(root / "corpus", -60)
    asset = root / "assets" / "train.jsonl"
    lines = asset.read_text(encoding="utf8").splitlines(keepends=True)
    asset.write_text("".join(lines[::-1]), encoding="utf8")
    time = path.stat().st_mtime + 30
    os.utime(asset, (time, time))
    assert training_data(prepare(root=root), CELL) == path
    assert texts(path) != before
    assert texts(path) == texts(root / "corpus" / "sample" / "train.spacy")[:6]
