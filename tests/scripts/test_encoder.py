from pathlib import Path
from typing import Any

import pytest
from thinc.api import Config

from scripts.experiments.encoder import Encoder, describe_encoder

CNN = {"@architectures": "spacy.HashEmbedCNN.v2", "width": 96}
BERT = {"@architectures": "spacy-transformers.TransformerModel.v3", "name": "org/bert"}


def make_config(tok2vec: dict[str, Any], **components: Any) -> Config:
    component = {"model": {"tok2vec": tok2vec}}
    return Config(
        {
            "components": {"adak_ner": component, **components},
            "training": {"frozen_components": []},
        }
    )


def test_encoder_without_weights_is_named_by_its_architecture() -> None:
    config = make_config(CNN)
    assert describe_encoder(config) == Encoder("spacy.HashEmbedCNN.v2", False)


@pytest.mark.parametrize("is_frozen", [False, True])
def test_transformer_is_named_by_its_weights(is_frozen: bool) -> None:
    config = make_config({}, transformer={"model": BERT})
    config["training"]["frozen_components"] = ["transformer"] if is_frozen else []
    assert describe_encoder(config) == Encoder("org/bert", is_frozen)


def test_frozen_encoder_is_found_within_others() -> None:
    frozen = {"@architectures": "spacy-adak.FrozenEncoder.v1", "encoder": BERT}
    config = make_config({"embed": {"frozen": frozen, "trained": CNN}, "encode": {}})
    assert describe_encoder(config) == Encoder("org/bert", True)


def test_local_weights_are_named_by_their_folder(tmp_path: Path) -> None:
    (tmp_path / "small-bert").mkdir()
    local = {**BERT, "name": str(tmp_path / "small-bert")}
    config = make_config({}, transformer={"model": local})
    assert describe_encoder(config).name == "small-bert"


def test_name_may_be_that_of_a_path() -> None:
    config = make_config({}, transformer={"model": {**BERT, "name": "${paths.bert}"}})
    config["paths"] = {"bert": "org/other"}
    assert describe_encoder(config).name == "org/other"
