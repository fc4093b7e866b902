"""The `[adak]` block of a config: the outer loop of Algorithm 1.

Each strategy has its own block. Without the block, the strategy is off.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from spacy.util import registry
from thinc.api import Config

from ..errors import Errors, refuse_unknown_keys
from ..pipeline.losses import MissingLoss, RatioLoss
from ..pipeline.old_settings import describe_old_settings, old_settings
from .modes import QMode
from .settings_block import Block

# Settings that the result does not depend on.
EXECUTION = ("executor", "n_jobs", "ray_address")
Share = Annotated[float, Field(ge=0, le=1)]


class Start(Block):
    """What the fold models of the first round learn from. Without the block, they use
    the loss of the component with O for all unknown tokens.

    learn_from (str): "outside": the loss of the component, with O for all unknown
        tokens. "missing": MissingLoss. "ratio": RatioLoss. Both find more entities from
        the start. "forms": MissingLoss, unless the annotators seem to mark either all
        entities of a form or none. In that case RatioLoss is used, each occurrence of a
        frequent string has less weight, and the word features of the fold models are
        switched off, so that the models do not memorise unknown names as O. "missing"
        and "forms" also use guesses. "guesses": the loss of the component, with the
        guesses as q, and O where there is no guess.
    annotation_recall (Optional[float]): For "missing", "forms" and "guesses": the share
        of entities that are annotated. With null it is estimated from texts that are
        annotated completely or by two people and, if these are few, from fold models.
    ratio_margin (float): For "ratio" and "forms": the margin of RatioLoss, whose target
        is the share of entity tokens, estimated in the same way.
    ratio_weight (float): For "ratio" and "forms": the weight of RatioLoss.
    frozen_encoder (bool): Whether the transformer is frozen in these fold models, and
        in those that estimate the recall of the annotators, while all other models
        fine-tune it. They take a fraction of the time.
    """

    CHOICE: ClassVar[str | None] = "learn_from"
    APPLY_TO: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "annotation_recall": ("missing", "forms", "guesses"),
        "ratio_margin": ("ratio", "forms"),
        "ratio_weight": ("ratio", "forms"),
    }

    learn_from: Literal["outside", "missing", "ratio", "forms", "guesses"] = "outside"
    annotation_recall: Share | None = None
    ratio_margin: Share = 0.02
    ratio_weight: float = Field(default=10.0, ge=0)
    frozen_encoder: bool = False

    @property
    def has_likelihood(self) -> bool:
        """RETURNS (bool): Whether it is looked at how likely annotation and guesses
        are."""
        return self.learn_from in ("missing", "forms", "guesses")

    def missing_loss(self) -> MissingLoss:
        """RETURNS (MissingLoss): The loss if annotators forget entities at random."""
        return MissingLoss(annotation_recall=self.annotation_recall)

    def ratio_loss(self) -> RatioLoss:
        """RETURNS (RatioLoss): The loss if the share of entities is what is known."""
        return RatioLoss(margin=self.ratio_margin, weight=self.ratio_weight)


class QSettings(Block):
    """How q is computed from the predictions of the fold models. Without the block,
    mode is "hard".

    mode (str): "hard" is the best path only. "soft" weights paths by the marginals of
        their tags, "interpolated" by their probability.
    temperature (float): For "interpolated": 1 is the distribution of the fold models.
        Towards 0 it becomes the best path. Above 1 the final training can overrule it.
        Can be a block with @schedules that gives a value for each round.
    """

    CHOICE: ClassVar[str | None] = "mode"
    APPLY_TO: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "temperature": ("interpolated",)
    }

    mode: QMode = "hard"
    temperature: Annotated[float, Field(gt=0)] | list[Annotated[float, Field(gt=0)]] = (
        1.0
    )


class Mask(Block):
    """The candidate mask: an unknown token may be O, one of the following candidates,
    or what a useful guesser finds. Without the block, q may use every tag that the
    annotation allows.

    kbest (int): K, how many of the best paths of the best model so far give candidates.
        0 for none. The paper uses the same K as in the loss.
    dictionary (bool): Whether a dictionary of what the fold models found in the
        previous round gives candidates.
    dictionary_count (int): Entities enter the dictionary if they were found more often
        than this. The paper gives no value. An entity found three times is hardly a
        coincidence.
    """

    kbest: int = Field(default=5, ge=0)
    dictionary: bool = True
    dictionary_count: int = Field(default=2, ge=0)


class Selection(Block):
    """Sample selection: texts that the fold models were unsure about are left out of
    the training data of the next fold models, at most half of the texts. Without the
    block, all texts stay.

    min_score (float): Texts with a lower score are left out. The paper gives no value.
        The default leaves out a text of 20 tokens if its best reading has a probability
        below 0.12.
    per_token (bool): Whether the score is the mean probability per token, or the
        probability of the whole text, as in the paper, which falls with its length.
    """

    min_score: Share = 0.9
    per_token: bool = True


class AdakSettings(Block):
    """The outer loop. In each round, models that are trained on all folds but one
    estimate q, and then a model is trained on all texts.

    rounds (int): The maximum number of rounds. q is estimated once per round. The paper
        has 10.
    folds (int): The number of folds, and of fold models per round. Each fold model is
        trained without one fold. The paper has 2, and says that more make little
        difference. If there are few texts, more folds let each model see more of them.
    convergence (float): Stop when fewer than this share of the unknown tokens have
        changed their tag in a round.
    patience (int): Stop if the dev score has not risen for this many rounds. 0 switches
        that off, as in the paper.
    fold_models (str): Which fold models q comes from: the one that has not seen the
        text ("unseen"), or the mean of "all" fold models, because single models may
        disagree about the same name.
    warm_start (bool): Whether trainings start from the encoder of an earlier round
        instead of a new one. From the second round on, the training on all texts starts
        from the encoder of the best model so far. From the third round on, each fold
        model starts from that of the same fold, which has not seen the fold either.
    executor (Optional[str]): Where folds are trained: "serial" in this process,
        "joblib" in processes on this machine, "ray" on a cluster. Null is "joblib" on
        several cores, and "serial" on one core or a GPU. Results are the same.
    n_jobs (Optional[int]): How many processes at a time, for "joblib" and "ray". Null
        is one for each core, as long as each has 2 GB of memory.
    ray_address (Optional[str]): The address of a cluster for "ray". With null, one is
        started on this machine.
    start (Start): What the first fold models learn from.
    q (QSettings): How q is made.
    mask (Optional[Mask]): The candidate mask. Null for none.
    selection (Optional[Selection]): Sample selection. Null for none.
    guessers (dict[str, dict[str, Any]]): Guessers by name, each a block with a
        registered function (docs/guesses.md).
    """

    rounds: int = Field(default=10, ge=1)
    folds: int = Field(default=2, ge=2)
    convergence: Share = 0.002
    patience: int = Field(default=0, ge=0)
    fold_models: Literal["unseen", "all"] = "unseen"
    warm_start: bool = False
    executor: Literal["serial", "joblib", "ray"] | None = None
    n_jobs: int | None = Field(default=None, ge=1)
    ray_address: str | None = None
    start: Start = Start()
    q: QSettings = QSettings()
    mask: Mask | None = None
    selection: Selection | None = None
    guessers: dict[str, dict[str, Any]] = Field(default={})

    @field_validator("q")
    @classmethod
    def _lasts_for_all_rounds(cls, q: QSettings, info: ValidationInfo) -> QSettings:
        rounds = info.data.get("rounds", 1)
        if isinstance(q.temperature, list) and len(q.temperature) < rounds:
            raise ValueError(
                f"temperature has {len(q.temperature)} values for {rounds} rounds"
            )
        return q

    @property
    def at_once(self) -> int:
        """RETURNS (int): How many tasks run at a time, once it is settled."""
        return 1 if self.executor == "serial" else self.n_jobs or 1

    @property
    def trainings(self) -> int:
        """RETURNS (int): How many models are trained in all, at most."""
        return self.rounds * (self.folds + 1)

    @property
    def drops_texts(self) -> bool:
        """RETURNS (bool): Whether texts may be left out of the data of later folds."""
        return self.selection is not None and self.rounds > 1

    @property
    def has_dictionary(self) -> bool:
        """RETURNS (bool): Whether candidates come from the dictionary of the last
        round."""
        return self.mask is not None and self.mask.dictionary

    @property
    def dictionary_count(self) -> int:
        """RETURNS (int): c, also if the dictionary is not used but only written."""
        return (self.mask or Mask()).dictionary_count

    def temperature_in(self, round_: int) -> float:
        """RETURNS (float): The temperature in a round, counted from 1."""
        temperature = self.q.temperature
        if isinstance(temperature, list):
            return temperature[round_ - 1]
        return temperature


BLOCKS: Mapping[str, type[Block]] = {
    "start": Start,
    "q": QSettings,
    "mask": Mask,
    "selection": Selection,
}


def fill_block(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fill in what an `[adak]` block leaves to defaults.

    given (Mapping[str, Any]): The block.
    RETURNS (dict[str, Any]): The same with all settings that apply. Blocks of
        strategies that are off are not there.
    """
    filled = dict(given)
    for name, default in AdakSettings.defaults(given).items():
        if name not in BLOCKS:
            filled[name] = default
    if not filled["guessers"]:
        del filled["guessers"]
    for name, block in BLOCKS.items():
        if name not in filled:
            continue
        if filled[name] is None:
            del filled[name]
        elif isinstance(filled[name], Mapping):
            filled[name] = {**filled[name], **block.defaults(filled[name])}
    return filled


def read_settings(config: Config) -> AdakSettings:
    """Read and check the `[adak]` block of an interpolated config.

    config (Config): The config. Settings that are not there have their defaults.
    RETURNS (AdakSettings): The settings.
    """
    given = config.get("adak", {})
    if moved := old_settings(given, "adak"):
        raise ValueError(describe_old_settings(moved, "adak"))
    refuse_unknown_keys(given, "[adak]", list(AdakSettings.model_fields))
    for name, block in BLOCKS.items():
        if isinstance(given.get(name), Mapping):
            valid = list(block.model_fields)
            refuse_unknown_keys(given[name], f"[adak.{name}]", valid)
    filled = fill_block(given)
    # They are made where they are asked.
    guessers = filled.pop("guessers", {})
    resolved = registry.resolve({"adak": filled})["adak"]
    resolved["guessers"] = guessers
    q = resolved.get("q", {})
    if isinstance(q, dict) and isinstance(q.get("temperature"), Iterator):
        # What is wrong with the number of rounds is found below.
        rounds = resolved["rounds"] if isinstance(resolved["rounds"], int) else 1
        q["temperature"] = list(islice(q["temperature"], max(rounds, 1)))
    try:
        return AdakSettings(**resolved)
    except ValidationError as error:
        raise ValueError(
            Errors.A201.format(problems="; ".join(_describe(error)))
        ) from None


def _describe(error: ValidationError) -> list[str]:
    """What is wrong with each setting."""
    problems: dict[str, str] = {}
    for each in error.errors():
        # Pydantic names the members of unions, too, and what is in lists.
        setting = ".".join(str(part) for part in each["loc"][:2])
        message = each["msg"].removeprefix("Value error, ")
        if each["type"] != "value_error":
            message = f"{setting} = {each['input']!r}: {message}"
        elif setting:
            message = f"{setting}: {message}"
        problems.setdefault(setting, message)
    return list(problems.values())
