import numpy
import pytest

from spacy_adak.encoders.temporary_rows import TemporaryRows

from .rows import ROWS, key, no_room_beyond


def test_rows_are_found_while_the_file_grows() -> None:
    file = TemporaryRows()
    for number in range(5):
        assert file.get(key(number)) is None
        file.add(key(number), ROWS[: number % 3 + 1] + number)
        for known in range(number + 1):
            expected = ROWS[: known % 3 + 1] + known
            numpy.testing.assert_array_equal(file.get(key(known)), expected)


def test_full_disk_does_no_harm_to_other_rows() -> None:
    file = TemporaryRows()
    file.add(key(1), ROWS)
    with no_room_beyond(ROWS.nbytes + 7), pytest.raises(OSError, match="File too"):
        file.add(key(2), ROWS)
    assert file.get(key(2)) is None
    file.add(key(3), ROWS + 3)
    numpy.testing.assert_array_equal(file.get(key(1)), ROWS)
    numpy.testing.assert_array_equal(file.get(key(3)), ROWS + 3)
