"""Settings of before are refused, and the error says where they are today."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from thinc.api import Config

from spacy_adak.pipeline.old_settings import OLD_LOSSES, OLD_SETTINGS
from spacy_adak.q.adak_block import BLOCKS, AdakSettings, read_settings
from spacy_adak.run.overrides import read_config
from spacy_adak.run.preflight import check_run
from tests.losses import LOSSES
from tests.made_texts import SMALL_MODEL, make_examples, make_nlp

OLD = [(kind, key) for kind, keys in OLD_SETTINGS.items() for key in keys]
old = pytest.mark.parametrize(("kind", "key"), OLD, ids=lambda value: value)
# What each had as its default.
DEFAULTS: dict[str, Any] = {
    "loss": "adak",
    "k": 5,
    "gamma": 3.0,
    "annealing_steps": None,
    "annotation_recall": None,
    "ratio_target": None,
    "ratio_margin": 0.02,
    "ratio_weight": 10.0,
    "start": "outside",
    "q": "hard",
    "temperature": 1.0,
    "mask": True,
    "kbest_candidates": True,
    "dictionary": True,
    "dictionary_count": 2,
    "min_sample_score": 0.9,
    "score_per_token": True,
}


def message(kind: str, key: str) -> str:
    """What an error has to say of a setting."""
    return f"{key} is now {OLD_SETTINGS[kind][key]}"


def valid_settings(section: str) -> set[str]:
    """The settings that a block may have today."""
    if section == "components.adak_ner.loss":
        names = {name for loss in LOSSES.values() for name in vars(loss())}
        return {*names, "@losses"}
    return set(BLOCKS[section.removeprefix("adak.")].model_fields)


@old
def test_setting_that_is_named_instead_exists(kind: str, key: str) -> None:
    text = OLD_SETTINGS[kind][key]
    found = [part.split("]", 1) for part in text.split("[")[1:]]
    assert found
    for section, rest in found:
        if name := rest.strip(" ,;:").split(" ")[0].strip(",;"):
            is_prose = name in ("a", "and", "the")
            assert is_prose or name in valid_settings(section), (section, name)


def test_all_old_settings_have_a_default_here() -> None:
    assert set(DEFAULTS) == {key for _, key in OLD}
    assert set(OLD_LOSSES) == set(LOSSES)
    assert {LOSSES[name].__name__ for name in LOSSES} == set(OLD_LOSSES.values())
    assert AdakSettings.model_fields.keys() >= BLOCKS.keys()


@old
def test_config_is_refused_by_train(tiny_config: Config, kind: str, key: str) -> None:
    config = tiny_config.copy()
    block: Any = config
    for name in kind.split("."):
        block = block[name]
    block[key] = DEFAULTS[key]
    with pytest.raises(ValueError, match=r"A207[\s\S]*A118") as error:
        check_run(config, -1, strict=False)
    assert message(kind, key) in str(error.value)


@old
def test_override_is_refused(tiny_config: Config, kind: str, key: str) -> None:
    value = "a name" if DEFAULTS[key] is None else DEFAULTS[key]
    with pytest.raises(ValueError, match="A118") as error:
        read_config(tiny_config, {f"{kind}.{key}": value})
    assert message(kind, key) in str(error.value)


def test_all_old_settings_of_the_outer_loop_are_named_at_once() -> None:
    settings = {key: DEFAULTS[key] for key in OLD_SETTINGS["adak"]}
    with pytest.raises(ValueError, match="A118") as error:
        read_settings(Config({"adak": settings}))
    for key in settings:
        assert message("adak", key) in str(error.value)


@pytest.mark.parametrize("loss", OLD_LOSSES)
def test_name_of_a_loss_is_refused_by_add_pipe(loss: str) -> None:
    config = {"model": SMALL_MODEL, "loss": loss}
    with pytest.raises(ValueError, match=rf"A118.*spacy-adak.{OLD_LOSSES[loss]}.v1"):
        spacy.blank("en").add_pipe("adak_ner", config=config)


def test_old_pipeline_is_refused_when_it_is_loaded(tmp_path: Path) -> None:
    nlp = make_nlp()
    nlp.initialize(lambda: make_examples(nlp))
    nlp.to_disk(tmp_path)
    config = Config().from_disk(tmp_path / "config.cfg")
    settings = {key: DEFAULTS[key] for key in OLD_SETTINGS["components.adak_ner"]}
    config["components"]["adak_ner"] |= settings
    config.to_disk(tmp_path / "config.cfg")
    with pytest.raises(ValueError, match=r"A118.*AdaKLoss.*saved pipeline"):
        spacy.load(tmp_path)


def test_blocks_of_today_are_not_taken_for_old_settings(tiny_config: Config) -> None:
    blocks = {"start": {"learn_from": "ratio"}, "q": {"mode": "soft"}, "mask": None}
    for name, block in blocks.items():
        assert read_config(tiny_config, {f"adak.{name}": block})["adak"][name] == block
