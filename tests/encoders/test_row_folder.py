import multiprocessing
import os
from collections.abc import Callable
from pathlib import Path

import numpy
import pytest

from spacy_adak.encoders.row_folder import RowFolder

from .rows import ROWS, key, no_room_beyond


@pytest.mark.filterwarnings("ignore:This process.*fork:DeprecationWarning")
def test_rows_of_another_process_are_found(tmp_path: Path) -> None:
    mine = RowFolder(tmp_path)
    mine.add(key(1), ROWS)
    assert mine.get(key(2)) is None

    def add() -> None:
        # Forked: it must not append to the file of its parent.
        mine.add(key(2), ROWS + 1)

    process = multiprocessing.get_context("fork").Process(target=add)
    process.start()
    process.join()
    mine.add(key(3), ROWS + 2)
    assert len(list(tmp_path.glob("*.rows"))) == 2
    for folder in (mine, RowFolder(tmp_path)):
        for number in (1, 2, 3):
            numpy.testing.assert_array_equal(
                folder.get(key(number)), ROWS + (number - 1)
            )


def test_rows_added_after_the_file_was_read_are_found(tmp_path: Path) -> None:
    writer, reader = RowFolder(tmp_path), RowFolder(tmp_path)
    for number in range(5):
        writer.add(key(number), ROWS + number)
        numpy.testing.assert_array_equal(reader.get(key(number)), ROWS + number)


@pytest.mark.parametrize("cut", range(1, 40))
def test_torn_entry_of_an_index_is_not_found(tmp_path: Path, cut: int) -> None:
    write_two(tmp_path)
    (index,) = tmp_path.glob("*.index")
    os.truncate(index, index.stat().st_size - cut)
    assert_only_the_first_is_found(tmp_path)


@pytest.mark.parametrize("cut", [1, 23, 24])
def test_rows_that_were_not_written_whole_are_not_found(
    tmp_path: Path, cut: int
) -> None:
    write_two(tmp_path)
    (rows,) = tmp_path.glob("*.rows")
    os.truncate(rows, rows.stat().st_size - cut)
    assert_only_the_first_is_found(tmp_path)


@pytest.mark.parametrize("suffix", [".rows", ".index"])
def test_damaged_bytes_are_noticed(tmp_path: Path, suffix: str) -> None:
    write_two(tmp_path)
    (path,) = tmp_path.glob(f"*{suffix}")
    data = bytearray(path.read_bytes())
    data[-5] ^= 1
    path.write_bytes(data)
    assert_only_the_first_is_found(tmp_path)


@pytest.mark.parametrize("lose", [Path.unlink, lambda path: os.truncate(path, 0)])
def test_rows_of_a_file_that_was_lost_are_not_found(
    tmp_path: Path, lose: Callable[[Path], None]
) -> None:
    write_two(tmp_path)
    (rows,) = tmp_path.glob("*.rows")
    lose(rows)
    assert RowFolder(tmp_path).get(key(1)) is None


def test_rows_that_were_lost_can_be_added_again(tmp_path: Path) -> None:
    write_two(tmp_path)
    (rows,) = tmp_path.glob("*.rows")
    os.truncate(rows, rows.stat().st_size - 1)
    folder = RowFolder(tmp_path)
    assert folder.get(key(2)) is None
    folder.add(key(2), ROWS)
    numpy.testing.assert_array_equal(folder.get(key(2)), ROWS)


@pytest.mark.parametrize("room", range(1, 80, 6))
def test_full_disk_does_no_harm_to_other_rows(tmp_path: Path, room: int) -> None:
    writer = RowFolder(tmp_path)
    writer.add(key(1), ROWS)
    with no_room_beyond(room), pytest.raises(OSError, match="File too large"):
        add_three(writer, first=2)
    add_three(writer, first=5)
    for folder in (writer, RowFolder(tmp_path)):
        numpy.testing.assert_array_equal(folder.get(key(1)), ROWS)
        for number in range(5, 8):
            numpy.testing.assert_array_equal(folder.get(key(number)), ROWS + number)


def add_three(writer: RowFolder, first: int) -> None:
    for number in range(first, first + 3):
        writer.add(key(number), ROWS + number)


def write_two(folder: Path) -> None:
    writer = RowFolder(folder)
    writer.add(key(1), ROWS)
    writer.add(key(2), ROWS)


def assert_only_the_first_is_found(folder: Path) -> None:
    reader = RowFolder(folder)
    numpy.testing.assert_array_equal(reader.get(key(1)), ROWS)
    assert reader.get(key(2)) is None
