import multiprocessing
import tempfile
from pathlib import Path

import numpy
import pytest

from spacy_adak.encoders.remembered_rows import RecentRows, RememberedRows

from .rows import ROWS, key


def test_rows_are_found_in_memory() -> None:
    remembered = RememberedRows(memory_limit=1000)
    remembered.add(key(1), ROWS)
    numpy.testing.assert_array_equal(remembered.get(key(1)), ROWS)
    assert remembered.get(key(2)) is None


def test_rows_beyond_the_limit_are_found() -> None:
    remembered = RememberedRows(memory_limit=ROWS.nbytes + 1)
    for number in range(3):
        remembered.add(key(number), ROWS + number)
    for number in range(3):
        numpy.testing.assert_array_equal(remembered.get(key(number)), ROWS + number)
    assert remembered.get(key(3)) is None


def test_nothing_is_left_behind_however_the_process_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remembered = RememberedRows(memory_limit=0)
    remembered.add(key(1), ROWS)
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_forked_process_reads_what_there_is_and_writes_elsewhere() -> None:
    remembered = RememberedRows(memory_limit=0)
    remembered.add(key(1), ROWS)

    processes = multiprocessing.get_context("fork")
    is_added = processes.Event()

    def add() -> None:
        is_added.wait()
        remembered.add(key(2), ROWS + 1)
        for number in (1, 2):
            rows = remembered.get(key(number))
            numpy.testing.assert_array_equal(rows, ROWS + number - 1)

    process = processes.Process(target=add)
    process.start()
    remembered.add(key(3), ROWS + 2)
    is_added.set()
    process.join()
    assert process.exitcode == 0
    assert remembered.get(key(2)) is None
    for number in (1, 3):
        rows = remembered.get(key(number))
        numpy.testing.assert_array_equal(rows, ROWS + number - 1)


def test_recent_rows_are_those_of_the_last_texts() -> None:
    recent = RecentRows(memory_limit=8 * ROWS.nbytes)
    for number in range(50):
        recent.add(key(number), ROWS + number)
        for last in range(max(0, number - 3), number + 1):
            numpy.testing.assert_array_equal(recent.get(key(last)), ROWS + last)
    assert sum(recent.get(key(number)) is not None for number in range(50)) <= 8


def test_text_that_is_too_long_is_not_remembered() -> None:
    recent = RecentRows(memory_limit=2 * ROWS.nbytes - 1)
    recent.add(key(1), ROWS)
    assert recent.get(key(1)) is None
