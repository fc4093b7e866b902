import sys
from pathlib import Path

import pytest
import spacy
import srsly
from spacy.tokens import Doc, DocBin
from thinc.api import Config

from scripts.write_results import describe_hidden, main, title_pipeline
from tests.losses import loss_block

ROOT = Path(__file__).parents[2]
FIRST_TITLE = "What was hidden, and what was found"
NLP = spacy.blank("en")
TEXT = "Ann met Bob in Rome"
COMPLETE = [(0, 1, "PERSON"), (2, 3, "PERSON"), (4, 5, "PLACE")]


def annotate(entities: list[tuple[int, int, str]], key: str | None = None) -> Doc:
    doc = NLP(TEXT)
    spans = [doc[start:end] for start, end, _ in entities]
    for span, (_, _, label) in zip(spans, entities, strict=True):
        span.label_ = label
    if key is None:
        doc.set_ents(spans, default="missing")
    else:
        doc.spans[key] = spans
    return doc


def test_hidden_entities_that_were_found() -> None:
    # Of two equal texts one has lost an entity, and the other two.
    complete = [annotate(COMPLETE), annotate(COMPLETE)]
    incomplete = [annotate(COMPLETE[:2]), annotate(COMPLETE[:1])]
    found = [(2, 3, "PERSON"), (4, 5, "PLACE"), (1, 2, "PLACE")]
    completed = [annotate([], "estimated"), annotate(found, "estimated")]
    assert describe_hidden(complete, incomplete, completed) == (
        "3 of the 6 entities in 2 training texts were hidden (50 %). The training "
        "found 2 of them, and 1 spans that are not entities."
    )


def write_config(folder: Path, loss: str) -> None:
    block = {"adak_ner": {"loss": loss_block(loss)}}
    Config({"components": block}).to_disk(folder / "config.cfg")


@pytest.mark.parametrize(
    ("loss", "title"),
    [
        ("adak", "AdaK-NER"),
        ("weighted", "adak_ner, unknown = estimated"),
        ("crf", "adak_ner, spacy-adak.CRFLoss.v1"),
    ],
)
def test_pipeline_is_named_by_its_loss(tmp_path: Path, loss: str, title: str) -> None:
    write_config(tmp_path, loss)
    assert title_pipeline(tmp_path) == title


@pytest.mark.usefixtures("no_swapping")
def test_results_are_replaced_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = {"ents_p": 0.5, "ents_r": 0.5, "ents_f": 0.5}
    for name in ("adak", "crf"):
        srsly.write_json(tmp_path / f"{name}.json", scores)
    srsly.write_jsonl(tmp_path / "entities.jsonl", [])
    (tmp_path / "results.md").write_text("old")
    data = tmp_path / "train-completed.spacy"
    DocBin(docs=[annotate(COMPLETE)]).to_disk(data)
    paths = [tmp_path, tmp_path / "model-best", tmp_path / "review.html", data, data]
    (tmp_path / "model-best").mkdir()
    write_config(tmp_path / "model-best", "adak")
    monkeypatch.setattr(sys, "argv", ["write_results.py", *map(str, paths)])
    with pytest.raises(OSError, match="stopped"):
        main()
    assert (tmp_path / "results.md").read_text() == "old"


def test_story_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {"ents_p": 0.5, "ents_r": 0.25, "ents_f": 0.333}
    for name in ("adak", "crf"):
        srsly.write_json(tmp_path / f"{name}.json", scores)
    entity = {"text": "Rome", "label": "PLACE", "probability": 0.913}
    srsly.write_jsonl(
        tmp_path / "entities.jsonl", [{"text": TEXT, "entities": [entity]}] * 8
    )
    data = tmp_path / "train-completed.spacy"
    DocBin(docs=[annotate(COMPLETE)]).to_disk(data)
    (tmp_path / "model-best").mkdir()
    write_config(tmp_path / "model-best", "adak")
    paths = [tmp_path, tmp_path / "model-best", tmp_path / "review.html", data, data]
    monkeypatch.setattr(sys, "argv", ["write_results.py", *map(str, paths)])
    main()
    story = capsys.readouterr().out
    assert "0 of the 3 entities" in story
    assert "33.3" in story
    assert story.count("Rome  PLACE 0.91") == 3
    assert "report.html" in story
    assert "review.html" in story
    assert len(story.splitlines()) < 40
    # `make demo` shows its log from here on.
    makefile = (ROOT / "Makefile").read_text(encoding="utf8")
    assert f"sed -n '/{FIRST_TITLE}/," in makefile
    assert FIRST_TITLE in story
    assert (tmp_path / "results.md").read_text().count("**Rome**") == 8
