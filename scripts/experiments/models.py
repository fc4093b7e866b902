"""The models that are compared: each is a recipe for a config, with some overrides."""

from typing import Any, NamedTuple

from thinc.api import Config

from spacy_adak.q.adak_block import EXECUTION, AdakSettings
from spacy_adak.run.init_config import init_config

# Another component than ours.
NER = "ner"
LOSS = "components.adak_ner.loss"
ROUNDS = "adak.rounds"
MASK = "adak.mask"
# What the recipe "paper" settles, whatever the encoder and its optimizer are.
SETTLED_BY_PAPER = (
    LOSS,
    *(f"adak.{name}" for name in AdakSettings.model_fields if name not in EXECUTION),
)
PAPER_ROUNDS: int = Config().from_str(init_config(recipe="paper"))["adak"]["rounds"]


def _loss(name: str, **settings: Any) -> dict[str, Any]:
    return {LOSS: {"@losses": f"spacy-adak.{name}.v1", **settings}}


def _with_k(k: int) -> dict[str, Any]:
    """The loss of AdaK-NER, and candidates by as many best paths."""
    return {f"{LOSS}.k": k, f"{MASK}.kbest": k}


class Model(NamedTuple):
    """A model by its title in tables, and what it overrides in the config of a
    recipe."""

    title: str
    settings: dict[str, Any]
    recipe: str = "best"


def _paper_but(title: str, changes: dict[str, Any]) -> Model:
    return Model(title, changes, "paper")


ABLATIONS = {
    "without-kbest-loss": _paper_but("w/o K-best loss", _loss("WeightedLoss")),
    "without-weighted-loss": _paper_but("w/o weighted loss", {f"{LOSS}.gamma": 0.0}),
    "without-annealing": _paper_but("w/o annealing", {f"{LOSS}.gamma": None}),
    "without-kbest-candidates": _paper_but(
        "w/o K-best candidates", {f"{MASK}.kbest": 0}
    ),
    "without-dictionary": _paper_but(
        "w/o self-built candidates", {f"{MASK}.dictionary": False}
    ),
    "without-mask": _paper_but("w/o candidate mask", {MASK: None}),
    "without-selection": _paper_but("w/o sample selection", {"adak.selection": None}),
}
# What is to be found out about a transformer that is fine-tuned.
FINE_TUNING = {
    "adak-warm": _paper_but("AdaK-NER, warm starts", {"adak.warm_start": True}),
    "adak-frozen-folds": _paper_but(
        "AdaK-NER, first fold models over the frozen transformer",
        {"adak.start.frozen_encoder": True},
    ),
    "default-tuned-folds": Model(
        "our default, fold models fine-tuned", {"adak.start.frozen_encoder": False}
    ),
    "default-kbest": Model("our default, K-best loss", _loss("AdaKLoss")),
}
# The names of the models that differ in K alone.
KS = {1: "adak-k1", 3: "adak-k3", 5: "adak", 7: "adak-k7", 9: "adak-k9"}
MODELS = {
    "crf": Model("CRF", _loss("CRFLoss")),
    "fuzzy": Model("Fuzzy CRF", _loss("FuzzyLoss")),
    "weighted": _paper_but(
        "weighted CRF",
        {**_loss("WeightedLoss"), MASK: None, "adak.selection": None},
    ),
    **{name: _paper_but(f"AdaK-NER, K = {k}", _with_k(k)) for k, name in KS.items()},
    "adak": _paper_but("AdaK-NER", {}),
    "adak-default": Model("our default", {}),
    "missing": Model("likelihood of the annotation", _loss("MissingLoss")),
    NER: Model("spaCy's `ner`", {}),
    # Effland and Collins (2021).
    "ratio": Model("expected entity ratio", _loss("RatioLoss")),
    **ABLATIONS,
    **FINE_TUNING,
}
# What a model has over the encoder of one config only.
_SETTINGS_BY_CONFIG = {("ratio", "frozen"): _loss("RatioLoss", weight=2.0)}


def model_settings(model: str, config: str) -> dict[str, Any]:
    """RETURNS (dict[str, Any]): What a model overrides in a config.

    model (str): A key of `MODELS`.
    config (str): The kind of the config, for instance "frozen".
    """
    by_config = _SETTINGS_BY_CONFIG.get((model, config), {})
    return {**MODELS[model].settings, **by_config}
