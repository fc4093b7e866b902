"""The models that are compared: each is the config of a dataset with some overrides."""

from typing import Any, NamedTuple

# Another component than ours.
NER = "ner"
LOSS = "components.adak_ner.loss"
ROUNDS = "adak.rounds"
# The outer loop and the loss of AdaK-NER as in the paper, whatever the defaults are;
# encoder and optimizer are those of the config. The paper has no values for the last
# four: it says that 10 rounds are enough for q to converge, but not when it has, and
# without a threshold for the score of a text, one that does not fall with its length is
# the better choice.
PAPER: dict[str, Any] = {
    LOSS: "adak",
    "components.adak_ner.k": 5,
    "components.adak_ner.gamma": 3.0,
    ROUNDS: 10,
    "adak.folds": 2,
    "adak.start": "outside",
    "adak.fold_models": "unseen",
    "adak.q": "hard",
    "adak.mask": True,
    "adak.kbest_candidates": True,
    "adak.dictionary": True,
    "adak.convergence": 0.002,
    "adak.dictionary_count": 2,
    "adak.min_sample_score": 0.9,
    "adak.score_per_token": True,
}


class Model(NamedTuple):
    """A model by its title in tables, and what it overrides in a config."""

    title: str
    settings: dict[str, Any]


def _paper_but(title: str, changes: dict[str, Any]) -> Model:
    return Model(title, {**PAPER, **changes})


ABLATIONS = {
    "without-kbest-loss": _paper_but("w/o K-best loss", {LOSS: "weighted"}),
    "without-weighted-loss": _paper_but(
        "w/o weighted loss", {"components.adak_ner.gamma": 0.0}
    ),
    "without-annealing": _paper_but(
        "w/o annealing", {"components.adak_ner.gamma": None}
    ),
    "without-kbest-candidates": _paper_but(
        "w/o K-best candidates", {"adak.kbest_candidates": False}
    ),
    "without-dictionary": _paper_but(
        "w/o self-built candidates", {"adak.dictionary": False}
    ),
    "without-mask": _paper_but("w/o candidate mask", {"adak.mask": False}),
    "without-selection": _paper_but(
        "w/o sample selection", {"adak.min_sample_score": 0.0}
    ),
}
# The names of the models that differ in K alone.
KS = {1: "adak-k1", 3: "adak-k3", 5: "adak", 7: "adak-k7", 9: "adak-k9"}
MODELS = {
    "crf": Model("CRF", {LOSS: "crf"}),
    "fuzzy": Model("Fuzzy CRF", {LOSS: "fuzzy"}),
    "weighted": _paper_but(
        "weighted CRF",
        {LOSS: "weighted", "adak.mask": False, "adak.min_sample_score": 0.0},
    ),
    **{
        name: _paper_but(f"AdaK-NER, K = {k}", {"components.adak_ner.k": k})
        for k, name in KS.items()
    },
    "adak": _paper_but("AdaK-NER", {}),
    "adak-default": Model("our default", {}),
    "missing": Model("likelihood of the annotation", {LOSS: "missing"}),
    NER: Model("spaCy's `ner`", {}),
    # Effland and Collins (2021).
    "ratio": Model("expected entity ratio", {LOSS: "ratio"}),
    **ABLATIONS,
}
