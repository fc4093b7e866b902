import sys
from pathlib import Path

import pytest
import srsly
from thinc.api import Config

from scripts.write_results import main, title_pipeline
from tests.losses import loss_block


def write_config(folder: Path, loss: str) -> None:
    block = {"adak_ner": {"loss": loss_block(loss)}}
    Config({"components": block}).to_disk(folder / "config.cfg")


@pytest.mark.parametrize(
    ("loss", "title"),
    [("adak", "AdaK-NER"), ("weighted", "`adak_ner`, `spacy-adak.WeightedLoss.v1`")],
)
def test_pipeline_is_named_by_its_loss(tmp_path: Path, loss: str, title: str) -> None:
    write_config(tmp_path, loss)
    assert title_pipeline(tmp_path) == title


@pytest.mark.usefixtures("no_swapping")
def test_results_are_replaced_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(tmp_path, "adak")
    scores = {"ents_p": 0.5, "ents_r": 0.5, "ents_f": 0.5}
    for name in ("adak", "crf"):
        srsly.write_json(tmp_path / f"{name}.json", scores)
    srsly.write_jsonl(tmp_path / "entities.jsonl", [])
    (tmp_path / "results.md").write_text("old")
    monkeypatch.setattr(sys, "argv", ["write_results.py", *[str(tmp_path)] * 3])
    with pytest.raises(OSError, match="stopped"):
        main()
    assert (tmp_path / "results.md").read_text() == "old"
