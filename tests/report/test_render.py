from pathlib import Path

import spacy_adak
from spacy_adak.data.suggestions import Suggestion

from .samples import SUGGESTIONS, suggest, write_jsonl


def render(rows: list, **settings: int) -> str:
    suggestions = [Suggestion.model_validate(row) for row in rows]
    return spacy_adak.render_suggestions(suggestions, **settings) or ""


def test_forms_are_shown_once_and_ranked(tmp_path: Path) -> None:
    html = render(SUGGESTIONS)
    assert html.count("ORG 90 %") == 1
    assert "ORG 80 %" not in html
    assert html.index("ORG 90 %") < html.index("PER 60 %")
    assert "doubtful, 20 %" in html
    path = write_jsonl(tmp_path / "suggestions.jsonl", SUGGESTIONS)
    assert spacy_adak.render_suggestions(path) == html


def test_limit() -> None:
    assert render(SUGGESTIONS, limit=2).count('class="entities"') == 2


def test_hostile_text_stays_text() -> None:
    html = render([suggest(0, "<b>x", "<script>", text="a <b>x y")])
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt; 75 %" in html
