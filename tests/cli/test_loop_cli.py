"""From suggestions to merged decisions, as a user would go."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from spacy_adak.data.docbin import read_docbin, write_docbin
from tests.made_texts import TEXTS, make_doc, trained_nlp

Run = Callable[..., Result]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loop")
    nlp = trained_nlp()
    nlp.to_disk(folder / "model")
    docs = [make_doc(nlp.vocab, text, default="missing") for text, _ in TEXTS]
    write_docbin(folder / "train.spacy", docs)
    return folder


def test_suggest_decide_merge(adak: Run, folder: Path) -> None:
    suggestions = folder / "suggestions.jsonl"
    result = adak("suggest", folder / "model", folder / "train.spacy", suggestions)
    assert result.exit_code == 0, result.stdout
    assert "Shaka Khan" in result.stdout
    assert "train-completed.spacy" in result.stdout
    rows = [json.loads(line) for line in suggestions.read_text().splitlines()]
    decision = {key: rows[0][key] for key in ("form", "label", "kind")}
    decision |= {"scope": "form", "answer": "accept"}
    unknown = decision | {"form": "Nobody"}
    decisions = folder / "decisions.jsonl"
    decisions.write_text(f"{json.dumps(decision)}\n{json.dumps(unknown)}\n{{}}\n")
    merged = folder / "merged.spacy"
    result = adak("merge", folder / "train.spacy", decisions, merged)
    assert result.exit_code == 0, result.stdout
    assert "not in the data: 'Nobody'" in result.stdout
    assert "[W350]" in result.stdout
    (doc, *_) = read_docbin(merged, trained_nlp().vocab)
    assert [ent.text for ent in doc.ents] == [decision["form"]]


def test_conflicts_are_listed(adak: Run, folder: Path) -> None:
    data = folder / "outside.jsonl"
    data.write_text('{"text": "Ann met Bob", "spans": []}\n')
    decisions = folder / "accept.jsonl"
    decision = {"scope": "form", "answer": "accept", "form": "Ann", "label": "PER"}
    decisions.write_text(json.dumps(decision | {"kind": "missed"}) + "\n")
    result = adak("merge", data, decisions, folder / "out.spacy", "-u", "outside")
    assert result.exit_code == 0, result.stdout
    assert "text 1: 'Ann' (PER) was not accepted" in result.stdout


@pytest.mark.parametrize("command", ["suggest", "merge"])
def test_errors_are_messages(adak: Run, folder: Path, command: str) -> None:
    given = folder / "model" if command == "suggest" else folder / "train.spacy"
    wrong = folder / "meta.txt"
    wrong.write_text("no decision")
    data = folder / "train.spacy" if command == "suggest" else wrong
    result = adak(command, given, data, folder / "out.pdf")
    assert result.exit_code == 1
    assert "[A309]" in result.stdout
    assert "Traceback" not in result.stdout


def test_text_that_commands_a_terminal_is_shown_as_text(
    adak: Run, folder: Path, tmp_path: Path
) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "Ann", "spans": []}\n')
    decision = {"scope": "form", "answer": "accept", "label": "PER", "kind": "missed"}
    form = "\x1b[2J" + 5000 * "a"
    decisions = tmp_path / "decisions.jsonl"
    decisions.write_text(json.dumps(decision | {"form": form}) + "\n")
    result = adak("merge", data, decisions, tmp_path / "out.spacy", "-u", "missing")
    assert "not in the data: '\\x1b[2Jaaa" in " ".join(result.stdout.split())
    assert len(result.stdout) < 5000
