"""spaCy's own `ner` on the same data, over the same encoder: unknown tokens are missing
values to it, which it does not learn from."""

from pathlib import Path
from typing import Any

import srsly
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_nlp
from thinc.api import Config

from spacy_adak.encoders.sharing import FOLDER, share_frozen_encoders
from spacy_adak.run.overrides import read_config
from spacy_adak.tasks.logs import logging_to
from spacy_adak.tasks.steps import plan_steps
from spacy_adak.tasks.train_model import BEST_MODEL

_PARSER = {
    "@architectures": "spacy.TransitionBasedParser.v2",
    "state_type": "ner",
    "extra_state_tokens": False,
    "hidden_width": 64,
    "maxout_pieces": 2,
    "use_upper": True,
    "nO": None,
}


def ner_config(config_path: Path, overrides: dict[str, Any]) -> Config:
    """RETURNS (Config): A config with `ner` in place of `adak_ner`, and else alike."""
    config = read_config(config_path, overrides)
    tok2vec = config["components"].pop("adak_ner")["model"]["tok2vec"]
    config["components"]["ner"] = {
        "factory": "ner",
        "model": {**_PARSER, "tok2vec": tok2vec},
    }
    config["nlp"]["pipeline"] = [
        "ner" if name == "adak_ner" else name for name in config["nlp"]["pipeline"]
    ]
    del config["adak"]
    return config


def train_ner(
    config_path: Path, output: Path, overrides: dict[str, Any], use_gpu: int
) -> dict[str, float]:
    """Train a pipeline as `spacy train` does.

    config_path (Path): A config for `adak_ner`.
    output (Path): Where to save model-best and model-last.
    overrides (dict[str, Any]): Changes of the config, by dotted names.
    use_gpu (int): The id of a GPU, or -1.
    RETURNS (dict[str, float]): The scores of the best model on dev.
    """
    output.mkdir(parents=True)
    config = ner_config(config_path, overrides)
    share_frozen_encoders(config, output / FOLDER)
    nlp = init_nlp(config, use_gpu=use_gpu)
    plan_steps(nlp)
    with (output / "train.log").open("w", encoding="utf8") as log, logging_to(log):
        train_nlp(nlp, output, use_gpu=use_gpu, stdout=log, stderr=log)
    meta: dict[str, Any] = srsly.read_json(output / BEST_MODEL / "meta.json")
    return meta["performance"]
