"""The models that are compared: each is the config of a dataset with some overrides."""

from typing import Any, NamedTuple

# Another component than ours.
NER = "ner"
LOSS = "components.adak_ner.loss"
ROUNDS = "adak.rounds"
MASK = "adak.mask"


def _loss(name: str, **settings: Any) -> dict[str, Any]:
    return {LOSS: {"@losses": f"spacy-adak.{name}.v1", **settings}}


def _adak(k: int = 5, gamma: float | None = 3.0) -> dict[str, Any]:
    """The loss of AdaK-NER, and candidates by as many best paths."""
    mask = {"kbest": k, "dictionary": True, "dictionary_count": 2}
    return {**_loss("AdaKLoss", k=k, gamma=gamma), MASK: mask}


# The outer loop and the loss of AdaK-NER as in the paper, whatever the defaults are;
# encoder and optimizer are those of the config. The paper has no values for
# convergence, the count of the dictionary and the selection of texts: it says that 10
# rounds are enough for q to converge, but not when it has, and without a threshold for
# the score of a text, one that does not fall with its length is the better choice.
PAPER: dict[str, Any] = {
    **_adak(),
    ROUNDS: 10,
    "adak.folds": 2,
    "adak.convergence": 0.002,
    "adak.patience": 0,
    "adak.fold_models": "unseen",
    "adak.start": None,
    "adak.q": None,
    "adak.selection": {"min_score": 0.9, "per_token": True},
}


class Model(NamedTuple):
    """A model by its title in tables, and what it overrides in a config."""

    title: str
    settings: dict[str, Any]


def _paper_but(title: str, changes: dict[str, Any]) -> Model:
    return Model(title, {**PAPER, **changes})


ABLATIONS = {
    "without-kbest-loss": _paper_but("w/o K-best loss", _loss("WeightedLoss")),
    "without-weighted-loss": _paper_but("w/o weighted loss", _adak(gamma=0.0)),
    "without-annealing": _paper_but("w/o annealing", _adak(gamma=None)),
    "without-kbest-candidates": _paper_but(
        "w/o K-best candidates", {MASK: {**PAPER[MASK], "kbest": 0}}
    ),
    "without-dictionary": _paper_but(
        "w/o self-built candidates", {MASK: {**PAPER[MASK], "dictionary": False}}
    ),
    "without-mask": _paper_but("w/o candidate mask", {MASK: None}),
    "without-selection": _paper_but("w/o sample selection", {"adak.selection": None}),
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
    **{name: _paper_but(f"AdaK-NER, K = {k}", _adak(k)) for k, name in KS.items()},
    "adak": _paper_but("AdaK-NER", {}),
    "adak-default": Model("our default", {}),
    "missing": Model("likelihood of the annotation", _loss("MissingLoss")),
    NER: Model("spaCy's `ner`", {}),
    # Effland and Collins (2021).
    "ratio": Model("expected entity ratio", _loss("RatioLoss")),
    **ABLATIONS,
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
