"""Settings that have moved into blocks: what they were called, and where they are."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import Errors

_LOSS = "[components.adak_ner.loss]"
OLD_LOSSES = {
    "adak": "AdaKLoss",
    "weighted": "WeightedLoss",
    "missing": "MissingLoss",
    "ratio": "RatioLoss",
    "fuzzy": "FuzzyLoss",
    "crf": "CRFLoss",
}
# By the block they were in. Some names are those of blocks today: these are old if
# their value is no block.
OLD_SETTINGS: Mapping[str, Mapping[str, str]] = {
    "components.adak_ner": {
        "loss": f'{_LOSS} @losses, for instance "spacy-adak.AdaKLoss.v1"',
        "k": f"{_LOSS} k, and [adak.mask] kbest for the candidates of q",
        "gamma": f"{_LOSS} gamma",
        "annealing_steps": f"{_LOSS} annealing_steps",
        "annotation_recall": f'{_LOSS} annotation_recall, of "spacy-adak.MissingLoss.'
        'v1", and [adak.start] annotation_recall for the first fold models',
        "ratio_target": f'{_LOSS} target, of "spacy-adak.RatioLoss.v1"',
        "ratio_margin": f'{_LOSS} margin, of "spacy-adak.RatioLoss.v1", and '
        "[adak.start] ratio_margin for the first fold models",
        "ratio_weight": f'{_LOSS} weight, of "spacy-adak.RatioLoss.v1", and '
        "[adak.start] ratio_weight for the first fold models",
    },
    "adak": {
        "start": "[adak.start] learn_from",
        "q": "[adak.q] mode",
        "temperature": "[adak.q] temperature",
        "mask": "[adak.mask], a block that is left out if there is no mask",
        "kbest_candidates": "[adak.mask] kbest, how many paths, or 0",
        "dictionary": "[adak.mask] dictionary",
        "dictionary_count": "[adak.mask] dictionary_count",
        "min_sample_score": "[adak.selection] min_score; the block is left out if all "
        "texts are kept",
        "score_per_token": "[adak.selection] per_token",
    },
}


def old_settings(block: Mapping[str, Any], kind: str) -> list[str]:
    """RETURNS (list[str]): The settings in a block that have moved elsewhere.

    block (Mapping[str, Any]): The block.
    kind (str): A key of `OLD_SETTINGS`.
    """
    blocks = {"loss", "start", "q", "mask"}
    return [
        key
        for key, value in block.items()
        if key in OLD_SETTINGS[kind]
        and not (key in blocks and (value is None or isinstance(value, Mapping)))
    ]


def describe_old_settings(keys: Iterable[str], kind: str) -> str:
    """RETURNS (str): An error that says where settings have moved.

    keys (Iterable[str]): The settings.
    kind (str): A key of `OLD_SETTINGS`.
    """
    moved = "; ".join(f"{key} is now {OLD_SETTINGS[kind][key]}" for key in keys)
    return Errors.A118.format(where=f"[{kind}]", moved=moved)


def old_overrides(overrides: Mapping[str, Any], components: set[str]) -> Iterator[str]:
    """YIELDS (str): An error for each override of a setting that has moved.

    overrides (Mapping[str, Any]): The overrides, by dotted names.
    components (set[str]): The names of the components that are `adak_ner`s.
    """
    for override, value in overrides.items():
        section, _, key = override.rpartition(".")
        kind = section
        if section.removeprefix("components.") in components:
            kind = "components.adak_ner"
        if kind in OLD_SETTINGS and old_settings({key: value}, kind):
            yield describe_old_settings([key], kind)


class _RefusesNames(type):
    def __instancecheck__(cls, value: object) -> bool:
        # spaCy checks types before anything of ours is called. Saved pipelines and
        # configs of before have a name here.
        if isinstance(value, str):
            message = describe_old_settings(["loss"], "components.adak_ner")
            if value in OLD_LOSSES:
                message = message.replace("AdaKLoss", OLD_LOSSES[value])
            raise ValueError(message)
        return False


if TYPE_CHECKING:
    from .losses import Loss as LossBlock
else:

    class LossBlock(metaclass=_RefusesNames):
        """What the factory takes as `loss`: a block that makes a loss."""
