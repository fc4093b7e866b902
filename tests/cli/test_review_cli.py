import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
ACME = {
    "text": "Acme hired Ann.",
    "line": 0,
    "start": 0,
    "end": 4,
    "label": "ORG",
    "form": "Acme",
    "kind": "missed",
    "score": 0.5,
}


@pytest.fixture
def suggestions(tmp_path: Path) -> Path:
    path = tmp_path / "suggestions.jsonl"
    path.write_text(json.dumps(ACME) + "\n")
    return path


def test_page_is_written(adak: Run, suggestions: Path, tmp_path: Path) -> None:
    output = tmp_path / "pages" / "review.html"
    result = adak("review", suggestions, "--output", output, "--title", "My <data>")
    assert result.exit_code == 0
    assert "review.html" in result.stdout
    html = output.read_text(encoding="utf8")
    assert "<title>My &lt;data&gt; · review</title>" in html


def test_decisions_are_in_the_page(
    adak: Run, suggestions: Path, tmp_path: Path
) -> None:
    decisions = tmp_path / "decisions.jsonl"
    row = {"scope": "form", "answer": "reject", "form": "Acme", "label": "ORG"}
    decisions.write_text(json.dumps(row))
    output = tmp_path / "review.html"
    assert (
        adak("review", suggestions, "-o", output, "--decisions", decisions).exit_code
        == 0
    )
    assert '"answer":"reject"' in output.read_text(encoding="utf8")


def test_decisions_about_other_suggestions_are_told(
    adak: Run, suggestions: Path, tmp_path: Path
) -> None:
    decisions = tmp_path / "decisions.jsonl"
    form = {"scope": "form", "answer": "accept", "form": "Acme", "label": "PER"}
    place = {key: ACME[key] for key in ("text", "start", "end", "label", "form")}
    place |= {"scope": "place", "answer": "accept"}
    rows = [form, form | {"suggested": {"label": "ORG"}}, place, place | {"end": 3}]
    decisions.write_text("\n".join(map(json.dumps, rows)))
    output = tmp_path / "review.html"
    result = adak("review", suggestions, "-o", output, "--decisions", decisions)
    assert result.exit_code == 0
    assert "2 of 4 decisions are about other" in " ".join(result.stdout.split())


def test_file_without_decisions_fails_unless_it_is_empty(
    adak: Run, suggestions: Path, tmp_path: Path
) -> None:
    output = tmp_path / "review.html"
    result = adak("review", suggestions, "-o", output, "-d", suggestions)
    assert result.exit_code == 1
    assert "[A453]" in result.stdout
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    assert adak("review", suggestions, "-o", output, "-d", empty).exit_code == 0


def test_bad_lines_are_told_a_few(adak: Run, suggestions: Path, tmp_path: Path) -> None:
    with suggestions.open("a") as file:
        file.write("broken\n" * 30)
    result = adak("review", suggestions, "-o", tmp_path / "review.html")
    assert result.exit_code == 0
    assert "line 2" in result.stdout
    assert "line 12" not in result.stdout
    assert "20 more problems" in result.stdout


def test_file_without_suggestions_fails_with_a_message(
    adak: Run, suggestions: Path, tmp_path: Path
) -> None:
    suggestions.write_text("\n")
    result = adak("review", suggestions, "-o", tmp_path / "review.html")
    assert result.exit_code == 1
    assert "[A403]" in result.stdout


def test_limit_is_told(adak: Run, suggestions: Path, tmp_path: Path) -> None:
    other = {**ACME, "start": 11, "end": 14, "form": "Ann", "label": "PER"}
    with suggestions.open("a") as file:
        file.write(json.dumps(other) + "\n")
    result = adak("review", suggestions, "-o", tmp_path / "review.html", "--limit", 1)
    assert "the most valuable 1 of 2 suggestions" in " ".join(result.stdout.split())
