from pathlib import Path

import pytest

from scripts.write_results import title_pipeline


@pytest.mark.parametrize(
    ("loss", "title"),
    [("adak", "AdaK-NER"), ("weighted", '`adak_ner`, `loss = "weighted"`')],
)
def test_pipeline_is_named_by_its_loss(tmp_path: Path, loss: str, title: str) -> None:
    config = f'[components]\n\n[components.adak_ner]\nloss = "{loss}"\n'
    (tmp_path / "config.cfg").write_text(config, encoding="utf8")
    assert title_pipeline(tmp_path) == title
