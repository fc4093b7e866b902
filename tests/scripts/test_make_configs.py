import sys
from pathlib import Path

import pytest

from scripts.make_configs import main, make_configs


def write_configs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["make_configs.py", "-o", str(folder)])
    main()


def test_configs_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "new"
    write_configs(folder, monkeypatch)
    made = {path.stem: path.read_text(encoding="utf8") for path in folder.iterdir()}
    assert made == make_configs()


@pytest.mark.usefixtures("no_swapping")
def test_config_is_replaced_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sample_cpu.cfg"
    path.write_text("old")
    with pytest.raises(OSError, match="stopped"):
        write_configs(tmp_path, monkeypatch)
    assert path.read_text() == "old"
