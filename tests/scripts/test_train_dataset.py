import os
import sys
from pathlib import Path

import pytest

from scripts.train_dataset import main


@pytest.mark.parametrize(
    ("made", "is_resumed"),
    [
        ([], False),
        (["corpus"], False),
        (["config.cfg", "corpus"], True),
        (["config.cfg", "corpus", "model-best"], False),
    ],
)
def test_training_is_resumed_if_it_was_stopped(
    made: list[str], is_resumed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in made:
        (tmp_path / name).mkdir()
    arguments = ["config.cfg", "--output", str(tmp_path), "--adak.rounds", "2"]
    commands: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["scripts/train_dataset.py", *arguments])
    monkeypatch.setattr(os, "execv", lambda path, command: commands.append(command))
    main()
    (command,) = commands
    assert command[3:5] == ["adak", "train"]
    assert command[5:10] == arguments
    assert (command[-1] == "--resume") == is_resumed
