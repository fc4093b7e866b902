import os
import sys
from pathlib import Path

import pytest
import srsly

from scripts.train_dataset import main
from spacy_adak.run.folder import PUBLISHED_FILE, Published


@pytest.mark.parametrize(
    ("made", "is_published", "is_resumed"),
    [
        ([], False, False),
        (["corpus"], False, False),
        (["config.cfg", "corpus"], False, True),
        (["config.cfg", "corpus", "model-best"], False, True),
        (["config.cfg", "corpus", "model-best"], True, False),
    ],
)
def test_training_is_resumed_if_it_was_stopped(
    made: list[str],
    is_published: bool,
    is_resumed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in made:
        (tmp_path / name).mkdir()
    published = Published(best_round=1, is_finished=is_published)
    srsly.write_json(tmp_path / PUBLISHED_FILE, published._asdict())
    arguments = ["youku", "cpu", "--output", str(tmp_path), "--adak.rounds", "2"]
    commands: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["scripts/train_dataset.py", *arguments])
    monkeypatch.setattr(os, "execv", lambda path, command: commands.append(command))
    main()
    (command,) = commands
    assert command[3:5] == ["adak", "train"]
    assert command[5:10] == ["configs/zh_cpu.cfg", *arguments[2:]]
    assert (command[-1] == "--resume") == is_resumed


def test_recipe_chooses_the_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["youku", "frozen", "--recipe", "paper", "--output", str(tmp_path)]
    commands: list[list[str]] = []
    monkeypatch.setattr(sys, "argv", ["scripts/train_dataset.py", *arguments])
    monkeypatch.setattr(os, "execv", lambda path, command: commands.append(command))
    main()
    (command,) = commands
    assert command[5] == "configs/zh_frozen_paper.cfg"
    assert "--recipe" not in command
