"""Write `docs/configuration.md`: every setting with its default and what it means, as
the code has it.

    python scripts/make_configuration.py
"""

import json
import re
from collections.abc import Callable, Mapping
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import Any

from wasabi import MarkdownRenderer

from spacy_adak.atomic import write_bytes
from spacy_adak.data.corruption import create_drop_entities_augmenter
from spacy_adak.encoders.bilstm import build_bilstm_encoder
from spacy_adak.encoders.frozen import build_frozen_encoder
from spacy_adak.encoders.window_cnn import build_window_cnn_encoder
from spacy_adak.encoders.word_features import build_word_features
from spacy_adak.encoders.word_pieces import create_word_pieces
from spacy_adak.pipeline.adak_ner import AdaKRecognizer
from spacy_adak.pipeline.losses import (
    AdaKLoss,
    CRFLoss,
    FuzzyLoss,
    MissingLoss,
    RatioLoss,
    WeightedLoss,
)
from spacy_adak.pipeline.model import build_crf_tagger
from spacy_adak.pipeline.old_settings import OLD_SETTINGS
from spacy_adak.pipeline.settings import DEFAULTS
from spacy_adak.q.adak_block import BLOCKS, AdakSettings
from spacy_adak.q.guessers import make_pipeline_guesser
from spacy_adak.q.settings_block import Block
from spacy_adak.tasks.linear_decay import linear_decay

LOSSES = (AdaKLoss, WeightedLoss, MissingLoss, RatioLoss, FuzzyLoss, CRFLoss)
FUNCTIONS: Mapping[str, Callable] = {
    "spacy-adak.CRFTagger.v1": build_crf_tagger,
    "spacy-adak.FrozenEncoder.v1": build_frozen_encoder,
    "spacy-adak.WindowCNNEncoder.v1": build_window_cnn_encoder,
    "spacy-adak.BiLSTMEncoder.v1": build_bilstm_encoder,
    "spacy-adak.WordFeatures.v1": build_word_features,
    "spacy-adak.LinearDecay.v1": linear_decay,
    "spacy-adak.WordPieces.v1": create_word_pieces,
    "spacy-adak.PipelineGuesser.v1": make_pipeline_guesser,
    "spacy-adak.drop_entities.v1": create_drop_entities_augmenter,
}
INTRODUCTION = """\
Generated from the code by `python -m scripts.docs`. `python -m spacy adak init-config`
writes a config with the settings that you may want to change. All others have their
defaults. On the command line, use the dotted name of a setting:
`--components.adak_ner.loss.k 7`, `--adak.start.learn_from missing`. `adak train` also
accepts settings of blocks that the config does not have, and null for a block:
`--adak.mask null` switches the mask off. `[training]` and all other blocks are spaCy's
own."""
LOSS_INTRODUCTION = """\
The loss decides what the component learns from. It is a block with the name of the loss
and its settings:

```ini
[components.adak_ner.loss]
@losses = "spacy-adak.MissingLoss.v1"
annotation_recall = 0.3
```

You can change the loss on the command line:
`--components.adak_ner.loss.@losses spacy-adak.CRFLoss.v1`. Settings that the new loss
does not have are dropped. AdaKLoss and WeightedLoss use q. With the other losses
`adak train` is a single training."""
_SETTING = re.compile(r"^(\w+) \((.+)\): ")
_NO_DEFAULT = "–"


def read_docstring(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """Take a docstring apart.

    text (str): The docstring.
    RETURNS (tuple): What it says before the settings, and the type of each setting with
        what is said of it.
    """
    introduction: list[str] = []
    settings: dict[str, tuple[str, list[str]]] = {}
    current: list[str] | None = None
    for line in cleandoc(text).splitlines():
        found = _SETTING.match(line)
        if found:
            current = [line[found.end() :]]
            settings[found[1]] = (found[2], current)
        elif line.startswith(("RETURNS", "YIELDS")):
            break
        elif current is None:
            introduction.append(line)
        elif line.startswith("    "):
            current.append(line.strip())
        elif line:
            current = None
            introduction.append(line)
    described = {
        name: (kind, " ".join(lines)) for name, (kind, lines) in settings.items()
    }
    return "\n".join(introduction).strip(), described


def make_section(
    title: str, docstring: str | None, defaults: Mapping[str, Any], level: int = 2
) -> str:
    """RETURNS (str): A section with a table of settings, each with its description.

    title (str): The title.
    docstring (str | None): Describes all settings.
    defaults (Mapping[str, Any]): The defaults of the settings; `Parameter.empty` for
        those that have none.
    level (int): The level of the title.
    """
    introduction, described = read_docstring(docstring or "")
    md = MarkdownRenderer()
    md.add(md.title(level, title))
    md.add(introduction)
    if defaults:
        header = ["Setting", "Type", "Default", "What it is"]
        rows = []
        for name, default in defaults.items():
            kind, text = described[name]
            value = _NO_DEFAULT
            if default is not Parameter.empty:
                value = md.code(json.dumps(default))
            rows.append((md.code(name), kind.replace("|", "or"), value, text))
        md.add(md.table(rows, header))
    return md.text


def defaults_of(function: Callable) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The defaults of the parameters of a function."""
    parameters = signature(function).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


def block_defaults(block: type[Block]) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The defaults of the settings of a block."""
    return {
        name: None if name in BLOCKS and block is AdakSettings else field.default
        for name, field in block.model_fields.items()
    }


def component_defaults() -> dict[str, Any]:
    """RETURNS (dict[str, Any]): The defaults of the component. Blocks have sections of
    their own."""
    own = [name for name in DEFAULTS if name not in ("loss", "model")]
    defaults = {name: DEFAULTS[name] for name in own if name != "scorer"}
    return {**defaults, "scorer": DEFAULTS["scorer"]["@scorers"]}


def old_settings_section() -> str:
    """RETURNS (str): Where settings have moved to."""
    md = MarkdownRenderer()
    md.add(md.title(2, "Settings that have moved"))
    md.add("Configs and pipelines with the old settings are refused with an error.")
    rows = [
        (md.code(f"[{kind}] {key}"), new)
        for kind, keys in OLD_SETTINGS.items()
        for key, new in keys.items()
    ]
    md.add(md.table(rows, ["Old", "New"]))
    return md.text


def make_page() -> str:
    """RETURNS (str): The page."""
    md = MarkdownRenderer()
    md.add(md.title(1, "Configuration"))
    md.add(INTRODUCTION)
    component = make_section(
        "The component: `[components.adak_ner]`",
        AdaKRecognizer.__doc__,
        component_defaults(),
    )
    md.add(component)
    md.add(md.title(2, "The loss: `[components.adak_ner.loss]`"))
    md.add(LOSS_INTRODUCTION)
    for loss in LOSSES:
        name = f"`spacy-adak.{loss.__name__}.v1`"
        md.add(make_section(name, loss.__doc__, defaults_of(loss), level=3))
    blocks = {"adak": AdakSettings} | {f"adak.{n}": b for n, b in BLOCKS.items()}
    for name, block in blocks.items():
        title = f"`[{name}]`"
        if block is AdakSettings:
            title = f"The outer loop of `adak train`: {title}"
        level = 2 if block is AdakSettings else 3
        md.add(make_section(title, block.__doc__, block_defaults(block), level))
    md.add(md.title(2, "Encoders and other registered functions"))
    for name, function in FUNCTIONS.items():
        section = make_section(
            f"`{name}`", function.__doc__, defaults_of(function), level=3
        )
        md.add(section)
    md.add(old_settings_section())
    return f"{md.text}\n"


def main() -> None:
    """Write the page."""
    write_bytes(Path("docs/configuration.md"), make_page().encode())


if __name__ == "__main__":
    main()
