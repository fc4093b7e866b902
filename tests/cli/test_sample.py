import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from spacy_adak.data.docbin import write_docbin
from tests.recall.texts import keep, make_text

Run = Callable[..., Result]


@pytest.fixture
def data_path(tmp_path: Path) -> Path:
    rng = random.Random(0)
    docs = [keep(make_text(rng), rng, 0.5) for _ in range(80)]
    write_docbin(tmp_path / "train.spacy", docs)
    return tmp_path / "train.spacy"


def test_tasks_and_what_they_give(adak: Run, data_path: Path) -> None:
    output = data_path.with_name("tasks.jsonl")
    result = adak("sample", data_path, output, "--n-texts", 25)
    assert result.exit_code == 0
    assert "Drew 25 of 80 texts" in result.stdout
    rows = [line.split() for line in result.stdout.splitlines()]
    assert any(row[:1] == ["25"] and "±" in row for row in rows)
    tasks = [json.loads(line) for line in output.read_text().splitlines()]
    assert len(tasks) == 25
    assert all("spans" not in task for task in tasks)


def test_suggestions_need_a_pipeline(adak: Run, data_path: Path) -> None:
    output = data_path.with_name("tasks.jsonl")
    result = adak("sample", data_path, output, "--with-suggestions")
    assert result.exit_code == 1
    assert "A411" in result.stdout
    assert not output.exists()
