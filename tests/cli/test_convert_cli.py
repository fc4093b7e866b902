import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

SPANS = '{"text": "Ann met Bob", "spans": [[0, 3, "PER"]]}\n'
Run = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_text(SPANS)
    return path


def test_help_explains_unlabelled(adak: Run) -> None:
    result = adak("convert", "--help")
    assert result.exit_code == 0
    assert "[missing|outside]" in result.stdout


def test_summary_is_printed(adak: Run, path: Path) -> None:
    result = adak("convert", path, path.with_name("out.spacy"), "-u", "missing")
    assert result.exit_code == 0
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["Documents", "1"] in rows
    assert ["PER", "1"] in rows
    assert ["Unknown", "tokens", "2", "(66.7%)"] in rows
    assert "out.spacy" in result.stdout


def test_not_saying_what_unlabelled_means_fails_without_a_terminal(
    adak: Run, path: Path
) -> None:
    result = adak("convert", path, path.with_name("out.spacy"))
    assert result.exit_code == 1
    assert "[A302]" in result.stdout
    assert not path.with_name("out.spacy").exists()


def test_unlabelled_is_asked_for_on_a_terminal(
    adak: Run, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spacy_adak.cli.convert.is_terminal", lambda: True)
    output = path.with_name("out.spacy")
    result = adak("convert", path, output, input="what\nmissing\n")
    assert result.exit_code == 0
    assert "annotators may have skipped entities" in result.stdout
    assert output.exists()


def test_problems_are_listed_up_to_ten(adak: Run, path: Path) -> None:
    path.write_text(SPANS + "no json\n" * 12)
    args = ["convert", path, path.with_name("out.spacy"), "-u", "missing"]
    result = adak(*args)
    assert result.stdout.count("[W305]") == 10
    assert "2 more problems" in result.stdout
    assert adak(*args, "--verbose").stdout.count("[W305]") == 12


def test_problem_with_half_of_a_character_is_printed(adak: Run, path: Path) -> None:
    path.write_text(SPANS + '{"text": "Ann \\ud83d"}\n')
    result = adak("convert", path, path.with_name("out.spacy"), "-u", "missing")
    assert result.exit_code == 0
    assert "[W330]" in result.stdout
    assert "'\\ud83d'" in result.stdout


def test_warnings_are_printed_as_messages(adak: Run, path: Path) -> None:
    path.write_text('{"text": "Ann"}')
    result = adak("convert", path, path.with_name("out.spacy"), "-u", "missing")
    assert "[W329] No entities" in result.stdout


def test_strict_fails(adak: Run, path: Path) -> None:
    path.write_text(SPANS + "no json\n")
    output = path.with_name("out.spacy")
    result = adak("convert", path, output, "-u", "missing", "--strict")
    assert result.exit_code == 1
    assert "[A300]" in result.stdout


def test_disagreement_of_annotators_is_told(adak: Run, tmp_path: Path) -> None:
    spans = [{"start": 0, "end": 3, "label": "PER"}], [{"start": 0, "end": 7}]
    spans[1][0]["label"] = "PER"
    lines = [
        {"text": "Ann met Bob", "spans": s, "_session_id": f"s{i}", "_is_binary": False}
        for i, s in enumerate(spans)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    result = adak("convert", path, tmp_path / "a.spacy", "-u", "outside")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "1 texts have several annotators" in text
    assert "the union is taken" in text
    assert "2 spans they disagree on are unknown" in text
