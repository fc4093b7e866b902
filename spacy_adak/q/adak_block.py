"""The `[adak]` block of a config: the outer loop of Algorithm 1."""

from collections.abc import Iterator
from itertools import islice, repeat
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from spacy.util import registry
from thinc.api import Config

from ..errors import Errors, refuse_unknown_keys
from .modes import QMode

# With the comments that a written config has. Each strategy of the paper can be
# switched off on its own.
DEFAULT_ADAK_CONFIG = """
[adak]
# How many times q is estimated. The paper has 10; training stops before that once q
# has converged.
rounds = 10
# Stop when fewer than this share of the unknown tokens have changed their tag.
convergence = 0.002
# Into how many folds the data is divided: as many models are trained per round, each
# without one fold. The paper has 2, and says that more make little difference; where
# texts are few, more let each model see more of them.
folds = 2
# What the fold models of the first round learn from, as long as there is no q: the loss
# of the component with all unknown tokens "outside", or the loss "missing" or "ratio"
# of the component, which find more entities from the start. The first candidates are
# theirs. "forms" is "missing", but looks whether annotators marked all entities of a
# form or none; if so, it is "ratio", strings that come up often count less each, and
# word features of the fold models stay silent: a name that annotators do not know must
# not be learnt by heart as none.
start = "outside"
# Whose q it is: that of the fold model that has not seen a text ("unseen"), or the mean
# of "all" fold models: alone, each may think otherwise of the same name.
fold_models = "unseen"
# q for a text: "hard" is the best path of these models, "soft" weighs paths by the
# marginals of their tags, "interpolated" by their own probability.
q = "hard"
# For "interpolated": 1 is the model's own distribution, towards 0 the best path, above
# 1 the final training may overrule it. May be a block with @schedules, which is asked
# once per round.
temperature = 1.0
# Restrict q to candidates: O, and the tags of the following two, which do nothing else.
mask = true
# Candidates on the K best paths of the best model so far.
kbest_candidates = true
# Candidates from a dictionary of what the fold models found in the round before ...
dictionary = true
# ... more often than this. The paper gives no value; what was found three times is
# hardly chance.
dictionary_count = 2
# Leave texts out of the folds' training data of which the model of the round before was
# less sure than this; 0 keeps all, and half are always kept. The paper gives no value;
# this one leaves out a text of 20 tokens if its best reading has a probability below
# 0.12.
min_sample_score = 0.9
# Whether that is the mean probability per token, or the probability of the whole text,
# as in the paper, which is the lower the longer the text.
score_per_token = true
# Where folds are trained: "serial" in this process, "joblib" in processes on this
# machine, "ray" on a cluster.
executor = "serial"
# How many processes at a time, for "joblib" and "ray".
n_jobs = 2
# For "ray": the address of a cluster; null starts one on this machine.
ray_address = null
"""


# Settings that the result does not depend on.
EXECUTION = ("executor", "n_jobs", "ray_address")


class AdakSettings(BaseModel):
    """The settings of the outer loop, explained in `DEFAULT_ADAK_CONFIG`."""

    model_config = ConfigDict(strict=True, extra="forbid")

    rounds: int = Field(ge=1)
    convergence: float = Field(ge=0, le=1)
    folds: int = Field(ge=2)
    start: Literal["outside", "missing", "ratio", "forms"]
    fold_models: Literal["unseen", "all"]
    q: QMode
    temperature: list[Annotated[float, Field(gt=0)]]
    mask: bool
    kbest_candidates: bool
    dictionary: bool
    dictionary_count: int = Field(ge=0)
    min_sample_score: float = Field(ge=0, le=1)
    score_per_token: bool
    executor: Literal["serial", "joblib", "ray"]
    n_jobs: int = Field(ge=1)
    ray_address: str | None

    @field_validator("temperature")
    @classmethod
    def _lasts_for_all_rounds(
        cls, temperature: list[float], info: ValidationInfo
    ) -> list[float]:
        rounds = info.data.get("rounds", 1)
        if len(temperature) < rounds:
            raise ValueError(f"{len(temperature)} values for {rounds} rounds")
        return temperature

    @property
    def at_once(self) -> int:
        """RETURNS (int): How many tasks run at a time."""
        return 1 if self.executor == "serial" else self.n_jobs

    @property
    def trainings(self) -> int:
        """RETURNS (int): How many models are trained in all, at most."""
        return self.rounds * (self.folds + 1)

    def temperature_in(self, round_: int) -> float:
        """RETURNS (float): The temperature in a round, counted from 1."""
        return self.temperature[round_ - 1]


def default_settings() -> dict[str, Any]:
    """RETURNS (dict): The default `[adak]` block."""
    return dict(Config().from_str(DEFAULT_ADAK_CONFIG)["adak"])


def read_settings(config: Config) -> AdakSettings:
    """Read and check the `[adak]` block of an interpolated config.

    config (Config): The config. Settings that are not there have their defaults.
    RETURNS (AdakSettings): The settings.
    """
    given = config.get("adak", {})
    defaults = default_settings()
    refuse_unknown_keys(given, "[adak]", list(defaults))
    resolved = registry.resolve({"adak": {**defaults, **given}})["adak"]
    # A whole number is a fine value for a setting that may have a fraction.
    for name in ("convergence", "temperature", "min_sample_score"):
        if type(resolved[name]) is int:
            resolved[name] = float(resolved[name])
    temperature = resolved["temperature"]
    if not isinstance(temperature, Iterator):
        temperature = repeat(temperature)
    # What is wrong with the number of rounds is found below.
    rounds = resolved["rounds"] if isinstance(resolved["rounds"], int) else 1
    resolved["temperature"] = list(islice(temperature, max(rounds, 1)))
    try:
        return AdakSettings(**resolved)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(map(str, e['loc'][:1]))} = {e['input']!r}: {e['msg']}"
            for e in error.errors()
        )
        raise ValueError(Errors.A201.format(problems=problems)) from None
