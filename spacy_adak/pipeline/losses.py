"""What the component can learn from: the losses, each with its own settings.

They are registered in Thinc's registry of losses, so that a config chooses one by a
block, `[components.adak_ner.loss]`. The mathematics is in `crf`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from spacy.tokens import Doc
from spacy.util import registry
from torch import Tensor

from ..annotation.completeness import entity_share, entity_share_by_type
from ..crf.losses import (
    HardQ,
    adak,
    annealed_weight,
    missing_q,
    negative_log_likelihood,
    uniform_q,
)
from ..crf.ratio import EntityRatio
from ..data.complete_types import stated_types
from ..errors import Errors
from ..recall.complete_texts import recall_from_complete_texts
from ..recall.per_tag import recall_per_tag
from ..recall.pooled import pool_estimates, recalls_of_types
from .rules import NOT_NEGATIVE, POSITIVE, SHARE, Rule, check_values
from .targets import Segments

# Where a component keeps the recall of types that have one of their own.
RECALL_PER_TYPE = "annotation_recall_per_type"


class Progress(NamedTuple):
    """How far the training of a component is, and what it has been told.

    component (str): Its name, for messages.
    step (int): b, how many steps are done.
    planned_steps (int): B, how many steps there will be.
    estimated (Mapping[str, Any]): The settings that were estimated from the data.
    """

    component: str
    step: int
    planned_steps: int
    estimated: Mapping[str, Any]


class Loss(ABC):
    """What a component learns from. Its settings are checked when it is made."""

    # Whether it looks at q: if not, there is nothing for rounds and folds to estimate.
    uses_q: ClassVar[bool] = False
    # Whether tokens that are not known may be anything in texts without an estimate, or
    # are O.
    unknown_is_open: ClassVar[bool] = False
    RULES: ClassVar[Mapping[str, Rule]] = {}

    def __post_init__(self) -> None:
        where = f"the loss {type(self).__name__}"
        check_values(where, vars(self), self.RULES)

    @abstractmethod
    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """Compute the loss of each segment.

        segments (Segments): The segments.
        progress (Progress): How far the training is.
        RETURNS (Tensor): (B,).
        """

    def best_paths_weight(self, progress: Progress) -> float | None:
        """RETURNS (float | None): λ in the next step, if the best paths count."""
        return None

    def entity_ratio(self, progress: Progress) -> EntityRatio | None:
        """RETURNS (EntityRatio | None): What the share of entity tokens in a batch is
        held to, if it is."""
        return None

    def estimate(
        self, annotated: Iterable[Doc], complete: Iterable[Doc]
    ) -> dict[str, Any]:
        """Estimate settings that are null.

        annotated (Iterable[Doc]): The documents to be learnt from.
        complete (Iterable[Doc]): Documents that are annotated completely.
        RETURNS (dict[str, Any]): The estimates, None where the documents don't tell.
        """
        return {}


@registry.losses("spacy-adak.AdaKLoss.v1")
@dataclass(frozen=True, kw_only=True)
class AdaKLoss(Loss):
    """The loss of AdaK-NER (Eq. 7): q and, more and more, the model's own K best paths.

    It learns from the annotation, from q for unknown tokens (O if there is no q), and
    from the K best paths of the model. For a text without annotation and without q,
    only the best paths count.

    k (int): K, how many of the best paths count.
    gamma (Optional[float]): How late the best paths take over: their weight is
        exp(gamma * (b / B - 1)) in step b of B. With 0 nothing else counts. With null
        their weight is always one half.
    annealing_steps (Optional[int]): B. With null, the minimum number of steps of a
        training: the smaller of patience and max_steps in [training], or 1000 if
        neither is set. `adak train` counts the steps of max_epochs as well. Set it for
        `spacy train` if the component is sourced from another pipeline, because it then
        does not see [training] and assumes 1000.
    """

    k: int = 5
    gamma: float | None = 3.0
    annealing_steps: int | None = None

    uses_q: ClassVar[bool] = True
    RULES: ClassVar[Mapping[str, Rule]] = {
        "k": POSITIVE,
        "gamma": NOT_NEGATIVE.or_none(),
        "annealing_steps": POSITIVE.or_none(),
    }

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        weight = torch.where(
            segments.without_q(), 1.0, self.best_paths_weight(progress)
        )
        return adak(
            segments.chain,
            segments.q(),
            segments.allowed(),
            self.k,
            weight,
            segments.ruled_out,
        )

    def best_paths_weight(self, progress: Progress) -> float:
        """RETURNS (float): λ."""
        if self.gamma is None:
            return 0.5
        steps = self.annealing_steps or progress.planned_steps
        return annealed_weight(progress.step, steps, self.gamma)


@registry.losses("spacy-adak.WeightedLoss.v1")
@dataclass(frozen=True, kw_only=True)
class WeightedLoss(Loss):
    """The weighted CRF (Jie et al., 2019): paths are weighted by q. Without q,
    unannotated tokens are O. It has no settings."""

    uses_q: ClassVar[bool] = True

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        return negative_log_likelihood(segments.chain, segments.q())


@registry.losses("spacy-adak.MissingLoss.v1")
@dataclass(frozen=True, kw_only=True)
class MissingLoss(Loss):
    """The likelihood of the annotation if annotators miss some entities at random: a
    path is down-weighted by (1 - r) for each of its entities that is not annotated.

    annotation_recall (Optional[float]): r, the share of the entities in the training
        texts that are annotated, for instance 0.3. 0 is FuzzyLoss, and 1 is CRFLoss.
        With null it is estimated from completely annotated texts. `adak train` also
        uses dev data, texts that two people annotated, and, if these are few, fold
        models.
    """

    annotation_recall: float | None = None

    RULES: ClassVar[Mapping[str, Rule]] = {"annotation_recall": SHARE.or_none()}

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        allowed = segments.allowed()
        recalls = recall_per_tag(
            self.recall(progress), self.recall_per_type(progress), segments.tagset
        )
        # log(1 - r) for each entity that nobody has annotated.
        log_weights = torch.from_numpy(-recalls).float().log1p()
        q = missing_q(allowed, log_weights.to(allowed.device))
        return negative_log_likelihood(segments.chain, q)

    def recall(self, progress: Progress) -> float:
        """RETURNS (float): r, as given or estimated."""
        recall = self.annotation_recall
        if recall is None:
            recall = progress.estimated.get("annotation_recall")
        if recall is None:
            raise ValueError(Errors.A114.format(name=progress.component))
        return recall

    def recall_per_type(self, progress: Progress) -> Mapping[str, float]:
        """RETURNS (Mapping[str, float]): r of types that have one of their own,
        because texts state for which types they are complete."""
        if self.annotation_recall is not None:
            return {}
        per_type: Mapping[str, float] = progress.estimated.get(RECALL_PER_TYPE) or {}
        return per_type

    def estimate(
        self, annotated: Iterable[Doc], complete: Iterable[Doc]
    ) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): r."""
        if self.annotation_recall is not None:
            return {}
        annotated = list(annotated)
        estimate = recall_from_complete_texts(annotated, complete)
        recall = pool_estimates([estimate] if estimate is not None else [])
        if recall is None:
            return {"annotation_recall": None}
        return {
            "annotation_recall": recall.recall.value,
            RECALL_PER_TYPE: recalls_of_types(recall, stated_types(annotated)),
        }


@registry.losses("spacy-adak.RatioLoss.v1")
@dataclass(frozen=True, kw_only=True)
class RatioLoss(Loss):
    """The expected entity ratio (Effland and Collins, 2021): FuzzyLoss, plus a cost for
    predicting more or fewer entity tokens than expected. In texts with a q, paths are
    weighted by q.

    target (Optional[float]): The share of tokens that are part of an entity, for
        instance 0.15. With null it is estimated from completely annotated texts, and in
        `adak train` also from the recall of the annotators.
    margin (float): How far the expected share in a batch may differ from the target
        without a cost. The paper has 0.05 around a rough target. An estimated target
        allows a smaller margin.
    weight (float): The cost of a difference beyond the margin, relative to the mean
        loss of a sentence. The paper has 10. With frozen encoders 2 is better.
    """

    target: float | None = None
    margin: float = 0.02
    weight: float = 10.0

    unknown_is_open: ClassVar[bool] = True
    RULES: ClassVar[Mapping[str, Rule]] = {
        "target": SHARE.or_none(),
        "margin": SHARE,
        "weight": NOT_NEGATIVE,
    }

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        if segments.targets.has_estimates:
            return negative_log_likelihood(segments.chain, segments.q())
        return _fuzzy(segments)

    def entity_ratio(self, progress: Progress) -> EntityRatio:
        """RETURNS (EntityRatio): What the share of entity tokens is held to."""
        target = self.target
        if target is None:
            target = progress.estimated.get("ratio_target")
        if target is None:
            raise ValueError(Errors.A113.format(name=progress.component))
        return EntityRatio(target, self.margin, self.weight)

    def estimate(
        self, annotated: Iterable[Doc], complete: Iterable[Doc]
    ) -> dict[str, Any]:
        """RETURNS (dict[str, Any]): The target."""
        if self.target is not None:
            return {}
        share = entity_share(complete)
        if share is None:
            share = entity_share_by_type(annotated)
        return {"ratio_target": share}


@registry.losses("spacy-adak.FuzzyLoss.v1")
@dataclass(frozen=True, kw_only=True)
class FuzzyLoss(Loss):
    """The fuzzy CRF: all paths that the annotation allows have the same weight. It
    finds too many entities. It has no settings."""

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        return _fuzzy(segments)


@registry.losses("spacy-adak.CRFLoss.v1")
@dataclass(frozen=True, kw_only=True)
class CRFLoss(Loss):
    """The plain CRF: unannotated tokens are O. It has no settings."""

    def of_segments(self, segments: Segments, progress: Progress) -> Tensor:
        """RETURNS (Tensor): (B,)."""
        return negative_log_likelihood(segments.chain, HardQ(segments.known()))


def _fuzzy(segments: Segments) -> Tensor:
    return negative_log_likelihood(segments.chain, uniform_q(segments.allowed()))
