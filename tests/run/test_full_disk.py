"""A disk that fills up, at whatever byte of a run, is told of and costs nothing."""

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from thinc.api import Config

from spacy_adak.run.train import is_begun, train
from tests.finished_run import FinishedRun
from tests.full_disk import Disk

from .results import assert_same


@pytest.fixture(scope="module")
def written(tiny_config: Config, tmp_path_factory: pytest.TempPathFactory) -> Disk:
    """How much a whole run writes."""
    folder = tmp_path_factory.mktemp("measured")
    with pytest.MonkeyPatch.context() as patch:
        disk = Disk(folder)
        disk.patch(patch)
        train(tiny_config, folder / "output")
    return disk


def run_on_full_disk(config: Config, folder: Path, disk: Disk) -> str:
    """RETURNS (str): The error that a run ends with, and in what it was at work."""
    with pytest.MonkeyPatch.context() as patch:
        disk.patch(patch)
        with pytest.raises(OSError, match="No space left") as error:
            train(config, folder)
    return str(error.value)


def assert_full_disk_costs_nothing(
    finished: FinishedRun, folder: Path, disk: Disk
) -> None:
    message = run_on_full_disk(finished.config, folder, disk)
    begun = is_begun(folder)
    assert re.match(r"\[A205\]" if begun else r"\[A227\]", message)
    assert ("--resume" in message) == begun
    train(finished.config, folder, resume=begun)
    assert_same(folder, finished.folder)


@pytest.mark.parametrize(
    "share",
    [
        0.001,
        pytest.param(0.3, marks=pytest.mark.slow),
        0.7,
        pytest.param(0.95, marks=pytest.mark.slow),
    ],
)
def test_disk_that_is_full_after_some_bytes(
    finished: FinishedRun, written: Disk, tmp_path: Path, share: float
) -> None:
    disk = Disk(tmp_path, room=int(share * written.bytes_written))
    assert_full_disk_costs_nothing(finished, tmp_path / "output", disk)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_disk_that_is_full_at_a_random_byte_or_write(
    finished: FinishedRun, written: Disk, tmp_path: Path, part: int
) -> None:
    rng = random.Random(part)
    for disk in random_disks(rng, written, tmp_path):
        assert_full_disk_costs_nothing(finished, tmp_path / "output", disk)
        shutil.rmtree(tmp_path / "output")


def random_disks(rng: random.Random, written: Disk, folder: Path) -> Iterator[Disk]:
    """Half of them are full at a byte, which is likely one of a model, and half at a
    write, which is likely one of a small file."""
    for _ in range(6):
        yield Disk(folder, room=rng.randrange(written.bytes_written))
        yield Disk(folder, writes=rng.randrange(written.writes_done))
