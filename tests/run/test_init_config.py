import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import spacy
from spacy.cli.debug_config import debug_config
from spacy.util import get_lang_class
from thinc.api import Config
from transformers import AutoTokenizer

from spacy_adak.encoders.sharing import frozen_blocks
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.settings import DEFAULTS
from spacy_adak.q.adak_block import (
    EXECUTION,
    AdakSettings,
    Mask,
    Selection,
    read_settings,
)
from spacy_adak.run.init_config import RECIPES, init_config, quick_settings
from spacy_adak.run.overrides import read_config
from spacy_adak.run.train import train
from tests.losses import loss_block
from tests.made_corpus import TINY, write_data

KINDS: dict[str, dict[str, Any]] = {
    "own": {"gpu": False},
    "frozen": {"encoder": "some-bert"},
    "trained": {"gpu": True},
}
TEXTS = {
    f"{lang}, {kind}, {recipe}": init_config(lang, recipe=recipe, **settings)
    for lang in ("en", "zh")
    for kind, settings in KINDS.items()
    for recipe in RECIPES
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@pytest.fixture
def own_length(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts are measured without the tokenizer of a transformer."""
    registered = Mock(return_value=len)
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", registered)


@every_text
def test_config_leaves_out_nothing_but_settings_of_the_component(text: str) -> None:
    config = Config().from_str(text, interpolate=False)
    filled = spacy.util.load_model_from_config(config, auto_fill=True).config
    own = filled["components"].pop("adak_ner")
    given = config["components"].pop("adak_ner")
    assert filled == {**config, "adak": filled["adak"]}
    assert own["loss"] == {**own["loss"], **given.pop("loss")}
    given["model"].setdefault("learn_rate_factor", 1.0)
    for block in frozen_blocks(given):
        block |= {"reduced": False, "encoder_loader": None, "piecer_loader": None}
    assert own == {**own, **given}
    left_out = own.keys() - given.keys() - {"loss"}
    assert {key: own[key] for key in left_out} == {k: DEFAULTS[k] for k in left_out}


@every_text
@pytest.mark.usefixtures("own_length")
def test_config_is_valid_as_spacy_debug_config_sees_it(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.cfg"
    path.write_text(text, encoding="utf8")
    paths = {"paths.train": "train.spacy", "paths.dev": "dev.spacy"}
    debug_config(path, overrides=paths)
    assert "Config is valid" in capsys.readouterr().out


@pytest.mark.parametrize("kind", KINDS)
def test_best_recipe_estimates_q_once_with_every_encoder(kind: str) -> None:
    config = Config().from_str(TEXTS[f"en, {kind}, best"])
    settings = read_settings(config)
    assert (settings.rounds, settings.folds, settings.fold_models) == (1, 3, "all")
    assert (settings.start.learn_from, settings.start.ratio_weight) == ("forms", 2.0)
    assert (settings.q.mode, settings.temperature_in(1)) == ("interpolated", 2.0)
    assert settings.mask is settings.selection is None
    assert config["components"]["adak_ner"]["loss"] == loss_block("weighted")


@pytest.mark.parametrize("kind", KINDS)
def test_recipe_of_the_paper_is_the_same_for_every_encoder(kind: str) -> None:
    config = Config().from_str(TEXTS[f"zh, {kind}, paper"])
    assert config["components"]["adak_ner"]["loss"] == {
        "@losses": "spacy-adak.AdaKLoss.v1",
        "k": 5,
        "gamma": 3.0,
    }
    settings = read_settings(config)
    assert settings == AdakSettings(
        rounds=10, folds=2, mask=Mask(kbest=5), selection=Selection()
    )
    assert settings.start.learn_from == "outside"
    assert (settings.patience, settings.q.mode) == (0, "hard")


@pytest.mark.parametrize(("lang", "rate"), [("en", 0.0002), ("zh", 0.0001)])
def test_transformer_is_trained_as_in_the_paper(lang: str, rate: float) -> None:
    config = Config().from_str(TEXTS[f"{lang}, trained, paper"])
    training = config["training"]
    assert training["optimizer"]["learn_rate"] == rate
    assert (training["max_epochs"], training["batcher"]["size"]) == (10, 32)
    assert config["components"]["adak_ner"]["model"]["learn_rate_factor"] == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_of_the_paper_names_its_source(kind: str) -> None:
    section, comment, sources = "", "", {}
    for line in TEXTS[f"en, {kind}, paper"].splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line.startswith("#"):
            comment += line
        else:
            sources[f"{section}.{line.split(' = ')[0]}"] = comment
            comment = ""
    own = ("components.adak_ner.loss.", "adak.")
    settings = [name for name in sources if name.startswith(own) and name[-1] != "."]
    settings = [name for name in settings if name.split(".")[-1] not in EXECUTION]
    assert len(settings) == 15
    settings += ["training.max_epochs", "training.batcher.size", "training.dropout"]
    settings += ["training.optimizer.@optimizers", "training.optimizer.grad_clip"]
    settings.append("components.adak_ner.scheme")
    rate = "learn_rate.initial_rate" if kind == "frozen" else "learn_rate"
    settings.append(f"training.optimizer.{rate}")
    if kind != "own":
        settings.append("paths.encoder")
    for name in settings:
        assert re.search(r"Eq\. \d|Section \d|Appendix|Algorithm", sources[name]), name


def test_rates_rise_and_fall_where_the_encoder_is_trained() -> None:
    for kind in ("own", "trained"):
        optimizer = Config().from_str(TEXTS[f"en, {kind}, best"])["training"][
            "optimizer"
        ]
        assert optimizer["learn_rate"]["@schedules"] == "spacy-adak.LinearDecay.v1"
        assert optimizer["learn_rate"]["warmup"] == 0.1


def test_crf_learns_faster_than_the_transformer_under_it() -> None:
    config = Config().from_str(TEXTS["zh, trained, best"])
    assert config["components"]["adak_ner"]["model"]["learn_rate_factor"] > 1


def test_recipe_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match=r"\[A232\].*'worst'.*best or paper"):
        init_config(recipe="worst")


@every_text
def test_pipeline_can_be_made_of_it(text: str) -> None:
    config = Config().from_str(text, interpolate=False)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert isinstance(nlp.get_pipe("adak_ner"), AdaKRecognizer)
    assert nlp.has_pipe("transformer") == ("[components.transformer]" in text)


@every_text
def test_every_setting_of_ours_has_a_comment_above_it(text: str) -> None:
    lines = text.splitlines()
    blocks = ["[components.adak_ner.loss]"]
    blocks += [line for line in lines if line.startswith("[adak")]
    assert len(blocks) > 2
    for header in blocks:
        start = lines.index(header) + 1
        # Or above the block.
        above = lines[: start - 1][-3:]
        settings = []
        for line in lines[start:]:
            if line.startswith("["):
                break
            settings.append(line)
        commented = any(line.startswith("#") for line in above)
        for line in settings:
            if line.startswith("#"):
                commented = True
            elif line and not line.startswith("factory"):
                assert commented, line


@every_text
def test_text_survives_reading_and_writing(text: str) -> None:
    config = Config().from_str(text, interpolate=False)
    assert Config().from_str(config.to_str(), interpolate=False) == config


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_config_for_the_cpu_trains(lang: str, tmp_path: Path) -> None:
    overrides = {**TINY, **write_data(tmp_path), "adak.rounds": 1}
    config = read_config(
        Config().from_str(init_config(lang), interpolate=False), overrides
    )
    nlp, history = train(config, tmp_path / "output")
    assert nlp.lang == lang
    assert len(history) == 1


def test_config_with_a_frozen_encoder_trains(tiny_bert: Path, tmp_path: Path) -> None:
    overrides = {**write_data(tmp_path), "training.max_epochs": 1, "adak.rounds": 1}
    config = Config().from_str(
        init_config("en", encoder=str(tiny_bert)),
        overrides=overrides,
        interpolate=False,
    )
    nlp, history = train(config, tmp_path / "output")
    assert len(history) == 1
    assert not nlp.has_pipe("transformer")


def test_transformer_that_is_trained_can_be_chosen() -> None:
    config = Config().from_str(init_config("en", gpu=True, encoder="some-bert"))
    assert config["components"]["transformer"]["model"]["name"] == "some-bert"


@pytest.mark.parametrize(
    ("lang", "window", "stride"), [("en", 256, 192), ("zh", 180, 135), ("de", 128, 96)]
)
@pytest.mark.parametrize("gpu", [True, False])
def test_windows_leave_room_for_the_pieces_of_words(
    lang: str, window: int, stride: int, gpu: bool
) -> None:
    config = Config().from_str(init_config(lang, gpu, "some-bert"))
    components = config["components"]
    if gpu:
        encoder = components["transformer"]["model"]
    else:
        embed = components["adak_ner"]["model"]["tok2vec"]["embed"]
        encoder = embed["*"]["frozen"]["encoder"]
    assert encoder["get_spans"]["window"] == window
    assert encoder["get_spans"]["stride"] == stride


def test_chinese_is_read_character_by_character() -> None:
    config = Config().from_str(init_config("zh"), interpolate=False)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    assert [token.text for token in nlp.make_doc("优酷视频")] == list("优酷视频")


def test_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[A221\].*'klingon'"):
        init_config("klingon")


@pytest.mark.parametrize("lang", ["en", "ja", "ko", "th", "vi", "xx", "zh"])
def test_tokenizer_is_that_of_the_language(lang: str) -> None:
    config = Config().from_str(init_config(lang), interpolate=False)
    default = {"@tokenizers": "spacy.Tokenizer.v1"}
    defaults = get_lang_class(lang).Defaults.config
    assert config["nlp"]["tokenizer"] == defaults.get("nlp", {}).get(
        "tokenizer", default
    )


@pytest.mark.parametrize("gpu", [True, False])
def test_path_of_an_encoder_may_have_any_characters(gpu: bool) -> None:
    path = r'D:\new\"bert"'
    config = Config().from_str(init_config("en", gpu, path))
    assert config["paths"]["encoder"] == path


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("kind", KINDS)
def test_quick_config_has_one_round_of_short_trainings(kind: str, recipe: str) -> None:
    text = init_config("en", quick=True, recipe=recipe, **KINDS[kind])
    config = Config().from_str(text, interpolate=False)
    assert read_settings(config).rounds == 1
    assert config["training"]["max_epochs"] == 5


@pytest.mark.parametrize(("epochs", "quick"), [(10, 5), (3, 3), (0, 5)])
def test_quick_settings_make_no_training_longer(epochs: int, quick: int) -> None:
    config = Config().from_str(init_config(), interpolate=False)
    config["training"]["max_epochs"] = epochs
    assert quick_settings(config) == {
        "adak.rounds": 1,
        "training.max_epochs": quick,
    }
