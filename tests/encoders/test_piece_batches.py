"""Batches of windows of similar length."""

from hypothesis import given
from hypothesis import strategies as st

from spacy_adak.encoders.piece_batches import PIECES_PER_BATCH, batches

LENGTHS = st.lists(st.integers(1, 2 * PIECES_PER_BATCH), max_size=60)


@given(LENGTHS, st.booleans())
def test_every_window_is_in_one_batch_and_fits(lengths: list[int], alike: bool) -> None:
    found = list(batches(lengths, alike))
    windows = [window for batch in found for window in batch.windows]
    assert sorted(windows) == list(range(len(lengths)))
    for batch in found:
        assert max(lengths[window] for window in batch.windows) <= batch.length
        assert len(batch.windows) <= batch.size
        assert batch.size == 1 or batch.size * batch.length <= PIECES_PER_BATCH


@given(LENGTHS, LENGTHS)
def test_shape_of_a_batch_depends_on_the_length_alone(
    lengths: list[int], others: list[int]
) -> None:
    shapes = {}
    for given_lengths in (lengths, lengths + others):
        for batch in batches(given_lengths, alike=True):
            for window in batch.windows:
                shape = batch.length, batch.size
                assert shapes.setdefault(given_lengths[window], shape) == shape


@given(LENGTHS)
def test_only_what_is_not_alike_goes_without_filling(lengths: list[int]) -> None:
    for batch in batches(lengths, alike=False):
        assert len(batch.windows) == batch.size
        assert batch.length in [lengths[window] for window in batch.windows]


def test_windows_of_similar_length_are_together() -> None:
    lengths = [5, 60, 6, 61, 7, 62] * 20
    for batch in list(batches(lengths, alike=False))[:-1]:
        assert len({lengths[window] // 10 for window in batch.windows}) == 1
