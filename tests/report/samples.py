"""Suggestions to review."""

import json
from pathlib import Path
from typing import Any

TEXTS = [
    "Acme Bank hired Ann Lee.",
    "Ann Lee met Bob at Acme.",
    "林海集团收购了云桥科技公司。",
    "أعلنت شركة النخيل عن أرباحها.",
    "😀 Acme opens in Paris.",
]


def suggest(
    line: int, form: str, label: str, value: float = 1.0, **changes: Any
) -> dict[str, Any]:
    """A suggestion in one of the texts."""
    text = changes.pop("text", None) or TEXTS[line]
    start = text.index(form)
    return {
        "text": text,
        "line": line,
        "start": start,
        "end": start + len(form),
        "label": label,
        "form": form,
        "kind": "missed",
        "score": 0.75,
        "alternatives": [],
        "annotated": [],
        "found": 3,
        "marked": 1,
        "outside": 2,
        "value": value,
        **changes,
    }


SUGGESTIONS = [
    suggest(
        0,
        "Acme",
        "ORG",
        3.0,
        score=0.9,
        alternatives=[
            {"probability": 0.08, "spans": [{"start": 0, "end": 9, "label": "LOC"}]},
            {"probability": 0.01, "spans": []},
        ],
        annotated=[{"start": 16, "end": 23, "label": "PER"}],
    ),
    suggest(1, "Acme", "ORG", 3.0, score=0.8),
    suggest(1, "Bob", "PER", 2.0, score=0.6),
    suggest(2, "云桥科技", "ORG", 1.5, score=0.5),
    suggest(3, "شركة النخيل", "ORG", 1.0, score=0.4),
    suggest(
        0,
        "Ann Lee",
        "PER",
        0.5,
        kind="doubtful",
        score=0.2,
        annotated=[{"start": 16, "end": 23, "label": "PER"}],
    ),
    suggest(4, "Acme", "ORG", 3.0, score=0.7),
]


def write_jsonl(path: Path, rows: list[Any]) -> Path:
    """Write lines of JSON, as text in which half a character is escaped."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf8")
    return path
