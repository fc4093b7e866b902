import json
import re
from pathlib import Path

import pytest

from spacy_adak.data.suggestions import Suggestion
from spacy_adak.report.colors import label_colors
from spacy_adak.report.page import to_embedded_json
from spacy_adak.report.review import to_page_data, write_review

from .samples import SUGGESTIONS, suggest, write_jsonl


def read_data(page: Path) -> dict:
    html = page.read_text(encoding="utf8")
    found = re.search(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def test_texts_and_groups_are_there_once() -> None:
    data = to_page_data([Suggestion.model_validate(row) for row in SUGGESTIONS])
    assert len(data["texts"]) == 5
    assert [group[0] for group in data["groups"]][:2] == ["Acme", "Bob"]
    assert data["groups"][0][-1] == [0, 1, 6]
    assert data["labels"] == ["LOC", "ORG", "PER"]


def test_clearest_place_of_a_form_comes_first() -> None:
    rows = [suggest(i, "Acme", "ORG", score=score) for i, score in ((0, 0.1), (1, 0.9))]
    data = to_page_data([Suggestion.model_validate(row) for row in rows])
    assert data["groups"][0][-1] == [1, 0]


def test_id_is_that_of_the_suggestions(tmp_path: Path) -> None:
    ids = []
    for rows in (SUGGESTIONS, SUGGESTIONS, SUGGESTIONS[1:]):
        path = write_jsonl(tmp_path / "suggestions.jsonl", rows)
        write_review(path, tmp_path / "review.html", title=str(len(ids)))
        ids.append(read_data(tmp_path / "review.html")["id"])
    assert ids[0] == ids[1] != ids[2]


def test_bad_lines_are_noted_and_left_out(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "suggestions.jsonl", [{}, SUGGESTIONS[0], [], 1])
    form = {"scope": "form", "answer": "accept", "form": "Acme", "label": "ORG"}
    decisions = write_jsonl(tmp_path / "decisions.jsonl", [form, {"scope": "text"}])
    page = write_review(path, tmp_path / "review.html", decisions=decisions)
    assert [(p.record.path, p.line) for p in page.problems] == [
        (path, 1),
        (path, 3),
        (path, 4),
        (decisions, 2),
    ]
    assert len(read_data(tmp_path / "review.html")["suggestions"]) == 1


def test_file_without_suggestions_is_refused(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "suggestions.jsonl", [{"text": "Acme"}])
    with pytest.raises(ValueError, match=r"A403.*line 1: .*start: Field required"):
        write_review(path, tmp_path / "review.html")
    assert not (tmp_path / "review.html").exists()


def test_embedded_json_ends_no_element_and_no_line() -> None:
    value = ["</script>", "<!--", "&amp;", "\u2028\u2029", "\ud800", "😀林"]
    text = to_embedded_json(value)
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", text)
    assert json.loads(text) == value
    text.encode("utf8")


def test_colors_are_those_of_displacy_or_differ() -> None:
    colors = label_colors(["ORG", "BRAND", "PATTERN", "GPE"])
    assert colors["ORG"] == "#7aecec"
    assert colors["GPE"] == "#feca74"
    assert len(set(colors.values())) == 4


def test_more_types_than_colors() -> None:
    colors = label_colors(f"T{i}" for i in range(50))
    assert len(colors) == 50
    assert len(set(colors.values())) > 10


def test_most_valuable_forms_are_kept_with_all_their_places(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "suggestions.jsonl", SUGGESTIONS)
    page = write_review(path, tmp_path / "review.html", limit=2)
    assert (page.suggestions, page.of_suggestions) == (3, 7)
    data = read_data(tmp_path / "review.html")
    assert [group[0] for group in data["groups"]] == ["Acme"]
    page = write_review(path, tmp_path / "review.html", limit=4)
    assert [group[0] for group in read_data(tmp_path / "review.html")["groups"]] == [
        "Acme",
        "Bob",
    ]
