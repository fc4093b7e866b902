"""Where configs say that frozen encoders are shared."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
import spacy
from thinc.api import Config

from spacy_adak.encoders.sharing import (
    forget_shared_folders,
    frozen_blocks,
    has_frozen_encoder,
    share_frozen_encoders,
)
from tests.made_texts import SMALL_ENCODER

Vectors = Callable[[float], None]


def frozen_block(encoder: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return {
        "@architectures": "spacy-adak.FrozenEncoder.v1",
        "encoder": encoder,
        **settings,
    }


def transformer(path: Path) -> dict[str, Any]:
    return {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(path),
    }


def make_config(tok2vec: Any, **sections: Any) -> Config:
    model = {"@architectures": "spacy-adak.CRFTagger.v1", "tok2vec": tok2vec}
    components = {"adak_ner": {"factory": "adak_ner", "model": model}}
    config = Config({"components": components, **sections})
    return Config().from_str(config.to_str(), interpolate=False)


def shared_folders(config: Config, folder: Path) -> list[Path]:
    """Where the encoders of a config are shared."""
    share_frozen_encoders(config, folder)
    blocks = list(frozen_blocks(config["components"]))
    blocks += list(frozen_blocks(config.interpolate()["components"]))
    return sorted({Path(block["shared"]) for block in blocks})


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    """A folder that looks like that of a transformer."""
    folder = tmp_path / "encoder"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


@pytest.fixture
def write_vectors(tmp_path: Path) -> Vectors:
    """Writes a pipeline with a word vector."""

    def write(value: float) -> None:
        nlp = spacy.blank("en")
        nlp.vocab.set_vector("Ann", numpy.full((4,), value, dtype="f"))
        nlp.to_disk(tmp_path / "vectors")

    return write


def test_encoders_that_differ_do_not_meet(tmp_path: Path) -> None:
    blocks = [frozen_block(SMALL_ENCODER), frozen_block({**SMALL_ENCODER, "depth": 2})]
    folders = [shared_folders(make_config(block), tmp_path) for block in blocks]
    assert folders[0] != folders[1]
    assert all(path.parent == tmp_path for (path,) in folders)


def test_what_does_not_change_rows_does_not_change_the_folder(tmp_path: Path) -> None:
    blocks = [frozen_block(SMALL_ENCODER, memory_limit_mb=mb) for mb in (0, 1024)]
    first, second = (shared_folders(make_config(block), tmp_path) for block in blocks)
    assert first == second


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_encoder_whose_files_have_changed_is_another_one(
    encoder: Path, tmp_path: Path, file: str
) -> None:
    def folders() -> list[Path]:
        block = frozen_block(transformer(encoder), shared=str(tmp_path / "rows"))
        return shared_folders(make_config(block), tmp_path)

    first = folders()
    assert folders() == first
    (encoder / file).write_bytes(b"others")
    assert folders() != first
    assert first[0].parent == tmp_path / "rows"


def test_run_with_a_folder_of_its_own_keeps_its_encoder(
    encoder: Path, tmp_path: Path
) -> None:
    config = make_config(frozen_block(transformer(encoder)))
    first = shared_folders(config.copy(), tmp_path)
    (encoder / "model.safetensors").unlink()
    assert shared_folders(config, tmp_path) == first


@pytest.mark.parametrize("is_transformer", [False, True])
def test_other_vectors_make_another_encoder_of_a_tok2vec(
    encoder: Path, tmp_path: Path, write_vectors: Vectors, is_transformer: bool
) -> None:
    block = transformer(encoder) if is_transformer else SMALL_ENCODER
    folders = []
    for value in (1.0, 2.0):
        write_vectors(value)
        config = make_config(
            frozen_block(block, shared=str(tmp_path / "rows")),
            initialize={"vectors": str(tmp_path / "vectors")},
        )
        folders.append(shared_folders(config, tmp_path))
    assert (folders[0] == folders[1]) == is_transformer


# Variables


def test_encoder_that_a_variable_stands_for_is_shared(tmp_path: Path) -> None:
    config = make_config("${frozen}", frozen=frozen_block(SMALL_ENCODER))
    assert has_frozen_encoder(config)
    (folder,) = shared_folders(config, tmp_path)
    assert folder.parent == tmp_path
    forget_shared_folders(config)
    (block,) = frozen_blocks(config.interpolate()["components"])
    assert block["shared"] is None


def test_model_of_several_components_is_shared_once(tmp_path: Path) -> None:
    rows = tmp_path / "rows"
    config = make_config(
        frozen_block(SMALL_ENCODER, memory_limit_mb=7, shared=str(rows))
    )
    model = "${components.adak_ner.model}"
    for name in ("second", "third"):
        config["components"][name] = {"factory": "adak_ner", "model": model}
    (folder,) = shared_folders(config, tmp_path)
    assert folder.parent == rows
    blocks = list(frozen_blocks(config["components"]))
    assert [block["memory_limit_mb"] for block in blocks] == [7, 7, 7]


def test_values_of_variables_tell_encoders_apart(tmp_path: Path) -> None:
    folders = []
    for width in (8, 16):
        block = frozen_block({**SMALL_ENCODER, "width": "${sizes.width}"})
        config = make_config(block, sizes={"width": width})
        folders += shared_folders(config, tmp_path)
        # What is no encoder keeps its variables.
        (kept,) = frozen_blocks(config["components"])
        assert kept["encoder"]["width"] == "${sizes.width}"
    assert folders[0] != folders[1]
