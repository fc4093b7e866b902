"""What is chosen for a machine where the settings do not say it."""

import os
from pathlib import Path
from typing import Any

import pytest
from spacy.util import registry

from spacy_adak.q.adak_block import AdakSettings, read_settings
from spacy_adak.run.filled_config import fill_config
from spacy_adak.tasks import machine
from spacy_adak.tasks.machine import describe_execution, settings_for_this_machine
from tests.made_corpus import make_config


@pytest.fixture(autouse=True)
def big_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_cores", lambda: 4)
    monkeypatch.setattr(machine, "_available_memory", lambda: 64 * 2**30)


def choose(use_gpu: int = -1, **overrides: Any) -> AdakSettings:
    config = fill_config(make_config(**overrides))
    settings = read_settings(config.to_write.interpolate())
    return settings_for_this_machine(settings, config.resolved, use_gpu)


def test_folds_are_in_processes_where_there_are_cores() -> None:
    chosen = choose()
    assert (chosen.executor, chosen.n_jobs) == ("joblib", 4)
    assert describe_execution(chosen) == "in up to 4 processes of this machine"


def test_one_core_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_cores", lambda: 1)
    chosen = choose()
    assert (chosen.executor, chosen.at_once) == ("serial", 1)
    assert describe_execution(chosen) == "one after the other in this process"


def test_gpu_is_for_one_process() -> None:
    assert choose(use_gpu=0).executor == "serial"


@pytest.mark.parametrize(("gigabytes", "expected"), [(1, 1), (5, 2), (9, 4), (64, 4)])
def test_processes_have_to_fit_into_memory(
    monkeypatch: pytest.MonkeyPatch, gigabytes: int, expected: int
) -> None:
    monkeypatch.setattr(machine, "_available_memory", lambda: gigabytes * 2**30)
    assert choose().at_once == expected


def test_system_that_does_not_tell_its_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_available_memory", lambda: None)
    assert choose().at_once == 4


def test_what_is_asked_for_is_done() -> None:
    chosen = choose(**{"adak.executor": "joblib", "adak.n_jobs": 7})
    assert (chosen.executor, chosen.n_jobs) == ("joblib", 7)
    assert choose(**{"adak.executor": "serial"}).at_once == 1
    assert choose(**{"adak.n_jobs": 3}).at_once == 3


def test_function_of_a_program_keeps_trainings_in_its_process() -> None:
    name = "tests.unknown_to_workers.v1"
    registry.misc(name)(lambda: None)
    chosen = choose(**{"training.batcher.get_length": {"@misc": name}})
    assert chosen.executor == "serial"


def test_memory_is_that_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.undo()
    file = tmp_path / "meminfo"
    file.write_text("MemTotal: 9 kB\nMemAvailable:   2048 kB\n", encoding="utf8")
    monkeypatch.setattr(machine, "_MEMORY", file)
    assert machine._available_memory() == 2048 * 1024
    file.unlink()
    assert machine._available_memory() is None


def test_cores_are_those_it_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 1 <= machine._cores() <= (os.cpu_count() or 1)
