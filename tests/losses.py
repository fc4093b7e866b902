"""Losses by short names, and the loss of a batch without a component."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from spacy.util import registry

from spacy_adak.annotation.training_sample import Sample
from spacy_adak.crf.ratio import EntityRatio
from spacy_adak.crf.tags import TagSet
from spacy_adak.pipeline import losses
from spacy_adak.pipeline.head import TagScores
from spacy_adak.pipeline.losses import Loss, Progress
from spacy_adak.pipeline.objective import LossAndGradient, compute_loss

LOSSES = {
    "adak": losses.AdaKLoss,
    "weighted": losses.WeightedLoss,
    "missing": losses.MissingLoss,
    "ratio": losses.RatioLoss,
    "fuzzy": losses.FuzzyLoss,
    "crf": losses.CRFLoss,
}
SETTINGS = {
    setting
    for loss in LOSSES.values()
    for setting in loss.__dataclass_fields__
    if setting not in ("uses_q", "unknown_is_open", "RULES")
}


def loss_block(loss: str = "adak", **settings: Any) -> dict[str, Any]:
    """The block of a loss in a config."""
    return {"@losses": f"spacy-adak.{LOSSES[loss].__name__}.v1", **settings}


def loss_override(loss: str, **settings: Any) -> dict[str, Any]:
    """The override that chooses a loss."""
    return {"components.adak_ner.loss": loss_block(loss, **settings)}


def make_loss(loss: str = "adak", **settings: Any) -> Loss:
    """A loss, made by what is registered."""
    return registry.resolve({"loss": loss_block(loss, **settings)})["loss"]


def component_settings(loss: str | None = None, **settings: Any) -> dict[str, Any]:
    """Settings of a component, those of its loss among them."""
    of_loss = {key: settings.pop(key) for key in SETTINGS & settings.keys()}
    if loss is not None or of_loss:
        settings["loss"] = loss_block(loss or "adak", **of_loss)
    return settings


class Objective(NamedTuple):
    """The loss of a batch, at a moment when the best paths of "adak" have a weight."""

    loss: str
    k: int
    best_paths_weight: float
    entity_ratio: EntityRatio | None = None
    annotation_recall: float | None = None

    def __call__(
        self, scores: TagScores, samples: Sequence[Sample], tagset: TagSet
    ) -> LossAndGradient:
        settings: dict[str, Any] = {}
        if self.loss == "adak":
            # At the first step the weight is exp(-gamma).
            weight = self.best_paths_weight
            settings["gamma"] = -math.log(weight) if weight else math.inf
            settings["k"] = self.k
        elif self.loss == "missing":
            settings["annotation_recall"] = self.annotation_recall
        elif self.loss == "ratio":
            assert self.entity_ratio is not None
            target, margin, weight = self.entity_ratio
            settings |= {"target": target, "margin": margin, "weight": weight}
        loss = LOSSES[self.loss](**settings)
        return compute_loss(
            loss, Progress("adak_ner", 0, 10, {}), scores, samples, tagset
        )
