"""Write a training config with the settings that users may want to change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import get_lang_class
from thinc.api import Config

from ..errors import Errors
from .new_config.best import best_method
from .new_config.encoders import Kind, model_text, transformer_of, transformer_text
from .new_config.paper import paper_method
from .new_config.skeleton import SKELETON
from .overrides import read_config

RECIPES = ("best", "paper")
# How long the trainings of a first look are.
QUICK_EPOCHS = 5


def init_config(
    lang: str = "en",
    gpu: bool = False,
    encoder: str | None = None,
    quick: bool = False,
    recipe: str = "best",
) -> str:
    """Make a config for `train`.

    lang (str): The code of a language. Chinese is read character by character.
    gpu (bool): Whether to fine-tune a transformer.
    encoder (Optional[str]): A transformer on the hub or the path of a folder. With a
        GPU that of the paper is taken if there is none. Without a GPU it is frozen, and
        a small network is trained on it; if there is none, one that needs no download.
    quick (bool): One round of short trainings, for a first look.
    recipe (str): "best" is what has recovered most in our experiments, "paper" is
        AdaK-NER with the settings of the paper.
    RETURNS (str): The text of the config, comments included.
    """
    try:
        language = get_lang_class(lang)
    except ImportError as error:
        raise ValueError(Errors.A221.format(lang=lang, error=error)) from None
    if recipe not in RECIPES:
        message = Errors.A232.format(recipe=recipe, recipes=" or ".join(RECIPES))
        raise ValueError(message)
    kind: Kind = "trained" if gpu else "frozen" if encoder is not None else "own"
    transformer = transformer_of(lang)
    is_paper = recipe == "paper"
    rates = {"own": 0.001, "frozen": 0.002, "trained": transformer.learn_rate}
    epochs = QUICK_EPOCHS if quick else _epochs(kind, recipe)
    if is_paper:
        method = paper_method(kind, rates[kind], epochs, quick=quick)
    else:
        method = best_method(kind, rates[kind], epochs)
    return SKELETON.render(
        lang=lang,
        kind=kind,
        is_paper=is_paper,
        encoder=encoder or transformer.name,
        loss_needs_q="WeightedLoss" in method.loss,
        transformer=transformer_text(transformer.window, is_paper=is_paper)
        if gpu
        else "",
        model=model_text(kind, transformer.window, is_paper=is_paper),
        tokenizer=_section(
            language, "nlp.tokenizer", {"@tokenizers": "spacy.Tokenizer.v1"}
        ),
        tokenizer_data=_section(language, "initialize.tokenizer", {}),
        **method._asdict(),
    )


def _epochs(kind: Kind, recipe: str) -> int:
    # A small network over a frozen encoder has learnt what it can after 5.
    is_long = kind == "own" or (kind == "trained" and recipe == "paper")
    return 10 if is_long else 5


def quick_settings(config: Config | str | Path) -> dict[str, Any]:
    """Settings for a first look: one round of short trainings.

    config (Config | str | Path): A config, or its path.
    RETURNS (dict[str, Any]): Overrides for it.
    """
    training = read_config(config, {}).get("training", {})
    epochs = training.get("max_epochs")
    if not isinstance(epochs, int) or not 0 < epochs < QUICK_EPOCHS:
        epochs = QUICK_EPOCHS
    return {"adak.rounds": 1, "training.max_epochs": epochs}


def _section(language: type[Language], name: str, default: dict[str, Any]) -> str:
    """A section of the config, with the values of a language."""
    section = language.Defaults.config
    for part in name.split("."):
        section = section.get(part, {})
    block: Config = Config()
    inner: dict[str, Any] = block
    for part in name.split("."):
        inner = inner.setdefault(part, {})
    inner.update(section or default)
    text = block.to_str()
    return text[text.index(f"[{name}]") :].strip()


def with_settings(text: str, settings: Mapping[str, str]) -> str:
    """Change settings in the text of a config, and leave its comments.

    text (str): The config.
    settings (Mapping[str, str]): New lines by those they stand for.
    RETURNS (str): The text with the new lines.
    """
    for default, setting in settings.items():
        before, found, after = text.partition(f"\n{default}\n")
        if not found:
            raise ValueError(f"The default config has no line '{default}'")
        text = f"{before}\n{setting}\n{after}"
    return text
