"""What is checked of scores, of q and of what was estimated from data."""

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc

from ..annotation.known import shorten
from ..annotation.q_of_text import ChainEstimate
from ..annotation.training_sample import Sample
from ..errors import Errors
from .head import CRFHead, TagScores
from .losses import RECALL_PER_TYPE
from .rules import SHARE


def check_finite(
    name: str, head: CRFHead, scores: TagScores, docs: Sequence[Doc]
) -> None:
    """Refuse scores that are no numbers.

    name (str): The name of the component.
    head (CRFHead): What gives scores to moves.
    scores (TagScores): The scores.
    docs (Sequence[Doc]): The documents they are of.
    """
    if not head.has_finite_moves(scores):
        raise ValueError(Errors.A116.format(name=name))
    if scores.emissions.sum().isfinite():
        return
    finite = scores.emissions.isfinite().all(1)
    lengths = [len(doc) for doc in docs]
    for doc, doc_finite in zip(docs, finite.split(lengths), strict=True):
        if not doc_finite.all():
            raise ValueError(Errors.A106.format(name=name, text=shorten(doc)))


def check_moves(name: str, sample: Sample, scores: TagScores, reference: Doc) -> None:
    """Refuse q whose transitions have another shape than those of the model, which
    depends on the number of labels. Constant transitions fit both.

    name (str): The name of the component.
    sample (Sample): What is known and estimated.
    scores (TagScores): The scores of the model.
    reference (Doc): The annotated document.
    """
    if not isinstance(sample.estimate, ChainEstimate):
        return
    found = sample.estimate.transitions.shape
    expected = tuple(scores.transitions.shape)
    if found not in ((1, 1), expected):
        raise ValueError(
            Errors.A119.format(
                name=name, text=shorten(reference), found=found, expected=expected
            )
        )


def check_estimated(cfg: dict[str, Any]) -> None:
    """Refuse what can't be settings of a loss that were estimated from data.

    cfg (dict[str, Any]): What was saved with the component.
    """
    for setting in ("annotation_recall", "ratio_target"):
        value = cfg.get(setting)
        if not SHARE.or_none().is_valid(value):
            raise ValueError(f"{setting} is {value!r}, which is no share")
    recall_per_type = cfg.get(RECALL_PER_TYPE) or {}
    if not isinstance(recall_per_type, dict):
        raise ValueError(f"{RECALL_PER_TYPE} is {recall_per_type!r}, no object")
    for label, value in recall_per_type.items():
        if not SHARE.is_valid(value):
            raise ValueError(f"the recall of {label} is {value!r}, no share")
