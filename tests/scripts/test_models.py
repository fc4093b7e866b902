from pathlib import Path

import pytest
from spacy.util import load_config

from scripts.experiments.models import ABLATIONS, KS, LOSS, MASK, MODELS, PAPER
from spacy_adak.q.adak_block import read_settings
from spacy_adak.run.init_config import init_config
from spacy_adak.run.overrides import read_config


@pytest.mark.parametrize("model", MODELS)
def test_settings_are_there_to_be_overridden(model: str, tmp_path: Path) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(init_config("en"), encoding="utf8")
    config = load_config(path)
    settings = MODELS[model].settings
    changed = read_config(config, settings).interpolate()
    for name, value in settings.items():
        block = changed
        *sections, setting = name.split(".")
        for section in sections:
            block = block[section]
        assert block[setting] == value
    assert read_settings(changed).rounds == 10


@pytest.mark.parametrize("model", [*ABLATIONS, *(set(KS.values()) - {"adak"})])
def test_variant_differs_from_the_paper_in_one_setting(model: str) -> None:
    settings = MODELS[model].settings
    assert settings.keys() == PAPER.keys()
    # K is that of the loss and that of the candidates.
    changed = {name for name in PAPER if settings[name] != PAPER[name]}
    if model in KS.values():
        assert changed == {LOSS, MASK}
        assert settings[LOSS]["k"] == settings[MASK]["kbest"] != 5
    else:
        assert len(changed) == 1


def test_adak_has_the_settings_of_the_paper() -> None:
    assert MODELS["adak"].settings == PAPER
    assert PAPER["components.adak_ner.loss"]["k"] == PAPER["adak.mask"]["kbest"] == 5
    assert PAPER["adak.rounds"] == 10
