from pathlib import Path

import pytest
from spacy.util import load_config

from scripts.experiments.models import ABLATIONS, KS, MODELS, PAPER
from spacy_adak.run.init_config import init_config


@pytest.mark.parametrize("model", MODELS)
def test_settings_are_there_to_be_overridden(model: str, tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(init_config("en"), encoding="utf8")
    config = load_config(path)
    for name in MODELS[model].settings:
        block = config
        *sections, setting = name.split(".")
        for section in sections:
            block = block[section]
        assert setting in block


@pytest.mark.parametrize("model", [*ABLATIONS, *(set(KS.values()) - {"adak"})])
def test_variant_differs_from_the_paper_in_one_setting(model: str) -> None:
    settings = MODELS[model].settings
    assert settings.keys() == PAPER.keys()
    assert sum(settings[name] != PAPER[name] for name in PAPER) == 1


def test_adak_has_the_settings_of_the_paper() -> None:
    assert MODELS["adak"].settings == PAPER
    assert PAPER["components.adak_ner.k"] == 5
    assert PAPER["adak.rounds"] == 10
