"""A folder in which what the documentation says can be followed in a short time."""

import json
import sys
from pathlib import Path

from .code_blocks import ROOT

SIZES = {"train": 400, "dev": 20, "test": 20}
# Put in front of `python`: trainings are as short as they can be.
PYTHON = """\
#!/bin/sh
case "$*" in
  *"adak train"*) exec {python} "$@" --adak.rounds 1 --training.max_epochs 1 ;;
  *) exec {python} "$@" ;;
esac
"""


def prepare(folder: Path) -> Path:
    """A folder with a part of the sample, and a Python that trains quickly."""
    (folder / "assets").mkdir()
    for split, size in SIZES.items():
        lines = (ROOT / "assets" / f"{split}.jsonl").read_text(encoding="utf8")
        part = lines.splitlines(keepends=True)[:size]
        (folder / "assets" / f"{split}.jsonl").write_text("".join(part), "utf8")
    record = json.loads(part[0])
    (span,) = record["spans"][:1]
    decision = {"scope": "form", "answer": "accept", "label": span["label"]}
    decision["form"] = record["text"][span["start"] : span["end"]]
    (folder / "decisions.jsonl").write_text(json.dumps(decision) + "\n", "utf8")
    (folder / "bin").mkdir()
    python = folder / "bin" / "python"
    python.write_text(PYTHON.format(python=sys.executable))
    python.chmod(0o755)
    return folder
