import numpy
import pytest

from spacy_adak.encoders.window_cnn import build_window_cnn_encoder


def test_token_sees_as_far_as_its_windows_reach() -> None:
    encoder = build_window_cnn_encoder(width=8, depth=2, window_size=1)
    rows = numpy.random.default_rng(0).normal(size=(9, 5)).astype("float32")
    encoder.initialize(X=[rows])
    changed = rows.copy()
    changed[0] += 1
    (before,), (after,) = encoder.predict([rows]), encoder.predict([changed])
    differs = ~numpy.isclose(before, after, atol=1e-6).all(axis=1)
    assert differs.tolist() == [True] * 3 + [False] * 6


def test_text_does_not_see_its_neighbours_in_a_batch() -> None:
    encoder = build_window_cnn_encoder(width=8, depth=2, window_size=2)
    first, second = numpy.random.default_rng(0).normal(size=(2, 3, 5)).astype("float32")
    encoder.initialize(X=[first])
    before = encoder.predict([first, second])[1]
    after = encoder.predict([first + 1, second])[1]
    numpy.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("setting", [{"width": 0}, {"depth": -1}, {"window_size": -1}])
def test_sizes_that_make_no_sense_are_refused(setting: dict[str, int]) -> None:
    ((name, value),) = setting.items()
    with pytest.raises(ValueError, match=f"A135.*{value} for .*'{name}' of WindowCNN"):
        build_window_cnn_encoder(
            **{"width": 8, "depth": 1, "window_size": 1, **setting}
        )
