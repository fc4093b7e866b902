import pytest

from spacy_adak.encoders.bilstm import build_bilstm_encoder


@pytest.mark.parametrize("width", [0, 1, 7, -2])
def test_width_that_can_not_be_halved_is_refused(width: int) -> None:
    with pytest.raises(ValueError, match=f"A130.*{width}"):
        build_bilstm_encoder(width=width, depth=1)


def test_no_layers_at_all_are_refused() -> None:
    with pytest.raises(ValueError, match=r"A135.*0 for .*'depth' of BiLSTM.* below 1"):
        build_bilstm_encoder(width=2, depth=0)
