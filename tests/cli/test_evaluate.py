import json
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from click.testing import Result

from spacy_adak.data.docbin import write_docbin

Run = Callable[..., Result]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ann"}])
    nlp.to_disk(tmp_path / "model")
    return tmp_path / "model"


@pytest.fixture
def data_path(tmp_path: Path) -> Path:
    doc = spacy.blank("en")("Ann met Bob")
    doc.set_ents([doc.char_span(0, 3, label="PER")], default="missing")
    write_docbin(tmp_path / "gold.spacy", [doc])
    return tmp_path / "gold.spacy"


def test_commands_are_listed(adak: Run) -> None:
    stdout = adak("--help").stdout
    for command in ("convert", "corrupt", "evaluate"):
        assert command in stdout


def test_table_warning_and_json(adak: Run, model: Path, data_path: Path) -> None:
    output = data_path.with_name("scores.json")
    result = adak("evaluate", model, data_path, "--output", output)
    assert result.exit_code == 0
    rows = [row.split() for row in result.stdout.splitlines()]
    assert ["PER", "-", "100.00", "(20.7", "to", "100.0)", "-", "1"] in rows
    assert "[W401]" in result.stdout
    assert json.loads(output.read_text())["missing_tokens"] == 2


def test_json_alone_goes_to_stdout(adak: Run, model: Path, data_path: Path) -> None:
    result = adak("evaluate", model, data_path, "--json", "--annotation-recall", "0.5")
    scores = json.loads(result.stdout)
    assert scores["ents_p"] == 1.0
    assert "at random" in scores["note"]


def test_code_is_imported_before_the_pipeline_is_loaded(
    adak: Run, model: Path, data_path: Path
) -> None:
    code = data_path.with_name("my_code.py")
    code.write_text(
        "from spacy.language import Language\n"
        "@Language.component('test_evaluate_own')\n"
        "def own(doc): return doc\n"
    )
    config = (model / "config.cfg").read_text()
    config = config.replace('["entity_ruler"]', '["entity_ruler","own"]')
    own = '\n[components.own]\nfactory = "test_evaluate_own"\n'
    (model / "config.cfg").write_text(config + own)
    assert adak("evaluate", model, data_path, "--code", code).exit_code == 0


def test_unknown_pipeline_fails_with_a_message(adak: Run, data_path: Path) -> None:
    result = adak("evaluate", "no_such_model", data_path)
    assert result.exit_code == 1
    assert "no_such_model" in result.stdout
